CREATE TABLE agency (
  agency_id INTEGER PRIMARY KEY,
  "agency name" TEXT,
  county TEXT,
  "agency type" TEXT -- PD police, SO sheriff, ST state, FE federal
);
CREATE TABLE "case file" (
  "case no" TEXT PRIMARY KEY,
  agency_id INTEGER REFERENCES agency(agency_id),
  "offence type" TEXT, -- homicide, burglary, drugs, assault, arson, dui
  "offence date" DATE,
  "received date" DATE,
  "closed date" DATE,
  priority INTEGER -- 1 rush, 2 normal, 3 low
);
CREATE TABLE evidence (
  evidence_id INTEGER PRIMARY KEY,
  "case no" TEXT REFERENCES "case file"("case no"),
  description TEXT,
  "evidence type" TEXT, -- DNA, LAT (latent print), FIR (firearm), DRG, TOX, TRC (trace)
  "received date" DATE,
  "returned date" DATE,
  "storage location" TEXT
);
CREATE TABLE section (
  section_code TEXT PRIMARY KEY,
  "section name" TEXT,
  "target days" INTEGER
);
CREATE TABLE analyst (
  analyst_id INTEGER PRIMARY KEY,
  "first name" TEXT,
  "last name" TEXT,
  section_code TEXT REFERENCES section(section_code),
  "hire date" DATE,
  certified INTEGER -- 1 / 0
);
CREATE TABLE "lab test" (
  test_id INTEGER PRIMARY KEY,
  evidence_id INTEGER REFERENCES evidence(evidence_id),
  analyst_id INTEGER REFERENCES analyst(analyst_id),
  section_code TEXT REFERENCES section(section_code),
  "assigned date" DATE,
  "finished date" DATE,
  result TEXT, -- POS, NEG, INC (inconclusive), null = pending
  hours REAL
);
CREATE TABLE review (
  review_id INTEGER PRIMARY KEY,
  test_id INTEGER REFERENCES "lab test"(test_id),
  reviewer_id INTEGER REFERENCES analyst(analyst_id),
  "review date" DATE,
  outcome TEXT -- OK, REDO
);
CREATE TABLE "court appearance" (
  appearance_id INTEGER PRIMARY KEY,
  analyst_id INTEGER REFERENCES analyst(analyst_id),
  "case no" TEXT REFERENCES "case file"("case no"),
  "court date" DATE,
  "travel hours" REAL,
  testified INTEGER -- 1 yes, 0 no
);
