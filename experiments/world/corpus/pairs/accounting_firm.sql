CREATE TABLE clnt (
  clnt_id INTEGER PRIMARY KEY,
  clnt_nm TEXT,
  leg_frm TEXT, -- 'LTD', 'LLP', 'ST' sole trader, 'NGO'
  ind_cd TEXT,
  city TEXT,
  onb_dt DATE,
  off_dt DATE, -- NULL = active
  prtnr_id INTEGER REFERENCES emp(emp_id)
);
CREATE TABLE emp (
  emp_id INTEGER PRIMARY KEY,
  emp_nm TEXT,
  grd_cd TEXT, -- P partner, M manager, S senior, J junior
  dept_cd TEXT REFERENCES dept(dept_cd),
  mgr_id INTEGER REFERENCES emp(emp_id),
  hr_cost REAL,
  bill_rt REAL, -- per hour
  hire_dt DATE,
  term_dt DATE
);
CREATE TABLE dept (
  dept_cd TEXT PRIMARY KEY, -- TAX, AUD, PAY, ADV
  dept_nm TEXT
);
CREATE TABLE eng (
  eng_id INTEGER PRIMARY KEY,
  clnt_id INTEGER REFERENCES clnt(clnt_id),
  svc_cd TEXT, -- 'TR' tax return, 'AU' audit, 'BK' bookkeeping, 'PR' payroll
  fy INTEGER, -- financial year
  bud_hrs REAL,
  fix_fee REAL, -- NULL = by the hour
  st_dt DATE,
  end_dt DATE,
  stat TEXT -- O open, C closed, X cancelled
);
CREATE TABLE tm (
  tm_id INTEGER PRIMARY KEY,
  eng_id INTEGER REFERENCES eng(eng_id),
  emp_id INTEGER REFERENCES emp(emp_id),
  wrk_dt DATE,
  hrs REAL,
  bil_flg INTEGER -- 1 billable
);
CREATE TABLE inv (
  inv_no INTEGER PRIMARY KEY,
  eng_id INTEGER REFERENCES eng(eng_id),
  inv_dt DATE,
  due_dt DATE,
  net_amt REAL,
  vat_amt REAL
);
CREATE TABLE rcpt (
  rcpt_id INTEGER PRIMARY KEY,
  inv_no INTEGER REFERENCES inv(inv_no),
  rcpt_dt DATE,
  amt REAL
);
CREATE TABLE fil (
  fil_id INTEGER PRIMARY KEY,
  eng_id INTEGER REFERENCES eng(eng_id),
  frm_cd TEXT,
  due_dt DATE,
  ext_dt DATE, -- extended deadline, NULL = none
  filed_dt DATE -- NULL = not filed
);
