CREATE TABLE clinics (
  clinic_id INTEGER PRIMARY KEY,
  clinic_name TEXT,
  city TEXT,
  contract_since DATE
);
CREATE TABLE physicians (
  physician_id INTEGER PRIMARY KEY,
  full_name TEXT,
  specialty TEXT,
  clinic_id INTEGER REFERENCES clinics(clinic_id)
);
CREATE TABLE patients (
  patient_id INTEGER PRIMARY KEY,
  first_name TEXT,
  last_name TEXT,
  birth_date DATE,
  sex TEXT, -- 'F', 'M', 'U' unknown
  insurance_type TEXT -- 'STAT' statutory, 'PRIV' private, 'SELF' self-payer
);
CREATE TABLE test_types (
  test_type_id INTEGER PRIMARY KEY,
  test_name TEXT,
  unit TEXT,
  panel TEXT, -- 'haematology', 'chemistry', 'hormones', 'coagulation'
  reference_low REAL,
  reference_high REAL,
  price REAL
);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  patient_id INTEGER REFERENCES patients(patient_id),
  physician_id INTEGER REFERENCES physicians(physician_id),
  ordered_at DATETIME,
  priority TEXT, -- 'S' stat, 'R' routine
  cancelled_at DATETIME
);
CREATE TABLE samples (
  sample_id INTEGER PRIMARY KEY,
  order_id INTEGER REFERENCES orders(order_id),
  tube_type TEXT, -- 'EDTA', 'SST', 'CIT'
  drawn_at DATETIME,
  received_at DATETIME,
  rejected_reason TEXT -- NULL = accepted
);
CREATE TABLE analyzers (
  analyzer_id INTEGER PRIMARY KEY,
  model TEXT,
  serial_number TEXT,
  installed_on DATE,
  last_service_on DATE
);
CREATE TABLE results (
  result_id INTEGER PRIMARY KEY,
  sample_id INTEGER REFERENCES samples(sample_id),
  test_type_id INTEGER REFERENCES test_types(test_type_id),
  analyzer_id INTEGER REFERENCES analyzers(analyzer_id),
  measured_at DATETIME,
  value REAL,
  validated_at DATETIME, -- NULL = not yet validated
  validated_by TEXT
);
CREATE TABLE invoices (
  invoice_id INTEGER PRIMARY KEY,
  order_id INTEGER REFERENCES orders(order_id),
  issued_on DATE,
  paid_on DATE,
  amount REAL
);
