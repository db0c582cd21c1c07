CREATE TABLE dim_store (
  store_key INTEGER PRIMARY KEY,
  store_name TEXT,
  city TEXT,
  floor_sqm REAL,
  opened_on DATE,
  closed_on DATE -- NULL = open
);
CREATE TABLE dim_genre (
  genre_key INTEGER PRIMARY KEY,
  genre_name TEXT,
  parent_genre_key INTEGER REFERENCES dim_genre(genre_key)
);
CREATE TABLE dim_publisher (
  publisher_key INTEGER PRIMARY KEY,
  publisher_name TEXT,
  country TEXT
);
CREATE TABLE dim_book (
  book_key INTEGER PRIMARY KEY,
  isbn TEXT,
  title TEXT,
  genre_key INTEGER REFERENCES dim_genre(genre_key),
  publisher_key INTEGER REFERENCES dim_publisher(publisher_key),
  pub_date DATE,
  binding TEXT, -- 'HC' hardcover, 'PB' paperback, 'AU' audio
  list_price REAL,
  purchase_price REAL
);
CREATE TABLE tbl_author (
  author_id INTEGER PRIMARY KEY,
  author_name TEXT,
  nationality TEXT
);
CREATE TABLE tbl_book_author (
  book_key INTEGER REFERENCES dim_book(book_key),
  author_id INTEGER REFERENCES tbl_author(author_id),
  PRIMARY KEY (book_key, author_id)
);
CREATE TABLE tbl_member (
  member_id INTEGER PRIMARY KEY,
  member_name TEXT,
  tier TEXT, -- 'S' silver, 'G' gold, 'P' platinum
  joined_on DATE,
  home_store_key INTEGER REFERENCES dim_store(store_key)
);
CREATE TABLE fct_sale (
  sale_id INTEGER PRIMARY KEY,
  sold_at DATETIME,
  store_key INTEGER REFERENCES dim_store(store_key),
  member_id INTEGER REFERENCES tbl_member(member_id), -- NULL = no card
  till_no INTEGER
);
CREATE TABLE fct_sale_line (
  sale_id INTEGER REFERENCES fct_sale(sale_id),
  line_no INTEGER,
  book_key INTEGER REFERENCES dim_book(book_key),
  qty INTEGER, -- negative = return
  unit_price REAL,
  discount REAL, -- amount off the line
  PRIMARY KEY (sale_id, line_no)
);
CREATE TABLE t_stock (
  store_key INTEGER REFERENCES dim_store(store_key),
  book_key INTEGER REFERENCES dim_book(book_key),
  on_hand INTEGER,
  min_level INTEGER,
  last_count DATE,
  PRIMARY KEY (store_key, book_key)
);
