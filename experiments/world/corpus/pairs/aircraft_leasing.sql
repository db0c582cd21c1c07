CREATE TABLE manufacturers (
  manufacturer_id INTEGER PRIMARY KEY,
  manufacturer_name TEXT,
  country TEXT
);
CREATE TABLE aircraft_types (
  aircraft_type_id INTEGER PRIMARY KEY,
  manufacturer_id INTEGER REFERENCES manufacturers(manufacturer_id),
  type_name TEXT,
  seats INTEGER,
  body TEXT -- narrow, wide, regional
);
CREATE TABLE aircraft (
  aircraft_id INTEGER PRIMARY KEY,
  aircraft_type_id INTEGER REFERENCES aircraft_types(aircraft_type_id),
  serial_number TEXT,
  registration TEXT,
  build_date DATE,
  purchase_date DATE,
  purchase_price_usd REAL,
  book_value_usd REAL,
  sale_date DATE -- null while owned
);
CREATE TABLE airlines (
  airline_id INTEGER PRIMARY KEY,
  airline_name TEXT,
  iata_code TEXT,
  country TEXT,
  credit_rating TEXT -- AAA ... D, null = unrated
);
CREATE TABLE leases (
  lease_id INTEGER PRIMARY KEY,
  aircraft_id INTEGER REFERENCES aircraft(aircraft_id),
  airline_id INTEGER REFERENCES airlines(airline_id),
  lease_type TEXT, -- dry, wet, finance
  start_date DATE,
  end_date DATE,
  terminated_date DATE, -- early termination
  monthly_rent_usd REAL,
  security_deposit_usd REAL
);
CREATE TABLE rent_invoices (
  invoice_id INTEGER PRIMARY KEY,
  lease_id INTEGER REFERENCES leases(lease_id),
  invoice_date DATE,
  due_date DATE,
  paid_date DATE,
  amount_usd REAL
);
CREATE TABLE utilization_reports (
  lease_id INTEGER REFERENCES leases(lease_id),
  report_month TEXT, -- YYYY-MM
  flight_hours REAL,
  flight_cycles INTEGER,
  PRIMARY KEY (lease_id, report_month)
);
CREATE TABLE maintenance_events (
  maintenance_event_id INTEGER PRIMARY KEY,
  aircraft_id INTEGER REFERENCES aircraft(aircraft_id),
  check_type TEXT, -- A, C, D, ENG
  start_date DATE,
  end_date DATE,
  cost_usd REAL,
  paid_by TEXT -- lessor, lessee
);
