CREATE TABLE Customer (
  CustomerId INTEGER PRIMARY KEY,
  CompanyName TEXT,
  Country TEXT,
  SignedUp DATE
);
CREATE TABLE Project (
  ProjectId INTEGER PRIMARY KEY,
  CustomerId INTEGER REFERENCES Customer(CustomerId),
  Title TEXT,
  DataType TEXT, -- 'image', 'text', 'audio', 'video'
  PricePerItem REAL,
  Overlap INTEGER, -- labels wanted per item
  OpenedOn DATE,
  Deadline DATE,
  ClosedOn DATE -- NULL = running
);
CREATE TABLE LabelClass (
  LabelClassId INTEGER PRIMARY KEY,
  ProjectId INTEGER REFERENCES Project(ProjectId),
  ClassName TEXT
);
CREATE TABLE Item (
  ItemId INTEGER PRIMARY KEY,
  ProjectId INTEGER REFERENCES Project(ProjectId),
  FileName TEXT,
  SizeKb INTEGER,
  IsGold INTEGER, -- 1 = test item with known answer
  GoldClassId INTEGER REFERENCES LabelClass(LabelClassId),
  UploadedAt DATETIME
);
CREATE TABLE Annotator (
  AnnotatorId INTEGER PRIMARY KEY,
  Nickname TEXT,
  FullName TEXT,
  Country TEXT,
  Level TEXT, -- 'trainee', 'regular', 'expert'
  JoinedOn DATE,
  BannedOn DATE,
  HourlyRate REAL
);
CREATE TABLE Skill (
  AnnotatorId INTEGER REFERENCES Annotator(AnnotatorId),
  Language TEXT, -- ISO code
  Score INTEGER, -- 0..100
  PRIMARY KEY (AnnotatorId, Language)
);
CREATE TABLE Label (
  LabelId INTEGER PRIMARY KEY,
  ItemId INTEGER REFERENCES Item(ItemId),
  AnnotatorId INTEGER REFERENCES Annotator(AnnotatorId),
  LabelClassId INTEGER REFERENCES LabelClass(LabelClassId), -- NULL = skipped
  CreatedAt DATETIME,
  SecondsSpent INTEGER
);
CREATE TABLE Review (
  ReviewId INTEGER PRIMARY KEY,
  LabelId INTEGER REFERENCES Label(LabelId),
  ReviewerId INTEGER REFERENCES Annotator(AnnotatorId),
  Verdict TEXT, -- 'OK', 'WRONG', 'UNSURE'
  ReviewedAt DATETIME
);
CREATE TABLE Payout (
  PayoutId INTEGER PRIMARY KEY,
  AnnotatorId INTEGER REFERENCES Annotator(AnnotatorId),
  PeriodMonth TEXT, -- YYYY-MM
  Amount REAL,
  PaidOn DATE
);
