CREATE TABLE Mine (MineId INTEGER PRIMARY KEY, MineName TEXT, OwnerCompany TEXT, State TEXT, DistanceKm REAL);
CREATE TABLE CoalGrade (GradeId INTEGER PRIMARY KEY, GradeName TEXT, CoalType TEXT, -- T thermal, M metallurgical
  EnergyKcal INTEGER, AshPct REAL, SulphurPct REAL);
CREATE TABLE Stockpile (StockpileId INTEGER PRIMARY KEY, PileCode TEXT, YardName TEXT, CapacityTonnes REAL, GradeId INTEGER REFERENCES CoalGrade(GradeId), CurrentTonnes REAL);
CREATE TABLE TrainArrival (TrainId INTEGER PRIMARY KEY, MineId INTEGER REFERENCES Mine(MineId), GradeId INTEGER REFERENCES CoalGrade(GradeId), StockpileId INTEGER REFERENCES Stockpile(StockpileId),
  PlannedArrival TEXT, ActualArrival TEXT, UnloadStart TEXT, UnloadEnd TEXT, WagonCount INTEGER, NetTonnes REAL, MoisturePct REAL);
CREATE TABLE Vessel (VesselId INTEGER PRIMARY KEY, VesselName TEXT, ImoNumber TEXT, Flag TEXT, DeadweightTonnes INTEGER, YearBuilt INTEGER);
CREATE TABLE Customer (CustomerId INTEGER PRIMARY KEY, CustomerName TEXT, Country TEXT, CreditRating TEXT);
CREATE TABLE Shipment (ShipmentId INTEGER PRIMARY KEY, VesselId INTEGER REFERENCES Vessel(VesselId), CustomerId INTEGER REFERENCES Customer(CustomerId), GradeId INTEGER REFERENCES CoalGrade(GradeId), BerthNo INTEGER,
  LaycanStart TEXT, LaycanEnd TEXT, ArrivedAt TEXT, BerthedAt TEXT, SailedAt TEXT, OrderedTonnes REAL, LoadedTonnes REAL, PricePerTonne REAL, DemurrageUsd REAL, ShipmentStatus TEXT); -- NOM nominated, LDG loading, SLD sailed, CAN cancelled
CREATE TABLE Equipment (EquipmentId INTEGER PRIMARY KEY, TagNo TEXT, EquipmentType TEXT, YardName TEXT, CommissionedOn TEXT, RatedTph REAL); -- stacker, reclaimer, shiploader, dumper, conveyor
CREATE TABLE Outage (OutageId INTEGER PRIMARY KEY, EquipmentId INTEGER REFERENCES Equipment(EquipmentId), StartedAt TEXT, EndedAt TEXT, IsPlanned INTEGER, Cause TEXT, LostTonnes REAL);
CREATE TABLE DustReading (ReadingId INTEGER PRIMARY KEY, YardName TEXT, ReadAt TEXT, Pm10 REAL, WindSpeed REAL);
