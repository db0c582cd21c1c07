CREATE TABLE clients (
  client_id INTEGER PRIMARY KEY,
  "client name" TEXT,
  sector TEXT, -- 'public', 'industry', 'housing', 'retail'
  "contact email" TEXT
);
CREATE TABLE buildings (
  building_id INTEGER PRIMARY KEY,
  client_id INTEGER REFERENCES clients(client_id),
  address TEXT,
  city TEXT,
  "year built" INTEGER,
  "floor area" REAL, -- square metres
  "heating type" TEXT, -- 'gas', 'oil', 'district', 'heat pump'
  listed INTEGER -- 1 = listed monument
);
CREATE TABLE auditors (
  auditor_id INTEGER PRIMARY KEY,
  name TEXT,
  "certified until" DATE,
  "day rate" REAL
);
CREATE TABLE audits (
  audit_id INTEGER PRIMARY KEY,
  building_id INTEGER REFERENCES buildings(building_id),
  auditor_id INTEGER REFERENCES auditors(auditor_id),
  "ordered on" DATE,
  "visit date" DATE,
  "report date" DATE, -- NULL = report outstanding
  "energy class" TEXT, -- 'A' best .. 'G' worst
  "energy use" REAL, -- kWh per square metre and year
  fee REAL
);
CREATE TABLE meters (
  meter_id INTEGER PRIMARY KEY,
  building_id INTEGER REFERENCES buildings(building_id),
  medium TEXT, -- 'electricity', 'gas', 'heat', 'water'
  "installed on" DATE
);
CREATE TABLE readings (
  meter_id INTEGER REFERENCES meters(meter_id),
  "reading month" TEXT, -- YYYY-MM
  consumption REAL,
  cost REAL,
  estimated INTEGER, -- 1 = estimated, 0 = read
  PRIMARY KEY (meter_id, "reading month")
);
CREATE TABLE measures (
  measure_id INTEGER PRIMARY KEY,
  "measure name" TEXT,
  category TEXT -- 'envelope', 'heating', 'lighting', 'behaviour'
);
CREATE TABLE recommendations (
  recommendation_id INTEGER PRIMARY KEY,
  audit_id INTEGER REFERENCES audits(audit_id),
  measure_id INTEGER REFERENCES measures(measure_id),
  "investment cost" REAL,
  "yearly saving" REAL, -- money
  "yearly saving kwh" REAL,
  priority INTEGER, -- 1 high .. 3 low
  "done on" DATE -- NULL = not carried out
);
