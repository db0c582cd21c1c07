CREATE TABLE mbr (mbr_id INTEGER PRIMARY KEY, fst_nm TEXT, lst_nm TEXT, brth_dt TEXT, gndr_cd TEXT, -- F, M
 join_dt TEXT, left_dt TEXT, ctg_cd TEXT REFERENCES mbr_ctg(ctg_cd), ph_no TEXT);
CREATE TABLE mbr_ctg (ctg_cd TEXT PRIMARY KEY, -- SEN senior, JUN junior, STU student, HON honorary
 ctg_nm TEXT, yr_fee REAL);
CREATE TABLE fee_pmt (pmt_id INTEGER PRIMARY KEY, mbr_id INTEGER REFERENCES mbr(mbr_id), ssn_yr INTEGER, due_amt REAL, pd_amt REAL, pd_dt TEXT);
CREATE TABLE crt (crt_no INTEGER PRIMARY KEY, hall_nm TEXT, flr_typ TEXT, act_flg TEXT); -- Y, N
CREATE TABLE bkg (bkg_id INTEGER PRIMARY KEY, crt_no INTEGER REFERENCES crt(crt_no), mbr_id INTEGER REFERENCES mbr(mbr_id), strt_ts TEXT, dur_min INTEGER, cncl_flg TEXT); -- Y, N
CREATE TABLE trn (trn_id INTEGER PRIMARY KEY, trn_nm TEXT, strt_dt TEXT, end_dt TEXT, ent_fee REAL, lvl_cd TEXT); -- C club, R regional, N national
CREATE TABLE trn_ent (trn_id INTEGER REFERENCES trn(trn_id), mbr_id INTEGER REFERENCES mbr(mbr_id), disc_cd TEXT, -- MS, WS, MD, WD, XD
 seed_no INTEGER, PRIMARY KEY (trn_id, mbr_id, disc_cd));
CREATE TABLE mtch (mtch_id INTEGER PRIMARY KEY, trn_id INTEGER REFERENCES trn(trn_id), disc_cd TEXT, rnd_no INTEGER, crt_no INTEGER REFERENCES crt(crt_no), hm_mbr_id INTEGER REFERENCES mbr(mbr_id), aw_mbr_id INTEGER REFERENCES mbr(mbr_id), win_mbr_id INTEGER REFERENCES mbr(mbr_id), strt_ts TEXT, dur_min INTEGER, wo_flg TEXT); -- wo_flg Y walkover
CREATE TABLE mtch_set (mtch_id INTEGER REFERENCES mtch(mtch_id), set_no INTEGER, hm_pts INTEGER, aw_pts INTEGER, PRIMARY KEY (mtch_id, set_no));
