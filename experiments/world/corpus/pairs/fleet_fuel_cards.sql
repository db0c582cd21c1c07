CREATE TABLE departments (
  department_id INTEGER PRIMARY KEY, department_name TEXT, cost_center TEXT, monthly_fuel_budget REAL -- euros
);
CREATE TABLE vehicles (
  vehicle_id INTEGER PRIMARY KEY, license_plate TEXT, department_id INTEGER REFERENCES departments(department_id),
  fuel_type TEXT, -- diesel, petrol, electric, hybrid
  tank_capacity_liters REAL, rated_consumption REAL, -- litres per 100 km
  acquired_on TEXT, retired_on TEXT
);
CREATE TABLE drivers (
  driver_id INTEGER PRIMARY KEY, first_name TEXT, last_name TEXT, department_id INTEGER REFERENCES departments(department_id), hired_on TEXT, terminated_on TEXT
);
CREATE TABLE fuel_cards (
  card_id INTEGER PRIMARY KEY, card_number TEXT, vehicle_id INTEGER REFERENCES vehicles(vehicle_id), driver_id INTEGER REFERENCES drivers(driver_id), -- NULL: pool card
  issued_on TEXT, expires_on TEXT, blocked_on TEXT, daily_limit REAL, card_status TEXT -- A active, B blocked, E expired
);
CREATE TABLE station_brands (
  brand_id INTEGER PRIMARY KEY, brand_name TEXT, discount_percent REAL
);
CREATE TABLE stations (
  station_id INTEGER PRIMARY KEY, station_name TEXT, brand_id INTEGER REFERENCES station_brands(brand_id), city TEXT, country_code TEXT, on_motorway INTEGER -- 1 yes
);
CREATE TABLE transactions (
  transaction_id INTEGER PRIMARY KEY, card_id INTEGER REFERENCES fuel_cards(card_id), station_id INTEGER REFERENCES stations(station_id),
  transacted_at TEXT, -- YYYY-MM-DD HH:MM:SS
  product_code TEXT, -- DSL, SUP, WSH car wash, SHP shop
  quantity_liters REAL, gross_amount REAL, discount_amount REAL, odometer_reading INTEGER, declined INTEGER -- 1 declined
);
CREATE TABLE disputes (
  dispute_id INTEGER PRIMARY KEY, transaction_id INTEGER REFERENCES transactions(transaction_id), opened_on TEXT, closed_on TEXT, resolution TEXT, -- refunded, rejected
  refunded_amount REAL
);
