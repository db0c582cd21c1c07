CREATE TABLE Account (
  account_id INTEGER PRIMARY KEY, AccountName TEXT, contact_name TEXT, billing_name TEXT,
  plan_code TEXT, -- BAS basic, STD standard, ENT enterprise
  created_at TEXT, activated_at TEXT, closed_at TEXT,
  quota_gb INTEGER, used_gb REAL
);
CREATE TABLE devices (
  device_id INTEGER PRIMARY KEY, accountId INTEGER REFERENCES Account(account_id), device_name TEXT, host_name TEXT,
  os TEXT, -- win, mac, linux
  registered_at TEXT, last_seen_at TEXT, last_backup_at TEXT, removed_at TEXT
);
CREATE TABLE storage_node (
  node_id INTEGER PRIMARY KEY, nodeName TEXT, region TEXT, total_tb REAL, used_tb REAL, reserved_tb REAL
);
CREATE TABLE backup_job (
  job_id INTEGER PRIMARY KEY, device_id INTEGER REFERENCES devices(device_id), node_id INTEGER REFERENCES storage_node(node_id),
  kind TEXT, -- F full, I incremental
  scheduled_at TEXT, started_at TEXT, finished_at TEXT,
  raw_bytes INTEGER, sent_bytes INTEGER, stored_bytes INTEGER, -- before / after compression / after dedup
  status TEXT, -- ok, warn, fail
  error_code TEXT
);
CREATE TABLE RestoreRequest (
  RestoreId INTEGER PRIMARY KEY, job_id INTEGER REFERENCES backup_job(job_id), requestedBy TEXT,
  requested_at TEXT, approved_at TEXT, completed_at TEXT, file_count INTEGER, restored_bytes INTEGER, outcome TEXT -- full, partial, failed
);
CREATE TABLE policy (
  policy_id INTEGER PRIMARY KEY, policyName TEXT, keep_days INTEGER, full_every_days INTEGER, max_hours INTEGER
);
CREATE TABLE device_policy (
  device_id INTEGER REFERENCES devices(device_id), policy_id INTEGER REFERENCES policy(policy_id), valid_from TEXT, valid_to TEXT,
  PRIMARY KEY (device_id, policy_id, valid_from)
);
CREATE TABLE tblInvoice (
  InvoiceNo INTEGER PRIMARY KEY, account_id INTEGER REFERENCES Account(account_id), period TEXT, -- YYYY-MM
  net_amount REAL, tax_amount REAL, gross_amount REAL, issued_on TEXT, due_on TEXT, paid_on TEXT
);
