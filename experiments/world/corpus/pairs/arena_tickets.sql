CREATE TABLE Venues (
  VenueID INTEGER PRIMARY KEY,
  venue_name TEXT,
  city TEXT,
  capacity INTEGER
);
CREATE TABLE EVENTS (
  event_id INTEGER PRIMARY KEY,
  VenueID INTEGER REFERENCES Venues(VenueID),
  title TEXT,
  eventType TEXT, -- CON concert, SPO sport, COM comedy, FAM family
  announce_date DATE,
  onsale_date DATE,
  event_date DATE,
  status TEXT, -- planned, done, cancelled, moved
  promoterId INTEGER REFERENCES promoter(promoterId)
);
CREATE TABLE promoter (
  promoterId INTEGER PRIMARY KEY,
  promoter_name TEXT,
  contact_name TEXT,
  feePct REAL
);
CREATE TABLE seat_section (
  section_id INTEGER PRIMARY KEY,
  VenueID INTEGER REFERENCES Venues(VenueID),
  sectionName TEXT,
  level INTEGER,
  seats INTEGER
);
CREATE TABLE customers (
  CustomerID INTEGER PRIMARY KEY,
  first_name TEXT,
  last_name TEXT,
  billing_city TEXT,
  home_city TEXT,
  created_at DATE,
  vipFlag TEXT -- Y / N
);
CREATE TABLE ticketOrder (
  order_id INTEGER PRIMARY KEY,
  CustomerID INTEGER REFERENCES customers(CustomerID),
  order_date DATE,
  paid_date DATE,
  channel TEXT, -- web, app, box, phone
  gross_amount REAL,
  net_amount REAL,
  service_fee REAL
);
CREATE TABLE tickets (
  ticketNo INTEGER PRIMARY KEY,
  order_id INTEGER REFERENCES ticketOrder(order_id),
  event_id INTEGER REFERENCES EVENTS(event_id),
  section_id INTEGER REFERENCES seat_section(section_id),
  face_price REAL,
  sold_price REAL,
  scan_time DATETIME, -- null = did not enter
  refundFlag INTEGER -- 1 refunded
);
CREATE TABLE concession_sale (
  sale_id INTEGER PRIMARY KEY,
  event_id INTEGER REFERENCES EVENTS(event_id),
  product TEXT,
  category TEXT, -- food, drink, merch
  qty INTEGER,
  amount REAL
);
