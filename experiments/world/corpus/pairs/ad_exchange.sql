CREATE TABLE advertisers (
  id INTEGER PRIMARY KEY,
  name TEXT,
  legal_name TEXT,
  displayName TEXT,
  country TEXT,
  created_at DATETIME,
  onboardedAt DATE,
  credit_limit REAL
);
CREATE TABLE Campaign (
  CampaignId INTEGER PRIMARY KEY,
  advertiser_id INTEGER REFERENCES advertisers(id),
  name TEXT,
  status TEXT, -- 'A' active, 'P' paused, 'E' ended
  start_date DATE,
  end_date DATE,
  booked_budget REAL,
  daily_budget REAL,
  spent_budget REAL
);
CREATE TABLE creatives (
  creative_id INTEGER PRIMARY KEY,
  CampaignId INTEGER REFERENCES Campaign(CampaignId),
  fmt TEXT, -- 'banner', 'video', 'native'
  width INTEGER,
  height INTEGER,
  review_status TEXT, -- 'approved', 'rejected', 'pending'
  submitted_at DATETIME,
  reviewed_at DATETIME
);
CREATE TABLE publishers (
  pub_id INTEGER PRIMARY KEY,
  pub_name TEXT,
  domain TEXT,
  country TEXT,
  rev_share REAL, -- 0..1, part of revenue the publisher keeps
  blocked INTEGER
);
CREATE TABLE adSlots (
  slotId INTEGER PRIMARY KEY,
  pub_id INTEGER REFERENCES publishers(pub_id),
  slotName TEXT,
  device TEXT, -- 'desktop', 'mobile', 'tv'
  floor_price REAL, -- CPM
  target_price REAL -- CPM
);
CREATE TABLE bid_log (
  bid_id INTEGER PRIMARY KEY,
  slotId INTEGER REFERENCES adSlots(slotId),
  creative_id INTEGER REFERENCES creatives(creative_id),
  bid_time DATETIME,
  bid_price REAL, -- CPM
  clearing_price REAL, -- CPM, NULL unless won
  won INTEGER -- 1/0
);
CREATE TABLE daily_stats (
  stat_date DATE,
  creative_id INTEGER REFERENCES creatives(creative_id),
  slotId INTEGER REFERENCES adSlots(slotId),
  imps INTEGER,
  viewable_imps INTEGER,
  clicks INTEGER,
  conversions INTEGER,
  gross_rev REAL,
  net_rev REAL,
  PRIMARY KEY (stat_date, creative_id, slotId)
);
CREATE TABLE invoices (
  invoice_no TEXT PRIMARY KEY,
  advertiser_id INTEGER REFERENCES advertisers(id),
  invoice_date DATE,
  due_date DATE,
  paid_date DATE,
  net_amount REAL,
  tax_amount REAL,
  gross_amount REAL
);
