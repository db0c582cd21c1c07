CREATE TABLE brch (
  brch_cd TEXT PRIMARY KEY,
  brch_nm TEXT,
  cty TEXT
);
CREATE TABLE rep (
  rep_id INTEGER PRIMARY KEY,
  rep_nm TEXT,
  brch_cd TEXT REFERENCES brch(brch_cd),
  hire_dt DATE,
  term_dt DATE, -- null = employed
  lic_typ TEXT -- S6, S7, S65
);
CREATE TABLE cust (
  cust_id INTEGER PRIMARY KEY,
  cust_nm TEXT,
  dob DATE,
  st_cd TEXT, -- US state
  risk_prf TEXT, -- C conservative, M moderate, A aggressive
  rep_id INTEGER REFERENCES rep(rep_id)
);
CREATE TABLE acct (
  acct_no TEXT PRIMARY KEY,
  cust_id INTEGER REFERENCES cust(cust_id),
  acct_typ TEXT, -- CSH cash, MRG margin, IRA retirement
  opn_dt DATE,
  cls_dt DATE,
  csh_bal REAL
);
CREATE TABLE sec (
  sec_id INTEGER PRIMARY KEY,
  tkr TEXT,
  sec_nm TEXT,
  sec_typ TEXT, -- EQ equity, BD bond, ETF, MF mutual fund, OPT option
  sctr TEXT,
  curr_px REAL
);
CREATE TABLE ord (
  ord_id INTEGER PRIMARY KEY,
  acct_no TEXT REFERENCES acct(acct_no),
  sec_id INTEGER REFERENCES sec(sec_id),
  side TEXT, -- B buy, S sell
  ord_typ TEXT, -- MKT, LMT, STP
  ord_dt DATE,
  qty INTEGER,
  lmt_px REAL,
  sts TEXT -- N new, P partial, F filled, X cancelled
);
CREATE TABLE trd (
  trd_id INTEGER PRIMARY KEY,
  ord_id INTEGER REFERENCES ord(ord_id),
  trd_dt DATE,
  stl_dt DATE,
  qty INTEGER,
  px REAL,
  comm_amt REAL
);
CREATE TABLE pos (
  acct_no TEXT REFERENCES acct(acct_no),
  sec_id INTEGER REFERENCES sec(sec_id),
  qty INTEGER,
  avg_cost REAL,
  PRIMARY KEY (acct_no, sec_id)
);
CREATE TABLE cmpl (
  cmpl_id INTEGER PRIMARY KEY,
  cust_id INTEGER REFERENCES cust(cust_id),
  rep_id INTEGER REFERENCES rep(rep_id),
  rcv_dt DATE,
  rslv_dt DATE,
  stlm_amt REAL
);
