CREATE TABLE dim_court (court_id INTEGER PRIMARY KEY, court_name TEXT, district TEXT);
CREATE TABLE dim_bailiff (bailiff_id INTEGER PRIMARY KEY, full_name TEXT, court_id INTEGER, sworn_in_date TEXT, retired_date TEXT, FOREIGN KEY (court_id) REFERENCES dim_court(court_id));
CREATE TABLE dim_asset_type (asset_type_cd TEXT PRIMARY KEY, -- VEH vehicle, REA real estate, BNK bank account, WAG wages, MOV movable goods
 asset_type_name TEXT);
CREATE TABLE tbl_debtor (debtor_id INTEGER PRIMARY KEY, debtor_name TEXT, is_company INTEGER, city TEXT, birth_date TEXT);
CREATE TABLE tbl_creditor (creditor_id INTEGER PRIMARY KEY, creditor_name TEXT, sector TEXT);
CREATE TABLE tbl_case (case_id INTEGER PRIMARY KEY, docket_no TEXT UNIQUE, debtor_id INTEGER REFERENCES tbl_debtor(debtor_id), creditor_id INTEGER REFERENCES tbl_creditor(creditor_id), bailiff_id INTEGER REFERENCES dim_bailiff(bailiff_id), judgment_date TEXT, opened_date TEXT, closed_date TEXT, claim_amount REAL, interest_amount REAL, status_cd TEXT -- O open, S settled, W withdrawn, U uncollectable
);
CREATE TABLE t_visit (visit_id INTEGER PRIMARY KEY, case_id INTEGER REFERENCES tbl_case(case_id), bailiff_id INTEGER REFERENCES dim_bailiff(bailiff_id), visit_ts TEXT, outcome_cd TEXT, -- SRV served, NOH nobody home, REF refused, MOV moved away
 minutes_spent INTEGER, mileage_km REAL);
CREATE TABLE t_seizure (seizure_id INTEGER PRIMARY KEY, case_id INTEGER REFERENCES tbl_case(case_id), asset_type_cd TEXT REFERENCES dim_asset_type(asset_type_cd), seized_date TEXT, estimated_value REAL, sold_date TEXT, sale_price REAL);
CREATE TABLE fct_payment (payment_id INTEGER PRIMARY KEY, case_id INTEGER REFERENCES tbl_case(case_id), paid_date TEXT, amount REAL, method_cd TEXT -- CSH, TRF, CRD
);
CREATE TABLE fct_fee (fee_id INTEGER PRIMARY KEY, case_id INTEGER REFERENCES tbl_case(case_id), fee_kind TEXT, fee_amount REAL, charged_date TEXT);
