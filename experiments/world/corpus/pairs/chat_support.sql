CREATE TABLE dim_agent (
  agent_key INTEGER PRIMARY KEY,
  agent_name TEXT, team_key INTEGER REFERENCES dim_team(team_key),
  hired_on TEXT, left_on TEXT, seniority TEXT -- JR, MID, SR
);
CREATE TABLE dim_team (
  team_key INTEGER PRIMARY KEY, team_name TEXT, site TEXT, lead_agent_key INTEGER
);
CREATE TABLE dim_customer (
  customer_key INTEGER PRIMARY KEY,
  customer_name TEXT, plan_cd TEXT, -- F free, P pro, E enterprise
  country TEXT, signup_date TEXT, churn_date TEXT
);
CREATE TABLE dim_topic (
  topic_key INTEGER PRIMARY KEY, topic_name TEXT, topic_group TEXT, is_billable INTEGER
);
CREATE TABLE fct_chat (
  chat_key INTEGER PRIMARY KEY,
  customer_key INTEGER REFERENCES dim_customer(customer_key),
  agent_key INTEGER REFERENCES dim_agent(agent_key), -- NULL: bot only
  topic_key INTEGER REFERENCES dim_topic(topic_key),
  queued_at TEXT, answered_at TEXT, closed_at TEXT,
  channel TEXT, -- web, app, whatsapp
  outcome_cd TEXT -- RES resolved, ESC escalated, ABD abandoned
);
CREATE TABLE fct_message (
  message_key INTEGER PRIMARY KEY,
  chat_key INTEGER REFERENCES fct_chat(chat_key),
  sender TEXT, -- agent, customer, bot
  sent_at TEXT, body TEXT, char_count INTEGER
);
CREATE TABLE fct_rating (
  chat_key INTEGER PRIMARY KEY REFERENCES fct_chat(chat_key),
  stars INTEGER, -- 1 to 5
  comment TEXT, rated_at TEXT
);
CREATE TABLE tbl_macro (
  macro_id INTEGER PRIMARY KEY, title TEXT, topic_key INTEGER REFERENCES dim_topic(topic_key), author_key INTEGER REFERENCES dim_agent(agent_key), created_on TEXT
);
CREATE TABLE t_macro_use (
  message_key INTEGER REFERENCES fct_message(message_key),
  macro_id INTEGER REFERENCES tbl_macro(macro_id),
  PRIMARY KEY (message_key, macro_id)
);
CREATE TABLE t_shift (
  shift_id INTEGER PRIMARY KEY, agent_key INTEGER REFERENCES dim_agent(agent_key),
  starts_at TEXT, ends_at TEXT
);
