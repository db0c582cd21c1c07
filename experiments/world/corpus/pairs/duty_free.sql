CREATE TABLE dim_airport (
  airport_code TEXT PRIMARY KEY, -- IATA
  airport_name TEXT,
  country TEXT,
  annual_passengers INTEGER
);
CREATE TABLE dim_shop (
  shop_key INTEGER PRIMARY KEY,
  airport_code TEXT REFERENCES dim_airport(airport_code),
  shop_name TEXT,
  terminal TEXT,
  zone TEXT, -- ARR arrivals, DEP departures, TRA transit
  floor_sqm REAL,
  open_date DATE,
  close_date DATE
);
CREATE TABLE dim_brand (
  brand_key INTEGER PRIMARY KEY,
  brand_name TEXT,
  owner_group TEXT
);
CREATE TABLE dim_product (
  product_key INTEGER PRIMARY KEY,
  brand_key INTEGER REFERENCES dim_brand(brand_key),
  product_name TEXT,
  category TEXT, -- SPI spirits, TOB tobacco, PER perfume, CON confectionery, FAS fashion
  list_price_eur REAL,
  cost_eur REAL,
  travel_exclusive INTEGER -- 1/0
);
CREATE TABLE tbl_staff (
  staff_id INTEGER PRIMARY KEY,
  shop_key INTEGER REFERENCES dim_shop(shop_key),
  staff_name TEXT,
  job TEXT, -- cashier, advisor, manager
  start_date DATE,
  end_date DATE
);
CREATE TABLE fct_receipt (
  receipt_no INTEGER PRIMARY KEY,
  shop_key INTEGER REFERENCES dim_shop(shop_key),
  staff_id INTEGER REFERENCES tbl_staff(staff_id),
  sold_at DATETIME,
  nationality TEXT, -- ISO code, null = not scanned
  destination TEXT REFERENCES dim_airport(airport_code),
  pay_method TEXT -- CSH, CRD, WLT
);
CREATE TABLE fct_receipt_line (
  receipt_no INTEGER REFERENCES fct_receipt(receipt_no),
  line_no INTEGER,
  product_key INTEGER REFERENCES dim_product(product_key),
  qty INTEGER, -- negative = return
  gross_eur REAL, -- line total before discount
  discount_eur REAL,
  PRIMARY KEY (receipt_no, line_no)
);
CREATE TABLE t_stock_count (
  shop_key INTEGER REFERENCES dim_shop(shop_key),
  product_key INTEGER REFERENCES dim_product(product_key),
  count_date DATE,
  counted_qty INTEGER,
  book_qty INTEGER,
  PRIMARY KEY (shop_key, product_key, count_date)
);
