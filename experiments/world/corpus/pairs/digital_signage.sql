CREATE TABLE venue ( code TEXT PRIMARY KEY, name TEXT, city TEXT, "type" TEXT, "open" INTEGER ); -- type mall, station, gym; open 1/0
CREATE TABLE screen (
  code TEXT PRIMARY KEY, venue_code TEXT REFERENCES venue(code), "position" TEXT, inches INTEGER, orientation TEXT, -- P portrait, L landscape
  installed_on TEXT, removed_on TEXT
);
CREATE TABLE advertiser ( code TEXT PRIMARY KEY, name TEXT, industry TEXT, "since" TEXT, discount REAL ); -- percent
CREATE TABLE campaign (
  code TEXT PRIMARY KEY, advertiser_code TEXT REFERENCES advertiser(code), title TEXT, "from" TEXT, "to" TEXT, budget REAL, "status" TEXT -- draft, live, ended, stopped
);
CREATE TABLE spot ( code TEXT PRIMARY KEY, campaign_code TEXT REFERENCES campaign(code), title TEXT, seconds INTEGER, approved_on TEXT, "format" TEXT ); -- video, image
CREATE TABLE "group" ( code TEXT PRIMARY KEY, name TEXT );
CREATE TABLE group_screen ( group_code TEXT REFERENCES "group"(code), screen_code TEXT REFERENCES screen(code), PRIMARY KEY (group_code, screen_code) );
CREATE TABLE "order" ( code TEXT PRIMARY KEY, campaign_code TEXT REFERENCES campaign(code), group_code TEXT REFERENCES "group"(code), plays INTEGER, price REAL, "date" TEXT );
CREATE TABLE play ( id INTEGER PRIMARY KEY, spot_code TEXT REFERENCES spot(code), screen_code TEXT REFERENCES screen(code), played_at TEXT, completed INTEGER, viewers INTEGER );
CREATE TABLE outage ( id INTEGER PRIMARY KEY, screen_code TEXT REFERENCES screen(code), "start" TEXT, "end" TEXT, cause TEXT ); -- power, network, panel
