CREATE TABLE dim_flood_zone (zone_cd TEXT PRIMARY KEY, -- A high risk, V coastal, X low
 zone_desc TEXT, base_rate REAL);
CREATE TABLE dim_agent (agent_key INTEGER PRIMARY KEY, agent_name TEXT, agency TEXT, licensed_on TEXT, commission_pct REAL);
CREATE TABLE dim_adjuster (adjuster_key INTEGER PRIMARY KEY, adjuster_name TEXT, home_state TEXT, is_external INTEGER);
CREATE TABLE tbl_policyholder (holder_id INTEGER PRIMARY KEY, holder_name TEXT, holder_type TEXT, -- P person, B business
 mailing_state TEXT, birth_date TEXT);
CREATE TABLE tbl_property (property_id INTEGER PRIMARY KEY, holder_id INTEGER REFERENCES tbl_policyholder(holder_id), street TEXT, city TEXT, state TEXT, zone_cd TEXT REFERENCES dim_flood_zone(zone_cd), built_year INTEGER, elevation_ft REAL, base_flood_elev_ft REAL, market_value REAL);
CREATE TABLE tbl_policy (policy_id INTEGER PRIMARY KEY, policy_no TEXT, property_id INTEGER REFERENCES tbl_property(property_id), agent_key INTEGER REFERENCES dim_agent(agent_key), effective_date TEXT, expiry_date TEXT, cancelled_date TEXT, building_cover REAL, contents_cover REAL, deductible REAL, annual_premium REAL);
CREATE TABLE t_flood_event (event_id INTEGER PRIMARY KEY, event_name TEXT, start_date TEXT, end_date TEXT, cause TEXT); -- hurricane, river, flash
CREATE TABLE fct_claim (claim_id INTEGER PRIMARY KEY, policy_id INTEGER REFERENCES tbl_policy(policy_id), event_id INTEGER REFERENCES t_flood_event(event_id), adjuster_key INTEGER REFERENCES dim_adjuster(adjuster_key), loss_date TEXT, reported_date TEXT, closed_date TEXT, claimed_amt REAL, approved_amt REAL, claim_status TEXT); -- OPN, APP, DEN, WDR
CREATE TABLE fct_payout (payout_id INTEGER PRIMARY KEY, claim_id INTEGER REFERENCES fct_claim(claim_id), payout_date TEXT, payout_amt REAL, payout_kind TEXT); -- ADV advance, FIN final
CREATE TABLE fct_premium (premium_id INTEGER PRIMARY KEY, policy_id INTEGER REFERENCES tbl_policy(policy_id), due_date TEXT, paid_date TEXT, amount REAL);
