CREATE TABLE depots (
  depot_id INTEGER PRIMARY KEY,
  depot_name TEXT,
  short_name TEXT,
  city TEXT,
  grid_limit_kw REAL,
  contracted_kw REAL
);
CREATE TABLE Bus (
  BusID INTEGER PRIMARY KEY,
  fleetNo TEXT,
  plate_no TEXT,
  model TEXT,
  maker TEXT,
  home_depot_id INTEGER REFERENCES depots(depot_id),
  battery_kwh REAL, -- nominal
  usable_kwh REAL,
  delivered_on DATE,
  first_service_on DATE,
  retired_on DATE
);
CREATE TABLE chargers (
  charger_id INTEGER PRIMARY KEY,
  depot_id INTEGER REFERENCES depots(depot_id),
  charger_type TEXT, -- 'PLUG', 'PANTO'
  rated_kw REAL,
  max_kw REAL,
  status TEXT, -- 'OK', 'FAULT', 'OFF'
  installed_on DATE
);
CREATE TABLE charge_session (
  session_id INTEGER PRIMARY KEY,
  BusID INTEGER REFERENCES Bus(BusID),
  charger_id INTEGER REFERENCES chargers(charger_id),
  plugged_at DATETIME,
  started_at DATETIME,
  ended_at DATETIME,
  unplugged_at DATETIME,
  soc_start REAL, -- percent
  soc_end REAL,
  soc_target REAL,
  energy_kwh REAL, -- delivered to the bus
  grid_kwh REAL, -- drawn from the grid
  stop_reason TEXT -- 'TARGET', 'USER', 'ERROR'
);
CREATE TABLE tariffs (
  tariff_code TEXT PRIMARY KEY,
  tariffName TEXT,
  price_kwh REAL,
  green_flag INTEGER -- 1/0
);
CREATE TABLE depotTariff (
  depot_id INTEGER REFERENCES depots(depot_id),
  tariff_code TEXT REFERENCES tariffs(tariff_code),
  valid_from DATE,
  valid_to DATE, -- NULL = current
  PRIMARY KEY (depot_id, valid_from)
);
CREATE TABLE trips (
  trip_id INTEGER PRIMARY KEY,
  BusID INTEGER REFERENCES Bus(BusID),
  line_no TEXT,
  trip_date DATE,
  planned_km REAL,
  actual_km REAL,
  used_kwh REAL,
  outside_temp REAL,
  cancelled INTEGER
);
CREATE TABLE fault_log (
  fault_id INTEGER PRIMARY KEY,
  charger_id INTEGER REFERENCES chargers(charger_id),
  reported_at DATETIME,
  confirmed_at DATETIME,
  resolved_at DATETIME, -- NULL = unresolved
  severity INTEGER, -- 1 minor .. 4 critical
  fault_code TEXT
);
