CREATE TABLE dealers (
  dealerId INTEGER PRIMARY KEY,
  shopName TEXT,
  ownerName TEXT,
  town TEXT,
  memberSince DATE,
  memberUntil DATE -- null = member
);
CREATE TABLE periods (
  periodId INTEGER PRIMARY KEY,
  periodName TEXT,
  fromYear INTEGER,
  toYear INTEGER
);
CREATE TABLE pieces (
  pieceId INTEGER PRIMARY KEY,
  dealerId INTEGER REFERENCES dealers(dealerId),
  periodId INTEGER REFERENCES periods(periodId), -- null = undated
  pieceTitle TEXT,
  category TEXT, -- furniture, clock, silver, porcelain, painting, book
  origin TEXT,
  boughtOn DATE,
  boughtFor REAL,
  askingPrice REAL,
  conditionGrade TEXT -- A mint, B good, C worn, D damaged
);
CREATE TABLE restorers (
  restorerId INTEGER PRIMARY KEY,
  restorerName TEXT,
  speciality TEXT,
  dayRate REAL
);
CREATE TABLE restorations (
  restorationId INTEGER PRIMARY KEY,
  pieceId INTEGER REFERENCES pieces(pieceId),
  restorerId INTEGER REFERENCES restorers(restorerId),
  sentOn DATE,
  backOn DATE,
  cost REAL
);
CREATE TABLE appraisals (
  appraisalId INTEGER PRIMARY KEY,
  pieceId INTEGER REFERENCES pieces(pieceId),
  appraiserName TEXT,
  appraisedOn DATE,
  lowEstimate REAL,
  highEstimate REAL,
  isGenuine INTEGER -- 1 genuine, 0 fake, null unsure
);
CREATE TABLE collectors (
  collectorId INTEGER PRIMARY KEY,
  collectorName TEXT,
  country TEXT,
  mainInterest TEXT,
  email TEXT
);
CREATE TABLE sales (
  saleId INTEGER PRIMARY KEY,
  pieceId INTEGER REFERENCES pieces(pieceId),
  collectorId INTEGER REFERENCES collectors(collectorId), -- null = walk-in
  soldOn DATE,
  soldFor REAL,
  paidBy TEXT -- cash, card, wire, swap
);
CREATE TABLE fairVisits (
  dealerId INTEGER REFERENCES dealers(dealerId),
  fairName TEXT,
  visitDate DATE,
  standCost REAL,
  takings REAL,
  PRIMARY KEY (dealerId, fairName, visitDate)
);
