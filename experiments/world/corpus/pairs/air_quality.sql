CREATE TABLE stations (station_id TEXT PRIMARY KEY, stationName TEXT, displayname TEXT, city TEXT, municipality TEXT, area_type TEXT, -- U urban, S suburban, R rural
  lat REAL, lon REAL, altitude INTEGER, opened_on TEXT, commissioned_on TEXT, closed_on TEXT, OperatorID INTEGER REFERENCES Operators(OperatorID));
CREATE TABLE Operators (OperatorID INTEGER PRIMARY KEY, OperatorName TEXT, legal_name TEXT, contact_email TEXT, support_email TEXT);
CREATE TABLE pollutant (pcode TEXT PRIMARY KEY, -- PM25, PM10, NO2, O3, SO2, CO
  pollutantName TEXT, unit TEXT, limit_hourly REAL, limit_daily REAL, limit_annual REAL);
CREATE TABLE sensorUnit (unitId INTEGER PRIMARY KEY, station_id TEXT REFERENCES stations(station_id), pcode TEXT REFERENCES pollutant(pcode), serial_no TEXT, installed_on TEXT, removed_on TEXT, last_service TEXT, next_service TEXT);
CREATE TABLE MEASUREMENT (meas_id INTEGER PRIMARY KEY, unitId INTEGER REFERENCES sensorUnit(unitId), measured_at TEXT, received_at TEXT, validated_at TEXT, value_raw REAL, value_corr REAL, status TEXT); -- V valid, P provisional, X rejected
CREATE TABLE daily_summary (station_id TEXT REFERENCES stations(station_id), pcode TEXT REFERENCES pollutant(pcode), day TEXT, avg_value REAL, max_value REAL, min_value REAL, valid_hours INTEGER, PRIMARY KEY (station_id, pcode, day));
CREATE TABLE Alerts (AlertID INTEGER PRIMARY KEY, station_id TEXT REFERENCES stations(station_id), pcode TEXT REFERENCES pollutant(pcode), issued_at TEXT, starts_at TEXT, ends_at TEXT, withdrawn_at TEXT, alertlevel TEXT); -- Y yellow, O orange, R red
CREATE TABLE complaint (complaintNo INTEGER PRIMARY KEY, station_id TEXT REFERENCES stations(station_id), reported_on TEXT, resolved_on TEXT, topic TEXT, citizen_name TEXT, handled_by TEXT);
CREATE TABLE weather (station_id TEXT REFERENCES stations(station_id), day TEXT, temp_avg REAL, temp_max REAL, windSpeed REAL, wind_gust REAL, rain_mm REAL, PRIMARY KEY (station_id, day));
