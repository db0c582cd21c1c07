CREATE TABLE Person (person_id INTEGER PRIMARY KEY, surname TEXT, birth_name TEXT, givenNames TEXT, birth_date TEXT, death_date TEXT, res_city TEXT, birth_city TEXT);
CREATE TABLE licence (licenceNo TEXT PRIMARY KEY, person_id INTEGER REFERENCES Person(person_id), office_cd TEXT REFERENCES tbl_office(office_cd), applied_dt TEXT, issued_dt TEXT, validFrom TEXT, validTo TEXT, printed_dt TEXT, state TEXT); -- ACT active, EXP expired, SUS suspended, REV revoked
CREATE TABLE licence_category (licenceNo TEXT REFERENCES licence(licenceNo), categoryCode TEXT, -- A, B, C, D, BE, CE
 granted_dt TEXT, expiry_dt TEXT, PRIMARY KEY (licenceNo, categoryCode));
CREATE TABLE tbl_office (office_cd TEXT PRIMARY KEY, officeName TEXT, city TEXT, county TEXT);
CREATE TABLE DrivingSchool (schoolId INTEGER PRIMARY KEY, name TEXT, trading_name TEXT, city TEXT, accredited_from TEXT, accredited_to TEXT);
CREATE TABLE examiner (examiner_id INTEGER PRIMARY KEY, name TEXT, office_cd TEXT REFERENCES tbl_office(office_cd));
CREATE TABLE test_attempt (attempt_id INTEGER PRIMARY KEY, person_id INTEGER REFERENCES Person(person_id), schoolId INTEGER REFERENCES DrivingSchool(schoolId), examiner_id INTEGER REFERENCES examiner(examiner_id), testKind TEXT, -- T theory, P practical
 categoryCode TEXT, booked_date TEXT, test_date TEXT, score INTEGER, max_score INTEGER, pass_score INTEGER, passed INTEGER, fee_charged REAL, fee_paid REAL);
CREATE TABLE Offence (offence_id INTEGER PRIMARY KEY, licenceNo TEXT REFERENCES licence(licenceNo), offence_date TEXT, registered_date TEXT, kind TEXT, -- SPD speeding, ALC alcohol, PHN phone, OTH
 points INTEGER, fine_amount REAL, fine_paid_amount REAL);
CREATE TABLE suspension (suspensionId INTEGER PRIMARY KEY, licenceNo TEXT REFERENCES licence(licenceNo), start_date TEXT, planned_end TEXT, actual_end TEXT, reason TEXT);
