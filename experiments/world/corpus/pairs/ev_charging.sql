CREATE TABLE dim_operator (
  operator_id INTEGER PRIMARY KEY,
  operator_name TEXT NOT NULL,
  country_code TEXT, -- ISO 2 letters
  support_phone TEXT
);
CREATE TABLE dim_site (
  site_id INTEGER PRIMARY KEY,
  operator_id INTEGER REFERENCES dim_operator(operator_id),
  site_name TEXT,
  city TEXT,
  region TEXT,
  site_type TEXT, -- HWY = motorway, CITY = city centre, RTL = retail park, WRK = workplace
  opened_on DATE,
  closed_on DATE
);
CREATE TABLE tbl_charger (
  charger_id INTEGER PRIMARY KEY,
  site_id INTEGER REFERENCES dim_site(site_id),
  serial_no TEXT,
  maker TEXT,
  max_kw REAL,
  status TEXT, -- A available, F faulted, M maintenance, R retired
  installed_on DATE
);
CREATE TABLE tbl_connector (
  connector_id INTEGER PRIMARY KEY,
  charger_id INTEGER REFERENCES tbl_charger(charger_id),
  plug_type TEXT, -- CCS, CHAdeMO, Type2
  kw_limit REAL
);
CREATE TABLE dim_tariff (
  tariff_id INTEGER PRIMARY KEY,
  tariff_name TEXT,
  price_per_kwh REAL,
  start_fee REAL,
  idle_fee_min REAL
);
CREATE TABLE t_driver (
  driver_id INTEGER PRIMARY KEY,
  full_name TEXT,
  email TEXT,
  home_city TEXT,
  signup_date DATE,
  default_tariff_id INTEGER REFERENCES dim_tariff(tariff_id),
  is_fleet INTEGER -- 1 = fleet account
);
CREATE TABLE fct_session (
  session_id INTEGER PRIMARY KEY,
  driver_id INTEGER REFERENCES t_driver(driver_id), -- NULL for ad-hoc card payment
  connector_id INTEGER REFERENCES tbl_connector(connector_id),
  tariff_id INTEGER REFERENCES dim_tariff(tariff_id),
  started_at DATETIME,
  ended_at DATETIME,
  kwh REAL,
  amount_cents INTEGER,
  end_reason TEXT -- USER, FULL, ERR, TMO
);
CREATE TABLE fct_fault (
  fault_id INTEGER PRIMARY KEY,
  charger_id INTEGER REFERENCES tbl_charger(charger_id),
  reported_at DATETIME,
  resolved_at DATETIME,
  severity INTEGER, -- 1 low .. 4 critical
  fault_code TEXT
);
