CREATE TABLE research_stations (station_id INTEGER PRIMARY KEY, station_name TEXT, county TEXT, elevation_meters INTEGER, annual_rainfall_millimeters REAL);
CREATE TABLE fields (field_id INTEGER PRIMARY KEY, station_id INTEGER REFERENCES research_stations(station_id), field_label TEXT, soil_type TEXT, area_hectares REAL, is_irrigated INTEGER);
CREATE TABLE crops (crop_id INTEGER PRIMARY KEY, crop_name TEXT, crop_family TEXT);
CREATE TABLE varieties (variety_id INTEGER PRIMARY KEY, crop_id INTEGER REFERENCES crops(crop_id), variety_name TEXT, breeder_id INTEGER REFERENCES breeders(breeder_id), release_year INTEGER, maturity_days INTEGER, is_hybrid INTEGER);
CREATE TABLE breeders (breeder_id INTEGER PRIMARY KEY, breeder_name TEXT, country TEXT);
CREATE TABLE trials (trial_id INTEGER PRIMARY KEY, trial_title TEXT, crop_id INTEGER REFERENCES crops(crop_id), field_id INTEGER REFERENCES fields(field_id), lead_scientist TEXT, season_year INTEGER, start_date TEXT, end_date TEXT, trial_status TEXT); -- planned, active, completed, abandoned
CREATE TABLE plots (plot_id INTEGER PRIMARY KEY, trial_id INTEGER REFERENCES trials(trial_id), variety_id INTEGER REFERENCES varieties(variety_id), block_number INTEGER, area_square_meters REAL, sowing_date TEXT, emergence_date TEXT, harvest_date TEXT);
CREATE TABLE treatments (treatment_id INTEGER PRIMARY KEY, plot_id INTEGER REFERENCES plots(plot_id), treatment_type TEXT, -- fertilizer, fungicide, herbicide, irrigation
  product_name TEXT, application_date TEXT, dose_per_hectare REAL, cost_per_hectare REAL);
CREATE TABLE harvests (harvest_id INTEGER PRIMARY KEY, plot_id INTEGER REFERENCES plots(plot_id), yield_kilograms REAL, moisture_percent REAL, protein_percent REAL, weighed_on TEXT);
CREATE TABLE disease_scores (score_id INTEGER PRIMARY KEY, plot_id INTEGER REFERENCES plots(plot_id), disease_name TEXT, scored_on TEXT, severity INTEGER, scored_by TEXT); -- severity 0 none to 9 dead
