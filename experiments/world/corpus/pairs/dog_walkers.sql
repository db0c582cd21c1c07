CREATE TABLE Owner (
  OwnerId INTEGER PRIMARY KEY, OwnerName TEXT, Phone TEXT, Neighborhood TEXT, SignedUpOn TEXT, LeftOn TEXT
);
CREATE TABLE Breed (
  BreedId INTEGER PRIMARY KEY, BreedName TEXT, SizeClass TEXT -- S, M, L, XL
);
CREATE TABLE Dog (
  DogId INTEGER PRIMARY KEY, OwnerId INTEGER REFERENCES Owner(OwnerId), BreedId INTEGER REFERENCES Breed(BreedId),
  DogName TEXT, BirthDate TEXT, WeightKg REAL, IsReactive INTEGER, -- 1: does not get on with other dogs
  VaccinatedUntil TEXT
);
CREATE TABLE Walker (
  WalkerId INTEGER PRIMARY KEY, WalkerName TEXT, HiredOn TEXT, LeftOn TEXT, PayPerHour REAL, MaxDogs INTEGER
);
CREATE TABLE Park ( ParkId INTEGER PRIMARY KEY, ParkName TEXT, Neighborhood TEXT, OffLeash INTEGER );
CREATE TABLE Walk (
  WalkId INTEGER PRIMARY KEY, WalkerId INTEGER REFERENCES Walker(WalkerId), ParkId INTEGER REFERENCES Park(ParkId),
  PlannedStart TEXT, ActualStart TEXT, ActualEnd TEXT, DistanceMeters INTEGER,
  WalkStatus TEXT -- Planned, Done, Cancelled, NoShow
);
CREATE TABLE WalkDog (
  WalkId INTEGER REFERENCES Walk(WalkId), DogId INTEGER REFERENCES Dog(DogId), Price REAL, Pooped INTEGER, PRIMARY KEY (WalkId, DogId)
);
CREATE TABLE Review (
  ReviewId INTEGER PRIMARY KEY, WalkId INTEGER REFERENCES Walk(WalkId), OwnerId INTEGER REFERENCES Owner(OwnerId), Stars INTEGER, Comment TEXT, WrittenOn TEXT
);
CREATE TABLE Incident (
  IncidentId INTEGER PRIMARY KEY, WalkId INTEGER REFERENCES Walk(WalkId), DogId INTEGER REFERENCES Dog(DogId), IncidentType TEXT, -- bite, escape, injury
  ReportedAt TEXT, VetCost REAL
);
