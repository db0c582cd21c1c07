CREATE TABLE Station (
  StationID INTEGER PRIMARY KEY,
  station_name TEXT,
  district TEXT,
  bays INTEGER
);
CREATE TABLE vehicles (
  vehicle_id INTEGER PRIMARY KEY,
  StationID INTEGER REFERENCES Station(StationID),
  callSign TEXT,
  plate_no TEXT,
  vehicleType TEXT, -- ALS, BLS, ICU
  first_reg_date DATE,
  purchase_date DATE,
  retired_date DATE,
  start_km INTEGER,
  current_km INTEGER
);
CREATE TABLE CREW_MEMBER (
  crew_id INTEGER PRIMARY KEY,
  full_name TEXT,
  display_name TEXT,
  grade TEXT, -- PAR paramedic, EMT, DOC doctor, DRV driver
  homeStation INTEGER REFERENCES Station(StationID),
  hired DATE,
  left_on DATE
);
CREATE TABLE hospital (
  hospitalCode TEXT PRIMARY KEY,
  hospital_name TEXT,
  trauma_level INTEGER -- 1 highest
);
CREATE TABLE calls (
  call_id INTEGER PRIMARY KEY,
  call_time DATETIME,
  priority TEXT, -- P1, P2, P3
  reported_type TEXT,
  confirmed_type TEXT, -- cardiac, trauma, stroke, other, false alarm
  district TEXT
);
CREATE TABLE missions (
  mission_id INTEGER PRIMARY KEY,
  call_id INTEGER REFERENCES calls(call_id),
  vehicle_id INTEGER REFERENCES vehicles(vehicle_id),
  dispatch_time DATETIME,
  depart_time DATETIME,
  arrive_time DATETIME,
  hospital_time DATETIME, -- null = no transport
  clear_time DATETIME,
  hospitalCode TEXT REFERENCES hospital(hospitalCode),
  planned_km REAL,
  driven_km REAL
);
CREATE TABLE mission_crew (
  mission_id INTEGER REFERENCES missions(mission_id),
  crew_id INTEGER REFERENCES CREW_MEMBER(crew_id),
  role TEXT, -- lead, driver, assist
  PRIMARY KEY (mission_id, crew_id)
);
CREATE TABLE workshopVisit (
  visit_id INTEGER PRIMARY KEY,
  vehicle_id INTEGER REFERENCES vehicles(vehicle_id),
  in_date DATE,
  out_date DATE,
  reason TEXT, -- service, repair, accident
  estimated_cost REAL,
  actual_cost REAL
);
