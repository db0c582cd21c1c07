CREATE TABLE donor (
  donorid INTEGER PRIMARY KEY,
  birthyear INTEGER,
  sex TEXT, -- 'f', 'm'
  bloodgroup TEXT,
  enrolldate DATE,
  withdrawdate DATE -- NULL = consent stands
);
CREATE TABLE consent (
  consentid INTEGER PRIMARY KEY,
  donorid INTEGER REFERENCES donor(donorid),
  consentscope TEXT, -- 'broad', 'cancer_only', 'non_genetic'
  signdate DATE,
  expirydate DATE
);
CREATE TABLE freezer (
  freezerid INTEGER PRIMARY KEY,
  freezername TEXT,
  room TEXT,
  settemp REAL, -- degrees C
  slotcount INTEGER
);
CREATE TABLE sample (
  sampleid INTEGER PRIMARY KEY,
  donorid INTEGER REFERENCES donor(donorid),
  parentsampleid INTEGER REFERENCES sample(sampleid), -- aliquots point to the sample they were taken from
  material TEXT, -- 'serum', 'plasma', 'dna', 'tissue', 'urine'
  collectdate DATE,
  volume_ul REAL,
  freezerid INTEGER REFERENCES freezer(freezerid),
  slotlabel TEXT,
  qualityscore REAL,
  samplestatus TEXT -- 'stored', 'out', 'used', 'destroyed'
);
CREATE TABLE diagnosis (
  diagnosisid INTEGER PRIMARY KEY,
  donorid INTEGER REFERENCES donor(donorid),
  icdcode TEXT,
  diagnosisdate DATE
);
CREATE TABLE project (
  projectid INTEGER PRIMARY KEY,
  projecttitle TEXT,
  leadscientist TEXT,
  institution TEXT,
  startdate DATE,
  enddate DATE,
  ethicsapproved INTEGER -- 1/0
);
CREATE TABLE sample_request (
  requestid INTEGER PRIMARY KEY,
  projectid INTEGER REFERENCES project(projectid),
  requestdate DATE,
  material TEXT,
  samplecount INTEGER, -- wanted
  decision TEXT, -- 'granted', 'refused', NULL pending
  decisiondate DATE
);
CREATE TABLE shipment_item (
  requestid INTEGER REFERENCES sample_request(requestid),
  sampleid INTEGER REFERENCES sample(sampleid),
  shipdate DATE,
  returndate DATE,
  PRIMARY KEY (requestid, sampleid)
);
CREATE TABLE temp_log (
  logid INTEGER PRIMARY KEY,
  freezerid INTEGER REFERENCES freezer(freezerid),
  logtime DATETIME,
  measuredtemp REAL,
  alarm INTEGER -- 1/0
);
