CREATE TABLE district (code TEXT PRIMARY KEY, name TEXT, population INTEGER);
CREATE TABLE applicant (code TEXT PRIMARY KEY, name TEXT, kind TEXT, -- OWN owner, DEV developer, PUB public body
 city TEXT, email TEXT);
CREATE TABLE architect (code TEXT PRIMARY KEY, name TEXT, licence_until TEXT);
CREATE TABLE officer (code TEXT PRIMARY KEY, name TEXT, desk TEXT, "from" TEXT, "to" TEXT);
CREATE TABLE permit (code TEXT PRIMARY KEY, district_code TEXT REFERENCES district(code), applicant_code TEXT REFERENCES applicant(code), architect_code TEXT REFERENCES architect(code), officer_code TEXT REFERENCES officer(code), "type" TEXT, -- NEW, ALT alteration, DEM demolition
 "use" TEXT, -- residential, office, retail, industrial
 filed_on TEXT, decided_on TEXT, "status" TEXT, -- P pending, G granted, R refused, W withdrawn
 floor_area REAL, dwellings INTEGER, est_cost REAL);
CREATE TABLE "check" (code TEXT PRIMARY KEY, permit_code TEXT REFERENCES permit(code), "order" INTEGER, topic TEXT, -- fire, zoning, heritage, traffic
 "result" TEXT, -- OK, NOK, NULL open
 "date" TEXT);
CREATE TABLE objection (code TEXT PRIMARY KEY, permit_code TEXT REFERENCES permit(code), "by" TEXT, "date" TEXT, upheld INTEGER);
CREATE TABLE fee (code TEXT PRIMARY KEY, permit_code TEXT REFERENCES permit(code), amount REAL, due_on TEXT, paid_on TEXT);
CREATE TABLE inspection (code TEXT PRIMARY KEY, permit_code TEXT REFERENCES permit(code), officer_code TEXT REFERENCES officer(code), "date" TEXT, "passed" INTEGER, "comment" TEXT);
