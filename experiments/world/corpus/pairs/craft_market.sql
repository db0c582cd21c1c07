CREATE TABLE "order" (
  code INTEGER PRIMARY KEY,
  buyer_code INTEGER REFERENCES buyer(code),
  "date" DATE,
  "status" TEXT, -- new, packed, sent, done, void
  shipping REAL,
  voucher_code TEXT REFERENCES voucher(code)
);
CREATE TABLE buyer (
  code INTEGER PRIMARY KEY,
  name TEXT,
  country TEXT,
  since DATE,
  newsletter INTEGER -- 1 yes, 0 no
);
CREATE TABLE maker (
  code TEXT PRIMARY KEY, -- e.g. MK014
  name TEXT,
  village TEXT,
  "group" TEXT, -- craft group: wood, wool, clay, glass, leather
  joined DATE,
  "left" DATE,
  fee_pct REAL
);
CREATE TABLE item (
  code TEXT PRIMARY KEY,
  maker_code TEXT REFERENCES maker(code),
  title TEXT,
  price REAL,
  stock INTEGER,
  "unique" INTEGER, -- 1 = one of a kind
  listed DATE
);
CREATE TABLE order_line (
  order_code INTEGER REFERENCES "order"(code),
  item_code TEXT REFERENCES item(code),
  qty INTEGER,
  unit_price REAL,
  PRIMARY KEY (order_code, item_code)
);
CREATE TABLE voucher (
  code TEXT PRIMARY KEY,
  "percent" REAL,
  "from" DATE,
  "to" DATE
);
CREATE TABLE fair (
  code TEXT PRIMARY KEY,
  name TEXT,
  place TEXT,
  "from" DATE,
  "to" DATE,
  stand_fee REAL
);
CREATE TABLE stand (
  fair_code TEXT REFERENCES fair(code),
  maker_code TEXT REFERENCES maker(code),
  number INTEGER,
  takings REAL, -- null = not reported
  PRIMARY KEY (fair_code, maker_code)
);
CREATE TABLE review (
  code INTEGER PRIMARY KEY,
  item_code TEXT REFERENCES item(code),
  buyer_code INTEGER REFERENCES buyer(code),
  stars INTEGER, -- 1 to 5
  "text" TEXT,
  "date" DATE
);
