CREATE TABLE customers ( customer_id INTEGER PRIMARY KEY, customer_name TEXT, customer_type TEXT, -- school, club, company, agency
  city TEXT, registered_on TEXT );
CREATE TABLE buses ( bus_id INTEGER PRIMARY KEY, license_plate TEXT, seats INTEGER, comfort_class TEXT, -- standard, comfort, luxury
  purchased_on TEXT, sold_on TEXT, has_wheelchair_lift INTEGER, mileage_km INTEGER );
CREATE TABLE drivers ( driver_id INTEGER PRIMARY KEY, full_name TEXT, hired_on TEXT, left_on TEXT, hourly_wage REAL, medical_valid_until TEXT );
CREATE TABLE bookings ( booking_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers(customer_id), requested_on TEXT, confirmed_on TEXT, cancelled_on TEXT,
  passengers INTEGER, quoted_price REAL, final_price REAL, booking_status TEXT ); -- inquiry, confirmed, completed, cancelled
CREATE TABLE trips ( trip_id INTEGER PRIMARY KEY, booking_id INTEGER REFERENCES bookings(booking_id), bus_id INTEGER REFERENCES buses(bus_id), driver_id INTEGER REFERENCES drivers(driver_id),
  origin TEXT, destination TEXT, departs_at TEXT, returns_at TEXT, planned_km INTEGER, driven_km INTEGER );
CREATE TABLE expenses ( expense_id INTEGER PRIMARY KEY, trip_id INTEGER REFERENCES trips(trip_id), expense_type TEXT, -- toll, fuel, hotel, parking
  amount REAL, spent_on TEXT );
CREATE TABLE payments ( payment_id INTEGER PRIMARY KEY, booking_id INTEGER REFERENCES bookings(booking_id), paid_on TEXT, amount REAL, is_deposit INTEGER );
CREATE TABLE feedback ( feedback_id INTEGER PRIMARY KEY, trip_id INTEGER REFERENCES trips(trip_id), driver_rating INTEGER, bus_rating INTEGER, remarks TEXT, received_on TEXT );
CREATE TABLE inspections ( inspection_id INTEGER PRIMARY KEY, bus_id INTEGER REFERENCES buses(bus_id), inspected_on TEXT, passed INTEGER, defects INTEGER );
