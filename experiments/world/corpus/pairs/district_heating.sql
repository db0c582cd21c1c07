CREATE TABLE plant (
  code TEXT PRIMARY KEY,
  name TEXT,
  fuel TEXT, -- GAS, WOOD, WASTE, GEO
  capacity_mw REAL,
  "since" DATE
);
CREATE TABLE network (
  code TEXT PRIMARY KEY,
  name TEXT,
  plant_code TEXT REFERENCES plant(code),
  length_km REAL
);
CREATE TABLE substation (
  code TEXT PRIMARY KEY,
  network_code TEXT REFERENCES network(code),
  street TEXT,
  built DATE,
  kw INTEGER
);
CREATE TABLE "user" (
  code INTEGER PRIMARY KEY,
  name TEXT,
  "type" TEXT, -- H household, B business, P public
  substation_code TEXT REFERENCES substation(code),
  "from" DATE,
  "to" DATE -- null = connected
);
CREATE TABLE meter (
  code TEXT PRIMARY KEY,
  user_code INTEGER REFERENCES "user"(code),
  maker TEXT,
  installed DATE,
  calibrated DATE
);
CREATE TABLE "read" (
  meter_code TEXT REFERENCES meter(code),
  "date" DATE,
  "value" REAL, -- kWh of the month ended
  estimated INTEGER, -- 1 estimated, 0 real
  PRIMARY KEY (meter_code, "date")
);
CREATE TABLE tariff (
  code TEXT PRIMARY KEY,
  name TEXT,
  base_fee REAL,
  kwh_price REAL
);
CREATE TABLE contract (
  code INTEGER PRIMARY KEY,
  user_code INTEGER REFERENCES "user"(code),
  tariff_code TEXT REFERENCES tariff(code),
  "start" DATE,
  "end" DATE
);
CREATE TABLE outage (
  code INTEGER PRIMARY KEY,
  network_code TEXT REFERENCES network(code),
  "begin" DATETIME,
  "end" DATETIME, -- null = going on
  cause TEXT, -- LEAK, PUMP, POWER, WORKS
  "case" TEXT
);
CREATE TABLE output (
  plant_code TEXT REFERENCES plant(code),
  "month" TEXT, -- YYYY-MM
  mwh REAL,
  fuel_cost REAL,
  co2_t REAL,
  PRIMARY KEY (plant_code, "month")
);
