CREATE TABLE Zone (
  ZoneId INTEGER PRIMARY KEY,
  ZoneName TEXT,
  BaseFare REAL
);
CREATE TABLE Courier (
  CourierId INTEGER PRIMARY KEY,
  FullName TEXT,
  NickName TEXT,
  JoinedOn DATE,
  LeftOn DATE,
  HomeZoneId INTEGER REFERENCES Zone(ZoneId),
  ContractType TEXT -- E employed, F freelance, S student
);
CREATE TABLE Bike (
  BikeId INTEGER PRIMARY KEY,
  FrameNumber TEXT,
  BikeType TEXT, -- road, cargo, ebike
  OwnerCourierId INTEGER REFERENCES Courier(CourierId), -- null = company bike
  BoughtOn DATE,
  ScrappedOn DATE
);
CREATE TABLE Client (
  ClientId INTEGER PRIMARY KEY,
  ClientName TEXT,
  Sector TEXT, -- legal, medical, media, retail, private
  ZoneId INTEGER REFERENCES Zone(ZoneId),
  AccountSince DATE,
  MonthlyLimit REAL
);
CREATE TABLE Delivery (
  DeliveryId INTEGER PRIMARY KEY,
  ClientId INTEGER REFERENCES Client(ClientId),
  CourierId INTEGER REFERENCES Courier(CourierId), -- null = unassigned
  BikeId INTEGER REFERENCES Bike(BikeId),
  FromZoneId INTEGER REFERENCES Zone(ZoneId),
  ToZoneId INTEGER REFERENCES Zone(ZoneId),
  OrderedAt DATETIME,
  PickedUpAt DATETIME,
  DeliveredAt DATETIME,
  PromisedBy DATETIME,
  ServiceLevel TEXT, -- RUSH, STD, ECO
  DistanceKm REAL,
  Price REAL,
  Tip REAL,
  DeliveryStatus TEXT -- open, done, failed, cancelled
);
CREATE TABLE Shift (
  ShiftId INTEGER PRIMARY KEY,
  CourierId INTEGER REFERENCES Courier(CourierId),
  StartAt DATETIME,
  EndAt DATETIME,
  BreakMinutes INTEGER
);
CREATE TABLE Repair (
  RepairId INTEGER PRIMARY KEY,
  BikeId INTEGER REFERENCES Bike(BikeId),
  RepairDate DATE,
  Part TEXT, -- tyre, brake, chain, battery, frame
  Cost REAL
);
CREATE TABLE Complaint (
  ComplaintId INTEGER PRIMARY KEY,
  DeliveryId INTEGER REFERENCES Delivery(DeliveryId),
  ReceivedOn DATE,
  Category TEXT, -- late, damaged, lost, rude
  Refund REAL
);
