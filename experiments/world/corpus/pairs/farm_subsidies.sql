CREATE TABLE Farmers ( "Farmer No" INTEGER PRIMARY KEY, "Full Name" TEXT, County TEXT, "Legal Form" TEXT, -- sole, partnership, company
  "Young Farmer" INTEGER, "Registered On" TEXT );
CREATE TABLE Parcels ( "Parcel No" INTEGER PRIMARY KEY, "Farmer No" INTEGER REFERENCES Farmers("Farmer No"), Hectares REAL, "Land Use" TEXT, -- arable, pasture, orchard, fallow
  Organic INTEGER, "Less Favoured Area" INTEGER );
CREATE TABLE Schemes ( "Scheme Code" TEXT PRIMARY KEY, "Scheme Name" TEXT, "Rate per Hectare" REAL, Pillar INTEGER, "Open From" TEXT, "Open To" TEXT );
CREATE TABLE Applications (
  "Application No" INTEGER PRIMARY KEY, "Farmer No" INTEGER REFERENCES Farmers("Farmer No"), "Scheme Code" TEXT REFERENCES Schemes("Scheme Code"), "Claim Year" INTEGER,
  "Submitted On" TEXT, "Claimed Hectares" REAL, "Approved Hectares" REAL, Status TEXT, -- S submitted, A approved, R rejected, W withdrawn
  "Decided On" TEXT );
CREATE TABLE "Claimed Parcels" ( "Application No" INTEGER REFERENCES Applications("Application No"), "Parcel No" INTEGER REFERENCES Parcels("Parcel No"), Hectares REAL, PRIMARY KEY ("Application No", "Parcel No") );
CREATE TABLE Inspectors ( "Inspector ID" INTEGER PRIMARY KEY, "Inspector Name" TEXT, Office TEXT );
CREATE TABLE Inspections ( "Inspection ID" INTEGER PRIMARY KEY, "Application No" INTEGER REFERENCES Applications("Application No"), "Inspector ID" INTEGER REFERENCES Inspectors("Inspector ID"), "Visit Date" TEXT, "Measured Hectares" REAL, Result TEXT ); -- OK, MIN minor, MAJ major breach
CREATE TABLE Payments ( "Payment ID" INTEGER PRIMARY KEY, "Application No" INTEGER REFERENCES Applications("Application No"), "Paid On" TEXT, "Gross Amount" REAL, Penalty REAL );
