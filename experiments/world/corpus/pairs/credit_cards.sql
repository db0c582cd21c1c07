CREATE TABLE cust (cust_id INTEGER PRIMARY KEY, cust_nm TEXT, brth_dt TEXT, ctry_cd TEXT, inc_amt REAL, risk_cls TEXT, -- L, M, H
 cls_dt TEXT);
CREATE TABLE prod (prod_cd TEXT PRIMARY KEY, prod_nm TEXT, ntwk_cd TEXT, -- VI, MC, AX
 ann_fee REAL, apr_pct REAL);
CREATE TABLE acct (acct_no TEXT PRIMARY KEY, cust_id INTEGER REFERENCES cust(cust_id), prod_cd TEXT REFERENCES prod(prod_cd), opn_dt TEXT, cls_dt TEXT, crd_lmt REAL, sts_cd TEXT); -- A active, B blocked, C closed, D default
CREATE TABLE crd (crd_id INTEGER PRIMARY KEY, acct_no TEXT REFERENCES acct(acct_no), hldr_nm TEXT, iss_dt TEXT, exp_dt TEXT, main_flg TEXT, -- Y main, N additional
 lost_dt TEXT);
CREATE TABLE mcht (mcht_id INTEGER PRIMARY KEY, mcht_nm TEXT, mcc TEXT, ctry_cd TEXT);
CREATE TABLE mcc_grp (mcc TEXT PRIMARY KEY, grp_nm TEXT);
CREATE TABLE txn (txn_id INTEGER PRIMARY KEY, crd_id INTEGER REFERENCES crd(crd_id), mcht_id INTEGER REFERENCES mcht(mcht_id), txn_ts TEXT, amt REAL, ccy_cd TEXT, amt_eur REAL, chnl_cd TEXT, -- P pos, O online, A atm
 sts_cd TEXT); -- P posted, D declined, R reversed
CREATE TABLE stmt (stmt_id INTEGER PRIMARY KEY, acct_no TEXT REFERENCES acct(acct_no), prd_end_dt TEXT, due_dt TEXT, bal_amt REAL, min_due_amt REAL, pd_amt REAL, pd_dt TEXT);
CREATE TABLE dsp (dsp_id INTEGER PRIMARY KEY, txn_id INTEGER REFERENCES txn(txn_id), opn_dt TEXT, cls_dt TEXT, rsn_cd TEXT, -- FRD fraud, DUP duplicate, NRC not received
 won_flg TEXT); -- Y customer won, N lost
