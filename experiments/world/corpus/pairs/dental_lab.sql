CREATE TABLE Practice (
  PracticeId INTEGER PRIMARY KEY,
  PracticeName TEXT,
  City TEXT,
  DiscountPercent REAL,
  CustomerSince DATE
);
CREATE TABLE Dentist (
  DentistId INTEGER PRIMARY KEY,
  PracticeId INTEGER REFERENCES Practice(PracticeId),
  FullName TEXT,
  Speciality TEXT
);
CREATE TABLE Technician (
  TechnicianId INTEGER PRIMARY KEY,
  FullName TEXT,
  Department TEXT, -- Ceramics, Metal, Prosthetics, CAD
  HourlyRate REAL,
  IsApprentice INTEGER -- 1 / 0
);
CREATE TABLE ProductType (
  ProductCode TEXT PRIMARY KEY,
  ProductName TEXT,
  ProductGroup TEXT, -- CRN crown, BRG bridge, DEN denture, SPL splint, IMP implant
  BasePrice REAL,
  StandardDays INTEGER
);
CREATE TABLE WorkOrder (
  WorkOrderId INTEGER PRIMARY KEY,
  DentistId INTEGER REFERENCES Dentist(DentistId),
  PatientRef TEXT,
  ReceivedDate DATE,
  PromisedDate DATE,
  ShippedDate DATE, -- null = still in the lab
  OrderStatus TEXT, -- RCV, WIP, QC, SHP, CAN
  IsRemake INTEGER,
  OriginalOrderId INTEGER REFERENCES WorkOrder(WorkOrderId)
);
CREATE TABLE OrderItem (
  OrderItemId INTEGER PRIMARY KEY,
  WorkOrderId INTEGER REFERENCES WorkOrder(WorkOrderId),
  ProductCode TEXT REFERENCES ProductType(ProductCode),
  ToothNumber INTEGER,
  Shade TEXT,
  Units INTEGER,
  Price REAL -- per unit
);
CREATE TABLE WorkStep (
  WorkStepId INTEGER PRIMARY KEY,
  OrderItemId INTEGER REFERENCES OrderItem(OrderItemId),
  TechnicianId INTEGER REFERENCES Technician(TechnicianId),
  StepName TEXT,
  StartTime DATETIME,
  EndTime DATETIME,
  Minutes INTEGER
);
CREATE TABLE Material (
  MaterialId INTEGER PRIMARY KEY,
  MaterialName TEXT,
  UnitCost REAL, -- per gram
  StockGrams REAL,
  ReorderGrams REAL
);
CREATE TABLE MaterialUse (
  OrderItemId INTEGER REFERENCES OrderItem(OrderItemId),
  MaterialId INTEGER REFERENCES Material(MaterialId),
  Grams REAL,
  LotNumber TEXT,
  PRIMARY KEY (OrderItemId, MaterialId, LotNumber)
);
CREATE TABLE Invoice (
  InvoiceId INTEGER PRIMARY KEY,
  PracticeId INTEGER REFERENCES Practice(PracticeId),
  InvoiceDate DATE,
  TotalAmount REAL,
  PaidDate DATE
);
