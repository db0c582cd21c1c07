CREATE TABLE dim_region (
  region_key INTEGER PRIMARY KEY,
  region_name TEXT,
  region_type TEXT -- 'URB', 'RUR', 'MIX'
);
CREATE TABLE dim_constituency (
  constituency_key INTEGER PRIMARY KEY,
  constituency_name TEXT,
  region_key INTEGER REFERENCES dim_region(region_key),
  seats INTEGER
);
CREATE TABLE dim_party (
  party_key INTEGER PRIMARY KEY,
  party_name TEXT,
  short_name TEXT,
  founded_year INTEGER,
  dissolved_year INTEGER -- NULL = still exists
);
CREATE TABLE dim_election (
  election_key INTEGER PRIMARY KEY,
  election_name TEXT,
  election_date DATE,
  election_type TEXT -- 'GEN' general, 'BYE' by-election, 'LOC' local
);
CREATE TABLE tbl_polling_station (
  station_id INTEGER PRIMARY KEY,
  station_name TEXT,
  constituency_key INTEGER REFERENCES dim_constituency(constituency_key),
  barrier_free INTEGER, -- 1/0
  opened_at TEXT,
  closed_at TEXT
);
CREATE TABLE tbl_candidate (
  candidate_id INTEGER PRIMARY KEY,
  full_name TEXT,
  gender TEXT, -- 'F','M','D'
  birth_year INTEGER
);
CREATE TABLE t_candidacy (
  candidacy_id INTEGER PRIMARY KEY,
  candidate_id INTEGER REFERENCES tbl_candidate(candidate_id),
  election_key INTEGER REFERENCES dim_election(election_key),
  constituency_key INTEGER REFERENCES dim_constituency(constituency_key),
  party_key INTEGER REFERENCES dim_party(party_key), -- NULL = independent
  is_incumbent INTEGER,
  elected INTEGER, -- 1/0
  withdrawn_on DATE
);
CREATE TABLE fct_turnout (
  election_key INTEGER REFERENCES dim_election(election_key),
  station_id INTEGER REFERENCES tbl_polling_station(station_id),
  registered_voters INTEGER,
  ballots_cast INTEGER,
  postal_ballots INTEGER, -- part of ballots_cast
  invalid_ballots INTEGER,
  PRIMARY KEY (election_key, station_id)
);
CREATE TABLE fct_votes (
  candidacy_id INTEGER REFERENCES t_candidacy(candidacy_id),
  station_id INTEGER REFERENCES tbl_polling_station(station_id),
  votes INTEGER,
  recount_votes INTEGER, -- NULL if no recount
  PRIMARY KEY (candidacy_id, station_id)
);
