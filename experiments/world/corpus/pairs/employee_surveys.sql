CREATE TABLE org (org_id INTEGER PRIMARY KEY, org_nm TEXT, par_org_id INTEGER REFERENCES org(org_id), ctry_cd TEXT, hd_emp_id INTEGER REFERENCES emp(emp_id));
CREATE TABLE emp (emp_id INTEGER PRIMARY KEY, fst_nm TEXT, lst_nm TEXT, org_id INTEGER REFERENCES org(org_id), mgr_id INTEGER REFERENCES emp(emp_id), hire_dt TEXT, term_dt TEXT, jb_lvl INTEGER, wrk_typ TEXT, -- O office, R remote, H hybrid
  fte_pct REAL);
CREATE TABLE svy (svy_id INTEGER PRIMARY KEY, svy_nm TEXT, svy_typ TEXT, -- A annual, P pulse, X exit
  open_dt TEXT, close_dt TEXT, anon_flg TEXT, own_emp_id INTEGER REFERENCES emp(emp_id));
CREATE TABLE qst (qst_id INTEGER PRIMARY KEY, svy_id INTEGER REFERENCES svy(svy_id), seq_no INTEGER, qst_txt TEXT, qst_typ TEXT, -- S scale 1-5, T free text, Y yes/no
  dim_cd TEXT REFERENCES dim(dim_cd), mand_flg TEXT, rev_flg TEXT);
CREATE TABLE dim (dim_cd TEXT PRIMARY KEY, dim_nm TEXT); -- e.g. ENG engagement, LDR leadership, WLB work-life balance
CREATE TABLE inv (inv_id INTEGER PRIMARY KEY, svy_id INTEGER REFERENCES svy(svy_id), emp_id INTEGER REFERENCES emp(emp_id), sent_dt TEXT, rem_cnt INTEGER, opn_dt TEXT, bnc_flg TEXT);
CREATE TABLE rsp (rsp_id INTEGER PRIMARY KEY, inv_id INTEGER REFERENCES inv(inv_id), strt_ts TEXT, sbm_ts TEXT, -- NULL not submitted
  dvc_cd TEXT); -- M mobile, D desktop
CREATE TABLE ans (ans_id INTEGER PRIMARY KEY, rsp_id INTEGER REFERENCES rsp(rsp_id), qst_id INTEGER REFERENCES qst(qst_id), scr_val INTEGER, txt_val TEXT, yn_val TEXT);
CREATE TABLE actn (actn_id INTEGER PRIMARY KEY, svy_id INTEGER REFERENCES svy(svy_id), org_id INTEGER REFERENCES org(org_id), own_emp_id INTEGER REFERENCES emp(emp_id), dsc TEXT, crt_dt TEXT, due_dt TEXT, dn_dt TEXT, prty INTEGER);
