CREATE TABLE farm (
  farm_id INTEGER PRIMARY KEY,
  "farm name" TEXT,
  region TEXT,
  "water type" TEXT -- SEA, FRESH
);
CREATE TABLE pen (
  pen_id INTEGER PRIMARY KEY,
  farm_id INTEGER REFERENCES farm(farm_id),
  "pen label" TEXT,
  "volume m3" REAL,
  status TEXT -- stocked, empty, repair
);
CREATE TABLE species (
  species_code TEXT PRIMARY KEY,
  "common name" TEXT,
  "latin name" TEXT,
  "target weight g" REAL
);
CREATE TABLE batch (
  batch_id INTEGER PRIMARY KEY,
  pen_id INTEGER REFERENCES pen(pen_id),
  species_code TEXT REFERENCES species(species_code),
  hatchery TEXT,
  "stocked on" DATE,
  "fish stocked" INTEGER,
  "start weight g" REAL,
  "closed on" DATE -- null = still growing
);
CREATE TABLE feeding (
  feeding_id INTEGER PRIMARY KEY,
  batch_id INTEGER REFERENCES batch(batch_id),
  "feed date" DATE,
  "feed type" TEXT,
  kg REAL,
  "cost per kg" REAL
);
CREATE TABLE sampling (
  sampling_id INTEGER PRIMARY KEY,
  batch_id INTEGER REFERENCES batch(batch_id),
  "sample date" DATE,
  "fish sampled" INTEGER,
  "avg weight g" REAL,
  "lice per fish" REAL
);
CREATE TABLE mortality (
  batch_id INTEGER REFERENCES batch(batch_id),
  day DATE,
  dead INTEGER,
  cause TEXT, -- LICE, DIS disease, OXY oxygen, PRED predator, UNK
  PRIMARY KEY (batch_id, day, cause)
);
CREATE TABLE "water reading" (
  pen_id INTEGER REFERENCES pen(pen_id),
  "read at" DATETIME,
  "temp c" REAL,
  "oxygen mgl" REAL,
  PRIMARY KEY (pen_id, "read at")
);
CREATE TABLE harvest (
  harvest_id INTEGER PRIMARY KEY,
  batch_id INTEGER REFERENCES batch(batch_id),
  "harvest date" DATE,
  "fish count" INTEGER,
  "live kg" REAL,
  "gutted kg" REAL,
  buyer TEXT,
  "price per kg" REAL -- on gutted weight
);
