CREATE TABLE rgn (
  rgn_cd TEXT PRIMARY KEY,
  rgn_nm TEXT
);
CREATE TABLE est (
  est_id INTEGER PRIMARY KEY,
  est_nm TEXT,
  ownr_nm TEXT,
  rgn_cd TEXT REFERENCES rgn(rgn_cd),
  area_ha REAL,
  cert_flg TEXT -- Y = FSC certified, N
);
CREATE TABLE plt (
  plt_id INTEGER PRIMARY KEY,
  est_id INTEGER REFERENCES est(est_id),
  plt_cd TEXT,
  area_ha REAL,
  tree_cnt INTEGER,
  lst_strp_yr INTEGER, -- null = virgin
  nxt_strp_yr INTEGER
);
CREATE TABLE crew (
  crew_id INTEGER PRIMARY KEY,
  frmn_nm TEXT,
  day_rt REAL,
  sz INTEGER
);
CREATE TABLE hrv (
  hrv_id INTEGER PRIMARY KEY,
  plt_id INTEGER REFERENCES plt(plt_id),
  crew_id INTEGER REFERENCES crew(crew_id),
  st_dt DATE,
  end_dt DATE,
  trees_strp INTEGER,
  dmg_cnt INTEGER, -- damaged trees
  kg_grs REAL
);
CREATE TABLE lot (
  lot_no TEXT PRIMARY KEY,
  hrv_id INTEGER REFERENCES hrv(hrv_id),
  cork_typ TEXT, -- AM amadia, SE secundeira, VI virgin
  grd INTEGER, -- 1 best .. 7
  kg REAL,
  mst_pct REAL,
  thk_mm REAL,
  stk_dt DATE
);
CREATE TABLE byr (
  byr_id INTEGER PRIMARY KEY,
  byr_nm TEXT,
  ctry TEXT,
  ind TEXT -- STP stoppers, FLR flooring, AER aerospace, CRF craft
);
CREATE TABLE sls (
  sls_id INTEGER PRIMARY KEY,
  lot_no TEXT REFERENCES lot(lot_no),
  byr_id INTEGER REFERENCES byr(byr_id),
  ord_dt DATE,
  shp_dt DATE,
  qty_kg REAL,
  px_kg REAL,
  pd_flg TEXT -- Y / N
);
CREATE TABLE lab (
  lab_id INTEGER PRIMARY KEY,
  lot_no TEXT REFERENCES lot(lot_no),
  tst_dt DATE,
  tca_ngl REAL, -- cork taint, ng/l
  por_pct REAL,
  ok_flg TEXT -- Y / N
);
