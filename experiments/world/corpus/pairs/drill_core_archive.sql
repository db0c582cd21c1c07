CREATE TABLE projects (project_id INTEGER PRIMARY KEY, project_name TEXT, company_name TEXT, commodity TEXT, start_year INTEGER, end_year INTEGER, region TEXT);
CREATE TABLE drill_holes (hole_id INTEGER PRIMARY KEY, hole_name TEXT, project_id INTEGER REFERENCES projects(project_id), easting REAL, northing REAL, collar_elevation_meters REAL, total_depth_meters REAL, azimuth_degrees REAL, dip_degrees REAL, drill_start_date TEXT, drill_end_date TEXT, driller_name TEXT, drilling_method TEXT);
CREATE TABLE storage_sites (site_id INTEGER PRIMARY KEY, site_name TEXT, town TEXT, shelf_capacity INTEGER);
CREATE TABLE core_boxes (box_id INTEGER PRIMARY KEY, hole_id INTEGER REFERENCES drill_holes(hole_id), box_number INTEGER, depth_from_meters REAL, depth_to_meters REAL, recovery_percent REAL, core_diameter_millimeters REAL, site_id INTEGER REFERENCES storage_sites(site_id), shelf_code TEXT, received_date TEXT, discarded_date TEXT, box_condition TEXT); -- good, fair, damaged
CREATE TABLE lithology_logs (log_id INTEGER PRIMARY KEY, hole_id INTEGER REFERENCES drill_holes(hole_id), depth_from_meters REAL, depth_to_meters REAL, rock_type TEXT, color TEXT, logged_by TEXT, logged_date TEXT);
CREATE TABLE samples (sample_id INTEGER PRIMARY KEY, box_id INTEGER REFERENCES core_boxes(box_id), sample_label TEXT, depth_from_meters REAL, depth_to_meters REAL, taken_date TEXT, taken_by TEXT, weight_grams REAL);
CREATE TABLE assays (assay_id INTEGER PRIMARY KEY, sample_id INTEGER REFERENCES samples(sample_id), element TEXT, -- Au, Cu, Zn ...
  value_ppm REAL, laboratory_name TEXT, reported_date TEXT, is_duplicate INTEGER);
CREATE TABLE loans (loan_id INTEGER PRIMARY KEY, box_id INTEGER REFERENCES core_boxes(box_id), borrower_id INTEGER REFERENCES borrowers(borrower_id), loaned_date TEXT, due_date TEXT, returned_date TEXT);
CREATE TABLE borrowers (borrower_id INTEGER PRIMARY KEY, borrower_name TEXT, institution TEXT, country TEXT);
CREATE TABLE core_photos (photo_id INTEGER PRIMARY KEY, box_id INTEGER REFERENCES core_boxes(box_id), taken_date TEXT, is_wet INTEGER, file_path TEXT);
