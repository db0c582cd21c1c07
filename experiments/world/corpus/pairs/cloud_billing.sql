CREATE TABLE "account" (
  code TEXT PRIMARY KEY,
  "name" TEXT,
  "type" TEXT, -- 'ENT' enterprise, 'SMB', 'EDU', 'FREE'
  country TEXT,
  created DATE,
  closed DATE,
  parent_code TEXT REFERENCES "account"(code),
  "limit" REAL -- monthly spending limit, NULL = none
);
CREATE TABLE "user" (
  code TEXT PRIMARY KEY,
  account_code TEXT REFERENCES "account"(code),
  email TEXT,
  "role" TEXT, -- 'owner', 'admin', 'viewer'
  last_login DATETIME
);
CREATE TABLE "region" (
  code TEXT PRIMARY KEY, -- e.g. 'eu-1'
  "name" TEXT,
  continent TEXT
);
CREATE TABLE "service" (
  code TEXT PRIMARY KEY,
  "name" TEXT,
  "group" TEXT, -- 'compute', 'storage', 'network', 'database'
  unit TEXT
);
CREATE TABLE "price" (
  service_code TEXT REFERENCES "service"(code),
  region_code TEXT REFERENCES "region"(code),
  "from" DATE,
  "to" DATE, -- NULL = valid now
  unit_price REAL,
  PRIMARY KEY (service_code, region_code, "from")
);
CREATE TABLE "usage" (
  code INTEGER PRIMARY KEY,
  account_code TEXT REFERENCES "account"(code),
  service_code TEXT REFERENCES "service"(code),
  region_code TEXT REFERENCES "region"(code),
  "date" DATE,
  quantity REAL,
  cost REAL
);
CREATE TABLE "credit" (
  code INTEGER PRIMARY KEY,
  account_code TEXT REFERENCES "account"(code),
  granted DATE,
  expires DATE,
  amount REAL,
  used REAL,
  reason TEXT -- 'promo', 'sla', 'support'
);
CREATE TABLE "invoice" (
  code TEXT PRIMARY KEY,
  account_code TEXT REFERENCES "account"(code),
  "month" TEXT, -- YYYY-MM
  issued DATE,
  due DATE,
  paid DATE, -- NULL = unpaid
  subtotal REAL,
  credits REAL,
  tax REAL,
  total REAL
);
CREATE TABLE "alert" (
  code INTEGER PRIMARY KEY,
  account_code TEXT REFERENCES "account"(code),
  raised DATETIME,
  "level" INTEGER, -- percent of the limit: 50, 80, 100
  "check" TEXT -- 'budget', 'anomaly'
);
