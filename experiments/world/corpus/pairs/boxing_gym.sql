CREATE TABLE mbr (
  mbr_id INTEGER PRIMARY KEY,
  fst_nm TEXT,
  lst_nm TEXT,
  sex_cd TEXT, -- M, F, X
  brth_dt DATE,
  join_dt DATE,
  left_dt DATE, -- NULL = still member
  wt_kg REAL,
  pln_cd TEXT REFERENCES pln(pln_cd),
  ref_mbr_id INTEGER REFERENCES mbr(mbr_id) -- member who referred this one
);
CREATE TABLE pln (
  pln_cd TEXT PRIMARY KEY, -- BAS, STD, PRO, KID
  pln_nm TEXT,
  mth_fee REAL,
  max_cls INTEGER -- classes per month, NULL = unlimited
);
CREATE TABLE coach (
  coach_id INTEGER PRIMARY KEY,
  nm TEXT,
  lic_lvl INTEGER, -- 1 to 3
  hr_rt REAL,
  hire_dt DATE
);
CREATE TABLE cls (
  cls_id INTEGER PRIMARY KEY,
  ttl TEXT,
  lvl TEXT, -- B beginner, I intermediate, A advanced
  coach_id INTEGER REFERENCES coach(coach_id),
  dow INTEGER, -- 0 Sunday .. 6 Saturday
  st_tm TEXT, -- HH:MM
  dur_min INTEGER,
  cap INTEGER
);
CREATE TABLE att (
  att_id INTEGER PRIMARY KEY,
  cls_id INTEGER REFERENCES cls(cls_id),
  mbr_id INTEGER REFERENCES mbr(mbr_id),
  att_dt DATE,
  shw_flg INTEGER -- 1 showed up, 0 no-show
);
CREATE TABLE pmt (
  pmt_id INTEGER PRIMARY KEY,
  mbr_id INTEGER REFERENCES mbr(mbr_id),
  due_dt DATE,
  pd_dt DATE, -- NULL = unpaid
  amt REAL,
  mthd TEXT -- C cash, D direct debit, K card
);
CREATE TABLE bout (
  bout_id INTEGER PRIMARY KEY,
  evt_nm TEXT,
  bout_dt DATE,
  mbr_id INTEGER REFERENCES mbr(mbr_id),
  opp_nm TEXT,
  rds INTEGER,
  res_cd TEXT, -- W, L, D
  mthd_cd TEXT -- KO, TKO, PTS, DSQ
);
CREATE TABLE gear_ln (
  ln_id INTEGER PRIMARY KEY,
  mbr_id INTEGER REFERENCES mbr(mbr_id),
  itm TEXT,
  out_dt DATE,
  ret_dt DATE,
  dep_amt REAL
);
