CREATE TABLE dim_grower (grower_id INTEGER PRIMARY KEY, grower_name TEXT, country TEXT, greenhouse_m2 INTEGER, certified TEXT); -- certificate name or NULL
CREATE TABLE dim_flower (flower_id INTEGER PRIMARY KEY, species TEXT, cultivar TEXT, color TEXT, vase_life_days INTEGER, season TEXT);
CREATE TABLE tbl_buyer (buyer_id INTEGER PRIMARY KEY, buyer_name TEXT, buyer_type TEXT, -- florist, wholesaler, supermarket
  city TEXT, since_date TEXT, payment_days INTEGER);
CREATE TABLE t_lot (lot_id INTEGER PRIMARY KEY, grower_id INTEGER REFERENCES dim_grower(grower_id), flower_id INTEGER REFERENCES dim_flower(flower_id), cut_date TEXT, delivered_at TEXT, stems INTEGER, stem_length_cm INTEGER, quality_class TEXT, -- A1, A2, B1
  reserve_price REAL);
CREATE TABLE fct_auction_sale (sale_id INTEGER PRIMARY KEY, lot_id INTEGER REFERENCES t_lot(lot_id), buyer_id INTEGER REFERENCES tbl_buyer(buyer_id), clock_no INTEGER, sold_at TEXT, stems_sold INTEGER, price_per_stem REAL);
CREATE TABLE fct_waste (waste_id INTEGER PRIMARY KEY, lot_id INTEGER REFERENCES t_lot(lot_id), noted_on TEXT, stems_lost INTEGER, reason TEXT);
CREATE TABLE tbl_claim (claim_id INTEGER PRIMARY KEY, sale_id INTEGER REFERENCES fct_auction_sale(sale_id), filed_on TEXT, settled_on TEXT, reason TEXT, claimed_amount REAL, paid_amount REAL);
CREATE TABLE tbl_truck (truck_id INTEGER PRIMARY KEY, plate TEXT, carrier TEXT, capacity_trolleys INTEGER, cooled INTEGER);
CREATE TABLE fct_delivery (delivery_id INTEGER PRIMARY KEY, sale_id INTEGER REFERENCES fct_auction_sale(sale_id), truck_id INTEGER REFERENCES tbl_truck(truck_id), loaded_at TEXT, arrived_at TEXT, temp_on_arrival REAL);
