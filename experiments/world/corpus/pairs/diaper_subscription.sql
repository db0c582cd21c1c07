CREATE TABLE cust (
  cust_id INTEGER PRIMARY KEY, cust_nm TEXT, eml TEXT, zip TEXT, rgn_cd TEXT, -- NE, SE, MW, W
  reg_dt TEXT, src_cd TEXT, -- AD, REF, ORG
  ref_by INTEGER REFERENCES cust(cust_id)
);
CREATE TABLE bby (
  bby_id INTEGER PRIMARY KEY, cust_id INTEGER REFERENCES cust(cust_id), nm TEXT, brth_dt TEXT, wgt_g INTEGER, wgt_dt TEXT
);
CREATE TABLE prd (
  sku TEXT PRIMARY KEY, prd_nm TEXT, brnd TEXT, sz INTEGER, -- 1 to 6, NULL for wipes
  cat TEXT, -- DPR, WPE, CRM
  pcs INTEGER, lst_prc REAL, cst REAL, eco_flg TEXT, disc_dt TEXT
);
CREATE TABLE sub (
  sub_id INTEGER PRIMARY KEY, cust_id INTEGER REFERENCES cust(cust_id), strt_dt TEXT, end_dt TEXT, frq_wk INTEGER, -- weeks between boxes
  stat TEXT, -- ACT, PSD paused, CXL
  cxl_rsn TEXT
);
CREATE TABLE sub_itm (
  sub_id INTEGER REFERENCES sub(sub_id), sku TEXT REFERENCES prd(sku), qty INTEGER, unt_prc REAL, PRIMARY KEY (sub_id, sku)
);
CREATE TABLE shp (
  shp_id INTEGER PRIMARY KEY, sub_id INTEGER REFERENCES sub(sub_id), sched_dt TEXT, shp_dt TEXT, dlv_dt TEXT, car_cd TEXT, -- UPS, FDX, USP
  frt_amt REAL
);
CREATE TABLE shp_ln (
  shp_id INTEGER REFERENCES shp(shp_id), sku TEXT REFERENCES prd(sku), qty INTEGER, prc REAL, PRIMARY KEY (shp_id, sku)
);
CREATE TABLE pmt (
  pmt_id INTEGER PRIMARY KEY, shp_id INTEGER REFERENCES shp(shp_id), pmt_dt TEXT, amt_ct INTEGER, -- cents
  stat TEXT -- OK, DCL declined, RFD refunded
);
CREATE TABLE rtn (
  rtn_id INTEGER PRIMARY KEY, shp_id INTEGER REFERENCES shp(shp_id), sku TEXT REFERENCES prd(sku), qty INTEGER, rsn_cd TEXT, -- SZ wrong size, DMG, ALG allergy
  rtn_dt TEXT
);
