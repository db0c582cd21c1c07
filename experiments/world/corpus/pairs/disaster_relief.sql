CREATE TABLE disaster (disaster_id INTEGER PRIMARY KEY, disasterName TEXT, kind TEXT, -- FLD flood, EQK earthquake, DRT drought, CYC cyclone
  country TEXT, began_on TEXT, declared_on TEXT, ended_on TEXT, people_affected INTEGER, people_displaced INTEGER);
CREATE TABLE Agencies (AgencyCode TEXT PRIMARY KEY, agency_name TEXT, shortname TEXT, agencyType TEXT, -- UN, NGO, GOV
  hq_country TEXT);
CREATE TABLE camp (campId INTEGER PRIMARY KEY, disaster_id INTEGER REFERENCES disaster(disaster_id), camp_name TEXT, district TEXT, opened_on TEXT, closed_on TEXT, capacityPersons INTEGER, current_persons INTEGER, managing_agency TEXT REFERENCES Agencies(AgencyCode));
CREATE TABLE household (hh_no INTEGER PRIMARY KEY, campId INTEGER REFERENCES camp(campId), head_name TEXT, registered_on TEXT, arrived_on TEXT, departed_on TEXT, members_total INTEGER, members_under5 INTEGER, vulnerable_flag TEXT); -- Y/N
CREATE TABLE donor (donorID INTEGER PRIMARY KEY, donor_name TEXT, donorType TEXT, donor_country TEXT);
CREATE TABLE PLEDGE (pledge_no INTEGER PRIMARY KEY, donorID INTEGER REFERENCES donor(donorID), disaster_id INTEGER REFERENCES disaster(disaster_id), pledged_on TEXT, amount_pledged REAL, amount_committed REAL, amount_received REAL, last_received_on TEXT);
CREATE TABLE relief_item (item_code TEXT PRIMARY KEY, itemName TEXT, item_group TEXT, unitCost REAL, unit_weight_kg REAL);
CREATE TABLE warehouse (wh_id INTEGER PRIMARY KEY, wh_name TEXT, town TEXT, managed_by TEXT REFERENCES Agencies(AgencyCode));
CREATE TABLE stock (wh_id INTEGER REFERENCES warehouse(wh_id), item_code TEXT REFERENCES relief_item(item_code), qty_onhand INTEGER, qty_reserved INTEGER, min_qty INTEGER, PRIMARY KEY (wh_id, item_code));
CREATE TABLE Distribution (distID INTEGER PRIMARY KEY, campId INTEGER REFERENCES camp(campId), wh_id INTEGER REFERENCES warehouse(wh_id), item_code TEXT REFERENCES relief_item(item_code), agency TEXT REFERENCES Agencies(AgencyCode), requested_on TEXT, shipped_on TEXT, delivered_on TEXT, qty_requested INTEGER, qty_shipped INTEGER, qty_delivered INTEGER);
