CREATE TABLE Farm (
  FarmId INTEGER PRIMARY KEY,
  FarmName TEXT, OwnerName TEXT, Region TEXT,
  TotalHectares REAL, JoinedOn TEXT, LeftOn TEXT -- NULL while a customer
);
CREATE TABLE Field (
  FieldId INTEGER PRIMARY KEY,
  FarmId INTEGER REFERENCES Farm(FarmId),
  FieldName TEXT, Hectares REAL,
  SoilType TEXT, -- clay, loam, sand, silt
  IsIrrigated INTEGER
);
CREATE TABLE Crop (
  CropId INTEGER PRIMARY KEY,
  CropName TEXT, CropFamily TEXT,
  OptimalMoistureMin REAL, OptimalMoistureMax REAL -- percent
);
CREATE TABLE Planting (
  PlantingId INTEGER PRIMARY KEY,
  FieldId INTEGER REFERENCES Field(FieldId),
  CropId INTEGER REFERENCES Crop(CropId),
  PlantedOn TEXT, HarvestedOn TEXT,
  YieldTonnes REAL
);
CREATE TABLE SensorModel (
  ModelCode TEXT PRIMARY KEY,
  Maker TEXT,
  Measures TEXT, -- moisture, temperature, ph, rain
  UnitPrice REAL, BatteryLifeDays INTEGER
);
CREATE TABLE Sensor (
  SensorId INTEGER PRIMARY KEY,
  FieldId INTEGER REFERENCES Field(FieldId),
  ModelCode TEXT REFERENCES SensorModel(ModelCode),
  SerialNumber TEXT, InstalledOn TEXT, LastSeenAt TEXT,
  Status TEXT -- A active, F faulty, R removed
);
CREATE TABLE Reading (
  ReadingId INTEGER PRIMARY KEY,
  SensorId INTEGER REFERENCES Sensor(SensorId),
  TakenAt TEXT, -- YYYY-MM-DD HH:MM:SS
  ReadingValue REAL, BatteryPercent INTEGER
);
CREATE TABLE Alert (
  AlertId INTEGER PRIMARY KEY,
  SensorId INTEGER REFERENCES Sensor(SensorId),
  RaisedAt TEXT, AcknowledgedAt TEXT, ResolvedAt TEXT,
  Severity INTEGER, -- 1 info, 2 warning, 3 critical
  TechnicianId INTEGER REFERENCES Technician(TechnicianId)
);
CREATE TABLE Technician (
  TechnicianId INTEGER PRIMARY KEY,
  FullName TEXT, BaseRegion TEXT, HourlyRate REAL
);
CREATE TABLE ServiceVisit (
  VisitId INTEGER PRIMARY KEY,
  FarmId INTEGER REFERENCES Farm(FarmId),
  TechnicianId INTEGER REFERENCES Technician(TechnicianId),
  VisitDate TEXT, MinutesOnSite INTEGER, PartsCost REAL
);
