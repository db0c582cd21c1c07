CREATE TABLE investors (
  investorId INTEGER PRIMARY KEY, investorName TEXT, investorType TEXT, -- pension, insurer, family, retail
  countryCode TEXT, onboardedOn TEXT, kycStatus TEXT -- ok, expired, pending
);
CREATE TABLE commitments (
  commitmentId INTEGER PRIMARY KEY, investorId INTEGER REFERENCES investors(investorId), vintageYear INTEGER, committedAmount REAL, signedOn TEXT
);
CREATE TABLE capitalCalls (
  callId INTEGER PRIMARY KEY, commitmentId INTEGER REFERENCES commitments(commitmentId), calledAmount REAL, noticeDate TEXT, dueDate TEXT, receivedOn TEXT
);
CREATE TABLE projects (
  projectId INTEGER PRIMARY KEY, projectName TEXT, technology TEXT, -- wind, solar, hydro, storage
  countryCode TEXT, capacityMw REAL, stage TEXT, -- pipeline, construction, operating, sold
  approvedOn TEXT, operationalOn TEXT, exitOn TEXT, plannedCost REAL, actualCost REAL
);
CREATE TABLE investments (
  investmentId INTEGER PRIMARY KEY, projectId INTEGER REFERENCES projects(projectId), investedOn TEXT, amountEur REAL, instrument TEXT -- equity, loan
);
CREATE TABLE distributions (
  distributionId INTEGER PRIMARY KEY, projectId INTEGER REFERENCES projects(projectId), paidOn TEXT, amountEur REAL, kind TEXT -- dividend, interest, exit
);
CREATE TABLE production (
  projectId INTEGER REFERENCES projects(projectId), month TEXT, -- YYYY-MM
  forecastMwh REAL, actualMwh REAL, revenueEur REAL, PRIMARY KEY (projectId, month)
);
CREATE TABLE valuations (
  valuationId INTEGER PRIMARY KEY, projectId INTEGER REFERENCES projects(projectId), valuedOn TEXT, fairValueEur REAL, valuer TEXT
);
CREATE TABLE riskFlags (
  flagId INTEGER PRIMARY KEY, projectId INTEGER REFERENCES projects(projectId), category TEXT, -- permit, grid, supplier, weather
  severity TEXT, -- low, medium, high
  raisedOn TEXT, clearedOn TEXT
);
