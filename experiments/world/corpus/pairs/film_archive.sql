CREATE TABLE "film" (
  code TEXT PRIMARY KEY,
  title TEXT,
  "year" INTEGER,
  "language" TEXT,
  "length" INTEGER, -- minutes
  "colour" TEXT, -- 'bw', 'colour', 'tinted'
  "sound" TEXT, -- 'silent', 'mono', 'stereo'
  country TEXT
);
CREATE TABLE "person" (
  code TEXT PRIMARY KEY,
  "name" TEXT,
  born INTEGER,
  died INTEGER
);
CREATE TABLE "credit" (
  film_code TEXT REFERENCES "film"(code),
  person_code TEXT REFERENCES "person"(code),
  "role" TEXT, -- 'DIR' director, 'ACT' actor, 'CAM' camera, 'WRI' writer
  "order" INTEGER, -- billing position
  PRIMARY KEY (film_code, person_code, "role")
);
CREATE TABLE "vault" (
  code TEXT PRIMARY KEY,
  "name" TEXT,
  "temperature" REAL,
  humidity REAL
);
CREATE TABLE "print" (
  code TEXT PRIMARY KEY,
  film_code TEXT REFERENCES "film"(code),
  vault_code TEXT REFERENCES "vault"(code),
  "format" TEXT, -- '35mm', '16mm', '8mm', 'DCP'
  base TEXT, -- 'N' nitrate, 'A' acetate, 'P' polyester
  "condition" INTEGER, -- 1 very good .. 5 unplayable
  acquired DATE,
  "value" REAL -- insurance value
);
CREATE TABLE "inspection" (
  code INTEGER PRIMARY KEY,
  print_code TEXT REFERENCES "print"(code),
  "date" DATE,
  shrinkage REAL, -- percent
  "condition" INTEGER,
  inspector TEXT
);
CREATE TABLE "restoration" (
  code INTEGER PRIMARY KEY,
  film_code TEXT REFERENCES "film"(code),
  "start" DATE,
  "end" DATE, -- NULL = in progress
  budget REAL,
  spent REAL
);
CREATE TABLE "borrower" (
  code TEXT PRIMARY KEY,
  "name" TEXT,
  city TEXT,
  "type" TEXT -- 'FEST' festival, 'CINE' cinema, 'MUS' museum
);
CREATE TABLE "loan" (
  code INTEGER PRIMARY KEY,
  print_code TEXT REFERENCES "print"(code),
  borrower_code TEXT REFERENCES "borrower"(code),
  "from" DATE,
  "to" DATE, -- agreed return
  returned DATE,
  fee REAL
);
