CREATE TABLE sch (sch_id INTEGER PRIMARY KEY, sch_nm TEXT, cty TEXT, sch_typ TEXT, -- P public, I independent, C college
  reg_dt TEXT, act_flg TEXT); -- Y / N
CREATE TABLE cand (cand_id INTEGER PRIMARY KEY, fst_nm TEXT, lst_nm TEXT, dob TEXT, gndr TEXT, sch_id INTEGER REFERENCES sch(sch_id), spc_arr_flg TEXT); -- special arrangements Y/N
CREATE TABLE subj (subj_cd TEXT PRIMARY KEY, subj_nm TEXT, lvl TEXT, -- O ordinary, A advanced
  fee_amt REAL);
CREATE TABLE ppr (ppr_id INTEGER PRIMARY KEY, subj_cd TEXT REFERENCES subj(subj_cd), ppr_no INTEGER, max_mrk INTEGER, dur_min INTEGER, wt_pct REAL);
CREATE TABLE sess (sess_id INTEGER PRIMARY KEY, sess_cd TEXT, yr INTEGER, seas TEXT, -- SUM, WIN
  open_dt TEXT, close_dt TEXT, rslt_dt TEXT);
CREATE TABLE entry (entry_id INTEGER PRIMARY KEY, cand_id INTEGER REFERENCES cand(cand_id), subj_cd TEXT REFERENCES subj(subj_cd), sess_id INTEGER REFERENCES sess(sess_id), ent_dt TEXT, late_flg TEXT, wdr_dt TEXT, grd TEXT, tot_mrk REAL, fee_pd REAL); -- grd A* A B C D E U, NULL not graded
CREATE TABLE exmr (exmr_id INTEGER PRIMARY KEY, exmr_nm TEXT, subj_cd TEXT REFERENCES subj(subj_cd), snr_flg TEXT, apt_dt TEXT, rate_amt REAL);
CREATE TABLE scrpt (scrpt_id INTEGER PRIMARY KEY, entry_id INTEGER REFERENCES entry(entry_id), ppr_id INTEGER REFERENCES ppr(ppr_id), exmr_id INTEGER REFERENCES exmr(exmr_id), mrk REAL, mod_mrk REAL, mrk_dt TEXT, abs_flg TEXT);
CREATE TABLE apl (apl_id INTEGER PRIMARY KEY, entry_id INTEGER REFERENCES entry(entry_id), apl_dt TEXT, dec_dt TEXT, otc TEXT, -- U upheld, R rejected
  old_grd TEXT, new_grd TEXT, apl_fee REAL);
