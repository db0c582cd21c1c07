CREATE TABLE parish (parishid INTEGER PRIMARY KEY, parishname TEXT, deanery TEXT, foundedyear INTEGER);
CREATE TABLE household (householdid INTEGER PRIMARY KEY, parishid INTEGER REFERENCES parish(parishid), familyname TEXT, street TEXT, town TEXT);
CREATE TABLE parishioner (parishionerid INTEGER PRIMARY KEY, householdid INTEGER REFERENCES household(householdid), firstname TEXT, lastname TEXT, birthdate TEXT, deathdate TEXT, gender TEXT, -- f, m
 joindate TEXT, leavedate TEXT, email TEXT);
CREATE TABLE clergy (clergyid INTEGER PRIMARY KEY, parishid INTEGER REFERENCES parish(parishid), fullname TEXT, clergyrank TEXT, -- PR priest, DC deacon, BS bishop
 ordaineddate TEXT);
CREATE TABLE sacrament (sacramentid INTEGER PRIMARY KEY, parishionerid INTEGER REFERENCES parishioner(parishionerid), clergyid INTEGER REFERENCES clergy(clergyid), kind TEXT, -- BAP baptism, COM first communion, CNF confirmation, MAR marriage, FUN funeral
 celebrateddate TEXT, registerno TEXT);
CREATE TABLE churchservice (serviceid INTEGER PRIMARY KEY, parishid INTEGER REFERENCES parish(parishid), clergyid INTEGER REFERENCES clergy(clergyid), servicestart TEXT, language TEXT, headcount INTEGER);
CREATE TABLE donation (donationid INTEGER PRIMARY KEY, householdid INTEGER REFERENCES household(householdid), fundid INTEGER REFERENCES fund(fundid), giftdate TEXT, amountcents INTEGER, giftway TEXT -- basket, transfer, card
);
CREATE TABLE fund (fundid INTEGER PRIMARY KEY, fundname TEXT, goalcents INTEGER, closeddate TEXT);
CREATE TABLE ministry_group (groupid INTEGER PRIMARY KEY, parishid INTEGER REFERENCES parish(parishid), groupname TEXT, leaderid INTEGER REFERENCES parishioner(parishionerid));
CREATE TABLE group_member (groupid INTEGER REFERENCES ministry_group(groupid), parishionerid INTEGER REFERENCES parishioner(parishionerid), sincedate TEXT, untildate TEXT, PRIMARY KEY (groupid, parishionerid));
