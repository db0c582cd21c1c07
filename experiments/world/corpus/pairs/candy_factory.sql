CREATE TABLE product_families (
  product_family_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  contains_gelatin INTEGER -- 1 yes, 0 no
);
CREATE TABLE candies (
  candy_id INTEGER PRIMARY KEY,
  product_family_id INTEGER REFERENCES product_families(product_family_id),
  name TEXT NOT NULL,
  flavour TEXT,
  piece_weight_grams REAL,
  list_price_cents INTEGER, -- per bag
  launched_on DATE,
  discontinued_on DATE -- NULL while still made
);
CREATE TABLE ingredients (
  ingredient_id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  allergen_code TEXT, -- M milk, N nuts, S soy, W wheat, NULL none
  cost_per_kilogram REAL
);
CREATE TABLE recipe_lines (
  candy_id INTEGER REFERENCES candies(candy_id),
  ingredient_id INTEGER REFERENCES ingredients(ingredient_id),
  grams_per_kilogram REAL,
  PRIMARY KEY (candy_id, ingredient_id)
);
CREATE TABLE production_lines (
  production_line_id INTEGER PRIMARY KEY,
  name TEXT,
  hall TEXT,
  rated_kilograms_per_hour REAL,
  commissioned_on DATE
);
CREATE TABLE batches (
  batch_id INTEGER PRIMARY KEY,
  candy_id INTEGER REFERENCES candies(candy_id),
  production_line_id INTEGER REFERENCES production_lines(production_line_id),
  started_at DATETIME,
  finished_at DATETIME, -- NULL while running
  planned_kilograms REAL,
  produced_kilograms REAL,
  scrap_kilograms REAL,
  status TEXT -- 'running', 'released', 'blocked', 'scrapped'
);
CREATE TABLE quality_checks (
  quality_check_id INTEGER PRIMARY KEY,
  batch_id INTEGER REFERENCES batches(batch_id),
  checked_at DATETIME,
  check_type TEXT, -- 'moisture', 'weight', 'colour', 'metal'
  measured_value REAL,
  result TEXT -- 'P' passed, 'F' failed
);
CREATE TABLE customers (
  customer_id INTEGER PRIMARY KEY,
  name TEXT,
  country TEXT,
  channel TEXT -- 'retail', 'wholesale', 'online'
);
CREATE TABLE orders (
  order_id INTEGER PRIMARY KEY,
  customer_id INTEGER REFERENCES customers(customer_id),
  ordered_on DATE,
  shipped_on DATE,
  status TEXT -- 'open', 'shipped', 'cancelled'
);
CREATE TABLE order_lines (
  order_id INTEGER REFERENCES orders(order_id),
  line_number INTEGER,
  candy_id INTEGER REFERENCES candies(candy_id),
  bags INTEGER,
  unit_price_cents INTEGER,
  PRIMARY KEY (order_id, line_number)
);
