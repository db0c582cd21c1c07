CREATE TABLE careteam (careteamid INTEGER PRIMARY KEY, teamname TEXT, district TEXT);
CREATE TABLE caregiver (caregiverid INTEGER PRIMARY KEY, careteamid INTEGER REFERENCES careteam(careteamid), fullname TEXT, qualification TEXT, -- RN nurse, CA care assistant, TR trainee
 hiredate TEXT, enddate TEXT, hourlywage REAL);
CREATE TABLE client (clientid INTEGER PRIMARY KEY, fullname TEXT, birthdate TEXT, district TEXT, carelevel INTEGER, -- 1 to 5
 livesalone INTEGER, startdate TEXT, enddate TEXT);
CREATE TABLE familycontact (contactid INTEGER PRIMARY KEY, clientid INTEGER REFERENCES client(clientid), contactname TEXT, relation TEXT, phone TEXT, isprimary INTEGER);
CREATE TABLE careservice (servicecode TEXT PRIMARY KEY, servicename TEXT, tariffcents INTEGER, plannedminutes INTEGER, needsnurse INTEGER);
CREATE TABLE carevisit (visitid INTEGER PRIMARY KEY, clientid INTEGER REFERENCES client(clientid), caregiverid INTEGER REFERENCES caregiver(caregiverid), plannedstart TEXT, actualstart TEXT, actualend TEXT, visitstatus TEXT); -- PLN planned, DON done, MIS missed, CAN cancelled
CREATE TABLE visit_service (visitid INTEGER REFERENCES carevisit(visitid), servicecode TEXT REFERENCES careservice(servicecode), wasdone INTEGER, PRIMARY KEY (visitid, servicecode));
CREATE TABLE medication_order (orderid INTEGER PRIMARY KEY, clientid INTEGER REFERENCES client(clientid), drugname TEXT, dosemg REAL, startdate TEXT, stopdate TEXT);
CREATE TABLE incident (incidentid INTEGER PRIMARY KEY, clientid INTEGER REFERENCES client(clientid), visitid INTEGER REFERENCES carevisit(visitid), incidentdate TEXT, kind TEXT, -- fall, medication, other
 hospitalised INTEGER);
