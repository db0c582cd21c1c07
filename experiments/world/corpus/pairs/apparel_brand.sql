CREATE TABLE season (
  season_id INTEGER PRIMARY KEY,
  seasonname TEXT, -- e.g. SS23, FW23
  startdate DATE,
  enddate DATE
);
CREATE TABLE designer (
  designer_id INTEGER PRIMARY KEY,
  firstname TEXT,
  lastname TEXT,
  hiredate DATE,
  leavedate DATE -- null = still employed
);
CREATE TABLE style (
  style_id INTEGER PRIMARY KEY,
  stylecode TEXT,
  stylename TEXT,
  category TEXT, -- dress, jacket, knit, trouser, shirt
  gender TEXT, -- W, M, U
  season_id INTEGER REFERENCES season(season_id),
  designer_id INTEGER REFERENCES designer(designer_id),
  listprice REAL,
  costprice REAL
);
CREATE TABLE sku (
  sku_id INTEGER PRIMARY KEY,
  style_id INTEGER REFERENCES style(style_id),
  colourname TEXT,
  sizecode TEXT, -- XS S M L XL
  eancode TEXT,
  stockqty INTEGER
);
CREATE TABLE supplier (
  supplier_id INTEGER PRIMARY KEY,
  suppliername TEXT,
  country TEXT,
  auditgrade TEXT -- A, B, C or null = never audited
);
CREATE TABLE productionorder (
  po_id INTEGER PRIMARY KEY,
  supplier_id INTEGER REFERENCES supplier(supplier_id),
  sku_id INTEGER REFERENCES sku(sku_id),
  orderdate DATE,
  duedate DATE,
  deliverydate DATE,
  orderedqty INTEGER,
  deliveredqty INTEGER,
  rejectedqty INTEGER,
  unitcost REAL
);
CREATE TABLE retailer (
  retailer_id INTEGER PRIMARY KEY,
  retailername TEXT,
  city TEXT,
  country TEXT,
  channel TEXT -- own, wholesale, online
);
CREATE TABLE sale (
  sale_id INTEGER PRIMARY KEY,
  retailer_id INTEGER REFERENCES retailer(retailer_id),
  sku_id INTEGER REFERENCES sku(sku_id),
  saledate DATE,
  qty INTEGER,
  unitprice REAL,
  discountpct REAL
);
CREATE TABLE customerreturn (
  return_id INTEGER PRIMARY KEY,
  sale_id INTEGER REFERENCES sale(sale_id),
  returndate DATE,
  qty INTEGER,
  reason TEXT -- fit, fault, other
);
