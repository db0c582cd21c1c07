CREATE TABLE appl (
  appl_id INTEGER PRIMARY KEY,
  fnm TEXT, lnm TEXT,
  dob TEXT, -- YYYY-MM-DD
  sex TEXT, -- F, M, X
  st_cd TEXT, -- home state, two letters; NULL for foreign
  ctry_cd TEXT, -- ISO 2
  hs_id INTEGER REFERENCES hs(hs_id),
  gpa REAL, -- 0 to 4, unweighted
  gpa_w REAL, -- weighted, up to 5
  fst_gen_flg INTEGER -- 1 first generation
);
CREATE TABLE hs (
  hs_id INTEGER PRIMARY KEY,
  hs_nm TEXT, cty TEXT, st_cd TEXT,
  typ TEXT -- PUB, PRV, CHR (charter)
);
CREATE TABLE prog (
  prog_cd TEXT PRIMARY KEY,
  prog_nm TEXT, dept_nm TEXT,
  deg TEXT, -- BA, BS, BFA
  cap INTEGER -- seats per year
);
CREATE TABLE app (
  app_id INTEGER PRIMARY KEY,
  appl_id INTEGER REFERENCES appl(appl_id),
  prog_cd TEXT REFERENCES prog(prog_cd),
  yr INTEGER, -- entry year
  rnd TEXT, -- ED early decision, EA early action, RD regular
  sub_dt TEXT, cmpl_dt TEXT,
  fee_amt REAL, fee_wvd INTEGER, -- 1 fee waived
  dec TEXT, -- A admit, D deny, W waitlist, NULL pending
  dec_dt TEXT
);
CREATE TABLE tst (
  tst_id INTEGER PRIMARY KEY,
  appl_id INTEGER REFERENCES appl(appl_id),
  typ TEXT, -- SAT, ACT, TOEFL
  scr INTEGER, tst_dt TEXT
);
CREATE TABLE rdr (
  rdr_id INTEGER PRIMARY KEY,
  rdr_nm TEXT, hire_dt TEXT, act_flg INTEGER
);
CREATE TABLE rvw (
  rvw_id INTEGER PRIMARY KEY,
  app_id INTEGER REFERENCES app(app_id),
  rdr_id INTEGER REFERENCES rdr(rdr_id),
  acad_scr INTEGER, pers_scr INTEGER, -- 1 to 9
  rvw_dt TEXT, mins INTEGER
);
CREATE TABLE aid (
  aid_id INTEGER PRIMARY KEY,
  app_id INTEGER REFERENCES app(app_id),
  typ TEXT, -- M merit, N need, A athletic
  amt REAL, offr_dt TEXT,
  acc_flg INTEGER -- 1 accepted, 0 declined, NULL no answer
);
CREATE TABLE enr (
  app_id INTEGER PRIMARY KEY REFERENCES app(app_id),
  dep_amt REAL, dep_dt TEXT, wdrw_dt TEXT
);
