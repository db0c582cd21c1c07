CREATE TABLE client (client_id INTEGER PRIMARY KEY, clientname TEXT, country TEXT, contactperson TEXT, creditlimit REAL);
CREATE TABLE instrument (instrument_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client(client_id), serialno TEXT, maker TEXT, modelname TEXT,
  quantity_code TEXT REFERENCES quantity(quantity_code), rangemin REAL, rangemax REAL, intervalmonths INTEGER, purchasedate TEXT);
CREATE TABLE quantity (quantity_code TEXT PRIMARY KEY, quantityname TEXT, baseunit TEXT); -- TMP, PRS, MAS, LEN, ELV
CREATE TABLE technician (technician_id INTEGER PRIMARY KEY, fullname TEXT, startdate TEXT, leavedate TEXT, sitename TEXT);
CREATE TABLE authorization (technician_id INTEGER REFERENCES technician(technician_id), quantity_code TEXT REFERENCES quantity(quantity_code), granteddate TEXT, expirydate TEXT, PRIMARY KEY (technician_id, quantity_code));
CREATE TABLE workorder (workorder_id INTEGER PRIMARY KEY, client_id INTEGER REFERENCES client(client_id), receiveddate TEXT, promiseddate TEXT, shippeddate TEXT, priority TEXT, -- N normal, X express
  orderstatus TEXT); -- open, done, cancelled
CREATE TABLE calibration (calibration_id INTEGER PRIMARY KEY, workorder_id INTEGER REFERENCES workorder(workorder_id), instrument_id INTEGER REFERENCES instrument(instrument_id), technician_id INTEGER REFERENCES technician(technician_id),
  standard_id INTEGER REFERENCES referencestandard(standard_id), caldate TEXT, duedate TEXT, asfound TEXT, -- I in tolerance, O out of tolerance
  asleft TEXT, price REAL, minutesspent INTEGER, certificateno TEXT);
CREATE TABLE referencestandard (standard_id INTEGER PRIMARY KEY, standardname TEXT, quantity_code TEXT REFERENCES quantity(quantity_code), lastcal TEXT, nextcal TEXT, uncertainty REAL);
CREATE TABLE measurementpoint (point_id INTEGER PRIMARY KEY, calibration_id INTEGER REFERENCES calibration(calibration_id), nominal REAL, measured REAL, tolerance REAL, phase TEXT); -- F as found, L as left
