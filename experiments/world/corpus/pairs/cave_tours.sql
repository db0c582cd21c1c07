CREATE TABLE caves (cave_id INTEGER PRIMARY KEY, cave_name TEXT, region TEXT, length_metres REAL, depth_metres REAL, temperature_celsius REAL, opened_to_public_on TEXT);
CREATE TABLE routes (route_id INTEGER PRIMARY KEY, cave_id INTEGER REFERENCES caves(cave_id), route_name TEXT, difficulty INTEGER, -- 1 easy to 5 expert
 duration_minutes INTEGER, maximum_group_size INTEGER, minimum_age INTEGER, adult_price REAL, child_price REAL);
CREATE TABLE guides (guide_id INTEGER PRIMARY KEY, guide_name TEXT, hired_on TEXT, left_on TEXT, daily_rate REAL);
CREATE TABLE guide_languages (guide_id INTEGER REFERENCES guides(guide_id), language TEXT, PRIMARY KEY (guide_id, language));
CREATE TABLE tours (tour_id INTEGER PRIMARY KEY, route_id INTEGER REFERENCES routes(route_id), guide_id INTEGER REFERENCES guides(guide_id), starts_at TEXT, language TEXT, tour_status TEXT); -- planned, held, cancelled
CREATE TABLE visitors (visitor_id INTEGER PRIMARY KEY, full_name TEXT, country TEXT, email TEXT);
CREATE TABLE bookings (booking_id INTEGER PRIMARY KEY, tour_id INTEGER REFERENCES tours(tour_id), visitor_id INTEGER REFERENCES visitors(visitor_id), booked_at TEXT, number_of_adults INTEGER, number_of_children INTEGER, total_price REAL, cancelled_at TEXT);
CREATE TABLE reviews (review_id INTEGER PRIMARY KEY, booking_id INTEGER REFERENCES bookings(booking_id), rating INTEGER, written_on TEXT, comment TEXT);
CREATE TABLE incidents (incident_id INTEGER PRIMARY KEY, tour_id INTEGER REFERENCES tours(tour_id), severity TEXT, description TEXT, rescue_called INTEGER); -- severity: low, medium, high
