CREATE TABLE estates (
  id INTEGER PRIMARY KEY,
  familyName TEXT,
  street TEXT,
  town TEXT,
  commissionPct REAL, -- share kept by the house, in percent
  signedOn DATE,
  closedOn DATE, -- NULL = not settled
  agentId INTEGER REFERENCES agents(id)
);
CREATE TABLE agents (
  id INTEGER PRIMARY KEY,
  fullName TEXT,
  hiredOn DATE,
  managerId INTEGER REFERENCES agents(id)
);
CREATE TABLE saleDays (
  id INTEGER PRIMARY KEY,
  estateId INTEGER REFERENCES estates(id),
  saleDate DATE,
  openTime TEXT,
  closeTime TEXT,
  visitors INTEGER,
  discountPct REAL -- general discount of the day
);
CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  label TEXT -- 'Furniture', 'Jewellery', 'Books', 'Tools', ...
);
CREATE TABLE items (
  id INTEGER PRIMARY KEY,
  estateId INTEGER REFERENCES estates(id),
  categoryId INTEGER REFERENCES categories(id),
  title TEXT,
  periodLabel TEXT,
  itemCondition TEXT, -- 'mint', 'good', 'fair', 'poor'
  appraisedValue REAL,
  askingPrice REAL,
  reservePrice REAL -- NULL = none
);
CREATE TABLE buyers (
  id INTEGER PRIMARY KEY,
  fullName TEXT,
  town TEXT,
  isDealer INTEGER -- 1 dealer, 0 private
);
CREATE TABLE sales (
  id INTEGER PRIMARY KEY,
  itemId INTEGER REFERENCES items(id),
  saleDayId INTEGER REFERENCES saleDays(id),
  buyerId INTEGER REFERENCES buyers(id), -- NULL = walk-in
  soldPrice REAL,
  payMethod TEXT, -- 'cash', 'card', 'check'
  returned INTEGER DEFAULT 0
);
CREATE TABLE holds (
  id INTEGER PRIMARY KEY,
  itemId INTEGER REFERENCES items(id),
  buyerId INTEGER REFERENCES buyers(id),
  heldFrom DATETIME,
  heldUntil DATETIME,
  releasedAt DATETIME
);
