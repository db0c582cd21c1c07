CREATE TABLE residence (
  residence_id INTEGER PRIMARY KEY,
  residencename TEXT,
  city TEXT,
  licensedbeds INTEGER
);
CREATE TABLE unit (
  unit_id INTEGER PRIMARY KEY,
  residence_id INTEGER REFERENCES residence(residence_id),
  unitnumber TEXT,
  unittype TEXT, -- studio, onebed, twobed, memory
  monthlyrate REAL
);
CREATE TABLE resident (
  resident_id INTEGER PRIMARY KEY,
  firstname TEXT,
  lastname TEXT,
  birthdate DATE,
  gender TEXT, -- F, M
  carelevel INTEGER, -- 1 low .. 5 high
  mobility TEXT -- W walks, A aid, C wheelchair, B bedbound
);
CREATE TABLE stay (
  stay_id INTEGER PRIMARY KEY,
  resident_id INTEGER REFERENCES resident(resident_id),
  unit_id INTEGER REFERENCES unit(unit_id),
  movein DATE,
  moveout DATE, -- null = living here
  outreason TEXT -- hospital, family, deceased, other
);
CREATE TABLE caregiver (
  caregiver_id INTEGER PRIMARY KEY,
  fullname TEXT,
  residence_id INTEGER REFERENCES residence(residence_id),
  jobtitle TEXT, -- RN, LPN, aide
  hourlypay REAL,
  hiredate DATE,
  quitdate DATE
);
CREATE TABLE shift (
  shift_id INTEGER PRIMARY KEY,
  caregiver_id INTEGER REFERENCES caregiver(caregiver_id),
  shiftdate DATE,
  shiftkind TEXT, -- day, evening, night
  hoursworked REAL
);
CREATE TABLE incident (
  incident_id INTEGER PRIMARY KEY,
  resident_id INTEGER REFERENCES resident(resident_id),
  caregiver_id INTEGER REFERENCES caregiver(caregiver_id), -- reported by
  incidentdate DATE,
  kind TEXT, -- fall, medication, elopement, injury
  severity INTEGER, -- 1..4
  familynotified INTEGER -- 1/0
);
CREATE TABLE medication (
  medication_id INTEGER PRIMARY KEY,
  resident_id INTEGER REFERENCES resident(resident_id),
  drugname TEXT,
  dose TEXT,
  startdate DATE,
  stopdate DATE -- null = still taken
);
CREATE TABLE familycontact (
  contact_id INTEGER PRIMARY KEY,
  resident_id INTEGER REFERENCES resident(resident_id),
  contactname TEXT,
  relation TEXT, -- daughter, son, spouse, other
  phone TEXT,
  isprimary INTEGER -- 1/0
);
CREATE TABLE visit (
  visit_id INTEGER PRIMARY KEY,
  contact_id INTEGER REFERENCES familycontact(contact_id),
  visitdate DATE,
  minutes INTEGER
);
