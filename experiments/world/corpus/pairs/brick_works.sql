CREATE TABLE claypit (
  claypitid INTEGER PRIMARY KEY,
  pitname TEXT,
  county TEXT,
  openedyear INTEGER,
  reserve_t REAL, -- tonnes left
  permitexpiry DATE
);
CREATE TABLE kiln (
  kilnid INTEGER PRIMARY KEY,
  kilnname TEXT,
  kilntype TEXT, -- 'tunnel', 'chamber', 'clamp'
  maxtemp INTEGER,
  capacity_pcs INTEGER,
  builtyear INTEGER
);
CREATE TABLE bricktype (
  bricktypeid INTEGER PRIMARY KEY,
  brickname TEXT,
  colour TEXT,
  lengthmm INTEGER,
  widthmm INTEGER,
  heightmm INTEGER,
  frostproof INTEGER, -- 1/0
  price_per_thousand REAL
);
CREATE TABLE claydelivery (
  deliveryid INTEGER PRIMARY KEY,
  claypitid INTEGER REFERENCES claypit(claypitid),
  deliverydate DATE,
  tonnes REAL,
  moisturepct REAL
);
CREATE TABLE firing (
  firingid INTEGER PRIMARY KEY,
  kilnid INTEGER REFERENCES kiln(kilnid),
  bricktypeid INTEGER REFERENCES bricktype(bricktypeid),
  starttime DATETIME,
  endtime DATETIME, -- NULL = still firing
  toptemp INTEGER,
  loaded_pcs INTEGER,
  good_pcs INTEGER,
  seconds_pcs INTEGER, -- second grade
  broken_pcs INTEGER,
  gas_m3 REAL
);
CREATE TABLE labtest (
  labtestid INTEGER PRIMARY KEY,
  firingid INTEGER REFERENCES firing(firingid),
  testdate DATE,
  testkind TEXT, -- 'strength', 'absorption', 'frost'
  testvalue REAL,
  passed INTEGER -- 1/0
);
CREATE TABLE buyer (
  buyerid INTEGER PRIMARY KEY,
  buyername TEXT,
  buyerkind TEXT, -- 'merchant', 'builder', 'private'
  county TEXT
);
CREATE TABLE salesorder (
  orderid INTEGER PRIMARY KEY,
  buyerid INTEGER REFERENCES buyer(buyerid),
  orderdate DATE,
  promiseddate DATE,
  orderstatus TEXT -- 'open', 'delivered', 'cancelled'
);
CREATE TABLE orderline (
  orderid INTEGER REFERENCES salesorder(orderid),
  lineno INTEGER,
  bricktypeid INTEGER REFERENCES bricktype(bricktypeid),
  pieces INTEGER,
  price_per_thousand REAL,
  secondgrade INTEGER, -- 1 = seconds
  PRIMARY KEY (orderid, lineno)
);
CREATE TABLE load (
  loadid INTEGER PRIMARY KEY,
  orderid INTEGER REFERENCES salesorder(orderid),
  loaddate DATE,
  truckplate TEXT,
  pallets INTEGER,
  returnedpallets INTEGER
);
