CREATE TABLE dim_site (site_key INTEGER PRIMARY KEY, site_name TEXT, town TEXT, opened_on TEXT, bay_count INTEGER, has_vacuum INTEGER);
CREATE TABLE dim_program (program_key INTEGER PRIMARY KEY, program_name TEXT, price_cents INTEGER, duration_min INTEGER, water_liters REAL, tier TEXT); -- tier: B basic, P plus, X premium
CREATE TABLE tbl_customer (customer_id INTEGER PRIMARY KEY, full_name TEXT, phone TEXT, joined_on TEXT, home_site_key INTEGER REFERENCES dim_site(site_key));
CREATE TABLE tbl_vehicle (vehicle_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES tbl_customer(customer_id), plate TEXT, make TEXT, body_type TEXT); -- SUV, SEDAN, VAN, HATCH
CREATE TABLE t_subscription (sub_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES tbl_customer(customer_id), program_key INTEGER REFERENCES dim_program(program_key), start_dt TEXT, end_dt TEXT, monthly_fee_cents INTEGER); -- end_dt NULL: still active
CREATE TABLE fct_wash (
  wash_id INTEGER PRIMARY KEY, site_key INTEGER REFERENCES dim_site(site_key), program_key INTEGER REFERENCES dim_program(program_key), vehicle_id INTEGER REFERENCES tbl_vehicle(vehicle_id), -- NULL for anonymous washes
  staff_id INTEGER REFERENCES tbl_staff(staff_id), started_at TEXT, finished_at TEXT, paid_cents INTEGER, tip_cents INTEGER, pay_type TEXT, -- C cash, K card, S subscription
  water_used REAL);
CREATE TABLE tbl_staff (staff_id INTEGER PRIMARY KEY, staff_name TEXT, site_key INTEGER REFERENCES dim_site(site_key), hired_on TEXT, hourly_wage REAL);
CREATE TABLE fct_maintenance (maint_id INTEGER PRIMARY KEY, site_key INTEGER REFERENCES dim_site(site_key), reported_on TEXT, fixed_on TEXT, part TEXT, cost_eur REAL);
CREATE TABLE t_review (review_id INTEGER PRIMARY KEY, wash_id INTEGER REFERENCES fct_wash(wash_id), stars INTEGER, comment TEXT, posted_on TEXT);
