CREATE TABLE Families (
  "Family ID" INTEGER PRIMARY KEY, "Family Name" TEXT, City TEXT, "Home Phone" TEXT, "Discount Code" TEXT -- SIB sibling, STF staff, NULL
);
CREATE TABLE Campers (
  "Camper ID" INTEGER PRIMARY KEY, "Family ID" INTEGER REFERENCES Families("Family ID"),
  "First Name" TEXT, "Last Name" TEXT, "Birth Date" TEXT, Gender TEXT, -- F, M, X
  Swimmer TEXT, -- N none, B beginner, G good
  Allergies TEXT
);
CREATE TABLE Sessions (
  "Session ID" INTEGER PRIMARY KEY, "Session Name" TEXT, Season INTEGER, "Start Date" TEXT, "End Date" TEXT, Price REAL, Capacity INTEGER
);
CREATE TABLE Cabins (
  "Cabin ID" INTEGER PRIMARY KEY, "Cabin Name" TEXT, Beds INTEGER, Side TEXT -- lake, forest
);
CREATE TABLE Counselors (
  "Counselor ID" INTEGER PRIMARY KEY, "Full Name" TEXT, "Hire Date" TEXT, "Certified Until" TEXT, "Weekly Pay" REAL
);
CREATE TABLE Enrollments (
  "Enrollment ID" INTEGER PRIMARY KEY, "Camper ID" INTEGER REFERENCES Campers("Camper ID"), "Session ID" INTEGER REFERENCES Sessions("Session ID"), "Cabin ID" INTEGER REFERENCES Cabins("Cabin ID"),
  "Signed Up" TEXT, "Paid Amount" REAL, "Paid On" TEXT, Status TEXT -- C confirmed, W waiting list, X cancelled
);
CREATE TABLE "Cabin Duty" (
  "Session ID" INTEGER REFERENCES Sessions("Session ID"), "Cabin ID" INTEGER REFERENCES Cabins("Cabin ID"), "Counselor ID" INTEGER REFERENCES Counselors("Counselor ID"),
  PRIMARY KEY ("Session ID", "Cabin ID", "Counselor ID")
);
CREATE TABLE Activities (
  "Activity ID" INTEGER PRIMARY KEY, Title TEXT, Kind TEXT, -- water, craft, sport, nature
  "Min Age" INTEGER, "Extra Fee" REAL
);
CREATE TABLE "Activity Choices" (
  "Enrollment ID" INTEGER REFERENCES Enrollments("Enrollment ID"), "Activity ID" INTEGER REFERENCES Activities("Activity ID"), "Choice Rank" INTEGER, Granted INTEGER, -- 1 yes, 0 no
  PRIMARY KEY ("Enrollment ID", "Activity ID")
);
CREATE TABLE "Nurse Visits" (
  "Visit ID" INTEGER PRIMARY KEY, "Camper ID" INTEGER REFERENCES Campers("Camper ID"), "Visit Time" TEXT, Reason TEXT, "Sent Home" INTEGER
);
