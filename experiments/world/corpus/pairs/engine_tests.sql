CREATE TABLE test_benches (
  bench_id INTEGER PRIMARY KEY,
  bench_name TEXT,
  building TEXT,
  max_power_kw REAL,
  commissioned_on DATE,
  is_operational INTEGER -- 1 yes, 0 no
);
CREATE TABLE engine_families (
  family_id INTEGER PRIMARY KEY,
  family_name TEXT,
  fuel TEXT, -- diesel, petrol, gas, hydrogen
  cylinders INTEGER,
  displacement_litres REAL,
  rated_power_kw REAL
);
CREATE TABLE engines (
  engine_id INTEGER PRIMARY KEY,
  family_id INTEGER REFERENCES engine_families(family_id),
  serial_number TEXT,
  built_on DATE,
  prototype_stage TEXT, -- A, B, C, S = series
  scrapped_on DATE
);
CREATE TABLE engineers (
  engineer_id INTEGER PRIMARY KEY,
  full_name TEXT,
  department TEXT,
  joined_on DATE
);
CREATE TABLE test_runs (
  test_run_id INTEGER PRIMARY KEY,
  engine_id INTEGER REFERENCES engines(engine_id),
  bench_id INTEGER REFERENCES test_benches(bench_id),
  engineer_id INTEGER REFERENCES engineers(engineer_id),
  test_type TEXT, -- performance, endurance, emission, cold_start, calibration
  started_at DATETIME,
  ended_at DATETIME, -- null = running
  verdict TEXT, -- pass, fail, aborted, null = not judged
  fuel_used_litres REAL
);
CREATE TABLE measurements (
  measurement_id INTEGER PRIMARY KEY,
  test_run_id INTEGER REFERENCES test_runs(test_run_id),
  measured_at DATETIME,
  speed_rpm INTEGER,
  torque_nm REAL,
  power_kw REAL,
  exhaust_temperature_c REAL,
  nox_ppm REAL
);
CREATE TABLE failures (
  failure_id INTEGER PRIMARY KEY,
  test_run_id INTEGER REFERENCES test_runs(test_run_id),
  component TEXT, -- piston, valve, turbo, injector, bearing, sensor
  severity INTEGER, -- 1 minor, 2 major, 3 critical
  occurred_at DATETIME,
  running_hours REAL
);
CREATE TABLE bench_bookings (
  booking_id INTEGER PRIMARY KEY,
  bench_id INTEGER REFERENCES test_benches(bench_id),
  engineer_id INTEGER REFERENCES engineers(engineer_id),
  booked_from DATE,
  booked_to DATE,
  cancelled INTEGER, -- 1 / 0
  cost_centre TEXT
);
