CREATE TABLE farms (
  farm_id INTEGER PRIMARY KEY,
  "farm name" TEXT,
  "farm code" TEXT,
  district TEXT,
  "housing system" INTEGER, -- 0 organic, 1 free range, 2 barn, 3 cage
  "contract end" DATE
);
CREATE TABLE flocks (
  flock_id INTEGER PRIMARY KEY,
  farm_id INTEGER REFERENCES farms(farm_id),
  breed TEXT,
  "hatch date" DATE,
  "hens housed" INTEGER,
  "slaughter date" DATE -- NULL = laying
);
CREATE TABLE collections (
  collection_id INTEGER PRIMARY KEY,
  flock_id INTEGER REFERENCES flocks(flock_id),
  "collected on" DATE,
  "received at" DATETIME,
  "eggs delivered" INTEGER,
  "truck temp" REAL
);
CREATE TABLE graders (
  grader_id INTEGER PRIMARY KEY,
  "machine name" TEXT,
  "eggs per hour" INTEGER,
  "last service" DATE
);
CREATE TABLE gradings (
  grading_id INTEGER PRIMARY KEY,
  collection_id INTEGER REFERENCES collections(collection_id),
  grader_id INTEGER REFERENCES graders(grader_id),
  "started at" DATETIME,
  "ended at" DATETIME,
  "size s" INTEGER,
  "size m" INTEGER,
  "size l" INTEGER,
  "size xl" INTEGER,
  cracked INTEGER,
  dirty INTEGER
);
CREATE TABLE products (
  product_id INTEGER PRIMARY KEY,
  "product name" TEXT,
  "egg size" TEXT, -- S, M, L, XL
  "pack size" INTEGER, -- eggs per pack
  "housing system" INTEGER,
  "price per pack" REAL
);
CREATE TABLE "pack runs" (
  run_id INTEGER PRIMARY KEY,
  product_id INTEGER REFERENCES products(product_id),
  grading_id INTEGER REFERENCES gradings(grading_id),
  "packed on" DATE,
  "best before" DATE,
  packs INTEGER
);
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  "customer name" TEXT,
  kind TEXT, -- 'supermarket', 'bakery', 'wholesale'
  city TEXT
);
CREATE TABLE deliveries (
  delivery_id INTEGER PRIMARY KEY,
  customer_id INTEGER REFERENCES customers(customer_id),
  product_id INTEGER REFERENCES products(product_id),
  "delivery date" DATE,
  packs INTEGER,
  "packs rejected" INTEGER,
  "unit price" REAL
);
