CREATE TABLE shipOwners (
  id INTEGER PRIMARY KEY,
  ownerName TEXT,
  homeCountry TEXT,
  creditRating TEXT -- 'A', 'B', 'C'
);
CREATE TABLE vessels (
  imoNumber INTEGER PRIMARY KEY,
  vesselName TEXT,
  vesselType TEXT, -- 'tanker', 'bulk', 'ferry', 'container'
  flagState TEXT,
  builtYear INTEGER,
  lengthM REAL,
  beamM REAL,
  draughtM REAL,
  ownerId INTEGER REFERENCES shipOwners(id)
);
CREATE TABLE docks (
  id INTEGER PRIMARY KEY,
  dockName TEXT,
  dockKind TEXT, -- 'graving', 'floating', 'slipway'
  maxLengthM REAL,
  maxBeamM REAL,
  dayRate REAL
);
CREATE TABLE dockings (
  id INTEGER PRIMARY KEY,
  imoNumber INTEGER REFERENCES vessels(imoNumber),
  dockId INTEGER REFERENCES docks(id),
  plannedIn DATE,
  plannedOut DATE,
  actualIn DATE,
  actualOut DATE, -- NULL = still docked or not yet come
  reason TEXT, -- 'survey', 'repair', 'conversion', 'emergency'
  isCancelled INTEGER DEFAULT 0
);
CREATE TABLE trades (
  code TEXT PRIMARY KEY, -- 'WLD', 'PNT', 'ELE', 'PIP', 'MEC'
  tradeName TEXT
);
CREATE TABLE workers (
  id INTEGER PRIMARY KEY,
  fullName TEXT,
  tradeCode TEXT REFERENCES trades(code),
  foremanId INTEGER REFERENCES workers(id),
  hourlyWage REAL,
  certExpiry DATE,
  leftOn DATE
);
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY,
  dockingId INTEGER REFERENCES dockings(id),
  tradeCode TEXT REFERENCES trades(code),
  jobTitle TEXT,
  quotedPrice REAL,
  estHours REAL,
  jobState TEXT, -- 'planned', 'active', 'done', 'dropped'
  isExtra INTEGER -- 1 = not in the original contract
);
CREATE TABLE timeSheets (
  id INTEGER PRIMARY KEY,
  jobId INTEGER REFERENCES jobs(id),
  workerId INTEGER REFERENCES workers(id),
  workDay DATE,
  normalHours REAL,
  overtimeHours REAL
);
CREATE TABLE materialUse (
  id INTEGER PRIMARY KEY,
  jobId INTEGER REFERENCES jobs(id),
  materialName TEXT,
  quantity REAL,
  unitCost REAL,
  usedOn DATE
);
