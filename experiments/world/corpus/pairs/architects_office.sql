CREATE TABLE client (
  code TEXT PRIMARY KEY, name TEXT, kind TEXT, -- public, private, developer
  city TEXT
);
CREATE TABLE architect (
  code TEXT PRIMARY KEY, name TEXT, "rank" TEXT, -- partner, senior, junior, intern
  rate REAL, -- euros per hour
  "start" TEXT, "end" TEXT
);
CREATE TABLE project (
  code TEXT PRIMARY KEY, title TEXT, client_code TEXT REFERENCES client(code), lead_code TEXT REFERENCES architect(code),
  "type" TEXT, -- housing, school, office, museum
  "start" TEXT, "end" TEXT, -- planned end
  closed_on TEXT, budget REAL, -- euros
  floor_area REAL -- square metres
);
CREATE TABLE phase (
  code TEXT PRIMARY KEY, project_code TEXT REFERENCES project(code),
  "order" INTEGER, name TEXT, fee REAL, due TEXT, done_on TEXT
);
CREATE TABLE drawing (
  code TEXT PRIMARY KEY, project_code TEXT REFERENCES project(code), author_code TEXT REFERENCES architect(code),
  "group" TEXT, -- plan, section, elevation, detail
  "scale" INTEGER, revision INTEGER, "date" TEXT
);
CREATE TABLE timesheet (
  id INTEGER PRIMARY KEY, architect_code TEXT REFERENCES architect(code), phase_code TEXT REFERENCES phase(code),
  "date" TEXT, hours REAL, billable INTEGER
);
CREATE TABLE invoice (
  code TEXT PRIMARY KEY, project_code TEXT REFERENCES project(code), phase_code TEXT REFERENCES phase(code),
  "date" TEXT, due TEXT, paid_on TEXT, amount REAL, "status" TEXT -- D draft, S sent, P paid, V void
);
CREATE TABLE permit (
  code TEXT PRIMARY KEY, project_code TEXT REFERENCES project(code), authority TEXT, filed_on TEXT, "decision" TEXT, -- granted, refused, NULL
  decided_on TEXT
);
