CREATE TABLE office (
  officeId INTEGER PRIMARY KEY,
  officeName TEXT,
  district TEXT,
  counters INTEGER
);
CREATE TABLE clerk (
  clerkId INTEGER PRIMARY KEY,
  officeId INTEGER REFERENCES office(officeId),
  clerkName TEXT,
  payGrade TEXT, -- E5 .. E10
  startDate DATE,
  endDate DATE -- null = in service
);
CREATE TABLE service (
  serviceCode TEXT PRIMARY KEY, -- PASS, IDCD, RESI, MARR, VEHI, PARK, DOGT
  serviceName TEXT,
  feeEuro REAL,
  targetDays INTEGER,
  onlineFlag INTEGER -- 1 = can be applied for online
);
CREATE TABLE citizen (
  citizenId INTEGER PRIMARY KEY,
  firstName TEXT,
  familyName TEXT,
  birthDate DATE,
  district TEXT,
  registeredSince DATE,
  nationality TEXT
);
CREATE TABLE appointment (
  appointmentId INTEGER PRIMARY KEY,
  citizenId INTEGER REFERENCES citizen(citizenId),
  officeId INTEGER REFERENCES office(officeId),
  serviceCode TEXT REFERENCES service(serviceCode),
  bookedAt DATETIME,
  slotAt DATETIME,
  calledAt DATETIME, -- null = not called
  state TEXT -- booked, served, noshow, cancelled
);
CREATE TABLE application (
  applicationId INTEGER PRIMARY KEY,
  citizenId INTEGER REFERENCES citizen(citizenId),
  serviceCode TEXT REFERENCES service(serviceCode),
  clerkId INTEGER REFERENCES clerk(clerkId),
  channel TEXT, -- desk, online, post
  submittedOn DATE,
  decidedOn DATE,
  decision TEXT, -- granted, refused, withdrawn, null = pending
  feePaid REAL
);
CREATE TABLE missingDocument (
  applicationId INTEGER REFERENCES application(applicationId),
  documentName TEXT,
  requestedOn DATE,
  suppliedOn DATE,
  PRIMARY KEY (applicationId, documentName)
);
CREATE TABLE appeal (
  appealId INTEGER PRIMARY KEY,
  applicationId INTEGER REFERENCES application(applicationId),
  filedOn DATE,
  closedOn DATE,
  outcome TEXT -- upheld, rejected, null = open
);
CREATE TABLE feedback (
  feedbackId INTEGER PRIMARY KEY,
  officeId INTEGER REFERENCES office(officeId),
  appointmentId INTEGER REFERENCES appointment(appointmentId), -- may be null
  givenOn DATE,
  score INTEGER, -- 1 to 5
  remark TEXT
);
