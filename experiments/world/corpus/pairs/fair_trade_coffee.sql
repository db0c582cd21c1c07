CREATE TABLE cooperatives (cooperative_id INTEGER PRIMARY KEY, cooperative_name TEXT, country TEXT, certified_since TEXT, certification_ends TEXT);
CREATE TABLE farmers (farmer_id INTEGER PRIMARY KEY, cooperative_id INTEGER REFERENCES cooperatives(cooperative_id), full_name TEXT, gender TEXT, -- female, male
 joined_on TEXT, hectares REAL, altitude_metres INTEGER);
CREATE TABLE harvest_lots (lot_id INTEGER PRIMARY KEY, farmer_id INTEGER REFERENCES farmers(farmer_id), variety TEXT, process_method TEXT, -- washed, natural, honey
 harvested_on TEXT, weight_kilograms REAL, price_paid_per_kilogram REAL, is_organic INTEGER);
CREATE TABLE cupping_scores (lot_id INTEGER REFERENCES harvest_lots(lot_id), cupper_name TEXT, cupped_on TEXT, score REAL, PRIMARY KEY (lot_id, cupper_name));
CREATE TABLE buyers (buyer_id INTEGER PRIMARY KEY, buyer_name TEXT, buyer_country TEXT, buyer_type TEXT); -- roaster, importer, retailer
CREATE TABLE contracts (contract_id INTEGER PRIMARY KEY, buyer_id INTEGER REFERENCES buyers(buyer_id), cooperative_id INTEGER REFERENCES cooperatives(cooperative_id), signed_on TEXT, agreed_kilograms REAL, price_per_kilogram REAL, premium_per_kilogram REAL, contract_status TEXT); -- open, fulfilled, cancelled
CREATE TABLE shipments (shipment_id INTEGER PRIMARY KEY, contract_id INTEGER REFERENCES contracts(contract_id), departed_on TEXT, arrived_on TEXT, port_of_arrival TEXT);
CREATE TABLE shipment_lots (shipment_id INTEGER REFERENCES shipments(shipment_id), lot_id INTEGER REFERENCES harvest_lots(lot_id), kilograms REAL, PRIMARY KEY (shipment_id, lot_id));
CREATE TABLE community_projects (project_id INTEGER PRIMARY KEY, cooperative_id INTEGER REFERENCES cooperatives(cooperative_id), project_name TEXT, topic TEXT, budget REAL, spent REAL, started_on TEXT, finished_on TEXT);
