CREATE TABLE plant (
  plantid INTEGER PRIMARY KEY, plantname TEXT, town TEXT, openedon TEXT, maxcbm_hour REAL -- cubic metres per hour
);
CREATE TABLE truck (
  truckid INTEGER PRIMARY KEY, regno TEXT, plantid INTEGER REFERENCES plant(plantid),
  drumcbm REAL, -- drum volume in cubic metres
  purchasedate TEXT, solddate TEXT, odometerkm INTEGER
);
CREATE TABLE driver (
  driverid INTEGER PRIMARY KEY, drivername TEXT, hiredate TEXT, leavedate TEXT, licenceexpiry TEXT
);
CREATE TABLE customer (
  customerid INTEGER PRIMARY KEY, customername TEXT, town TEXT, creditlimit REAL, blocked_flag TEXT -- Y, N
);
CREATE TABLE mixdesign (
  mixcode TEXT PRIMARY KEY, strengthclass TEXT, cementkg REAL, -- per cubic metre
  priceper_cbm REAL, selfcompacting INTEGER
);
CREATE TABLE site (
  siteid INTEGER PRIMARY KEY, customerid INTEGER REFERENCES customer(customerid), siteaddress TEXT, distancekm REAL, pumpneeded INTEGER
);
CREATE TABLE customerorder (
  orderid INTEGER PRIMARY KEY, siteid INTEGER REFERENCES site(siteid), mixcode TEXT REFERENCES mixdesign(mixcode),
  ordercbm REAL, orderdate TEXT, pourdate TEXT, orderstatus TEXT -- N new, P poured, X cancelled
);
CREATE TABLE delivery (
  deliveryid INTEGER PRIMARY KEY, orderid INTEGER REFERENCES customerorder(orderid), truckid INTEGER REFERENCES truck(truckid), driverid INTEGER REFERENCES driver(driverid), plantid INTEGER REFERENCES plant(plantid),
  loadedcbm REAL, returnedcbm REAL, loadtime TEXT, arrivetime TEXT, unloadtime TEXT -- YYYY-MM-DD HH:MM:SS
);
CREATE TABLE slumptest (
  testid INTEGER PRIMARY KEY, deliveryid INTEGER REFERENCES delivery(deliveryid), slumpmm INTEGER, testtime TEXT, passed INTEGER
);
CREATE TABLE maintenance (
  jobid INTEGER PRIMARY KEY, truckid INTEGER REFERENCES truck(truckid), startdate TEXT, enddate TEXT, jobtype TEXT, -- service, repair, drumclean
  labourcost REAL, partscost REAL
);
