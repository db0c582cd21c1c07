CREATE TABLE Charity (
  CharityID INTEGER PRIMARY KEY,
  CharityName TEXT NOT NULL,
  Cause TEXT, -- 'Cancer', 'Children', 'Animals', 'Environment'
  RegisteredSince DATE
);
CREATE TABLE Event (
  EventID INTEGER PRIMARY KEY,
  EventName TEXT,
  City TEXT,
  EventDate DATE,
  CharityID INTEGER REFERENCES Charity(CharityID),
  GoalAmount REAL,
  Cancelled INTEGER DEFAULT 0 -- 1 = cancelled
);
CREATE TABLE Distance (
  DistanceID INTEGER PRIMARY KEY,
  EventID INTEGER REFERENCES Event(EventID),
  Kilometres REAL,
  EntryFee REAL,
  MaxRunners INTEGER
);
CREATE TABLE Runner (
  RunnerID INTEGER PRIMARY KEY,
  FirstName TEXT,
  LastName TEXT,
  Gender TEXT, -- 'F', 'M', 'N'
  BirthDate DATE,
  HomeCity TEXT,
  Email TEXT
);
CREATE TABLE Team (
  TeamID INTEGER PRIMARY KEY,
  TeamName TEXT,
  EventID INTEGER REFERENCES Event(EventID),
  CaptainRunnerID INTEGER REFERENCES Runner(RunnerID),
  Company TEXT -- NULL for private teams
);
CREATE TABLE Registration (
  RegistrationID INTEGER PRIMARY KEY,
  RunnerID INTEGER REFERENCES Runner(RunnerID),
  DistanceID INTEGER REFERENCES Distance(DistanceID),
  TeamID INTEGER REFERENCES Team(TeamID),
  RegisteredAt DATETIME,
  FeePaid REAL,
  BibNumber INTEGER,
  FinishSeconds INTEGER, -- NULL if not finished
  State TEXT -- 'OK', 'DNS' did not start, 'DNF' did not finish
);
CREATE TABLE Donor (
  DonorID INTEGER PRIMARY KEY,
  DonorName TEXT,
  Country TEXT,
  IsCompany INTEGER -- 1/0
);
CREATE TABLE Donation (
  DonationID INTEGER PRIMARY KEY,
  DonorID INTEGER REFERENCES Donor(DonorID), -- NULL = anonymous
  RegistrationID INTEGER REFERENCES Registration(RegistrationID),
  Amount REAL,
  PledgedOn DATE,
  ReceivedOn DATE, -- NULL = still a pledge
  Message TEXT
);
CREATE TABLE Volunteer (
  VolunteerID INTEGER PRIMARY KEY,
  FullName TEXT,
  Phone TEXT
);
CREATE TABLE Shift (
  ShiftID INTEGER PRIMARY KEY,
  EventID INTEGER REFERENCES Event(EventID),
  VolunteerID INTEGER REFERENCES Volunteer(VolunteerID),
  Task TEXT, -- 'Water', 'Marshal', 'Finish', 'FirstAid'
  StartTime DATETIME,
  EndTime DATETIME
);
