CREATE TABLE dim_department ( department_key INTEGER PRIMARY KEY, department_name TEXT, division TEXT );
CREATE TABLE dim_employee (
  employee_key INTEGER PRIMARY KEY, full_name TEXT, email TEXT, department_key INTEGER REFERENCES dim_department(department_key),
  manager_key INTEGER REFERENCES dim_employee(employee_key), hire_date TEXT, leave_date TEXT, is_privileged INTEGER -- admin rights
);
CREATE TABLE tbl_campaign (
  campaign_id INTEGER PRIMARY KEY, campaign_name TEXT, template_id INTEGER REFERENCES tbl_template(template_id), launch_date TEXT, end_date TEXT
);
CREATE TABLE tbl_template (
  template_id INTEGER PRIMARY KEY, template_name TEXT, lure TEXT, -- invoice, parcel, hr, prize
  difficulty INTEGER -- 1 easy to spot to 5 hard
);
CREATE TABLE fct_phish_mail (
  mail_id INTEGER PRIMARY KEY, campaign_id INTEGER REFERENCES tbl_campaign(campaign_id), employee_key INTEGER REFERENCES dim_employee(employee_key),
  sent_at TEXT, opened_at TEXT, clicked_at TEXT, submitted_at TEXT, -- credentials entered
  reported_at TEXT
);
CREATE TABLE dim_course (
  course_key INTEGER PRIMARY KEY, course_title TEXT, minutes INTEGER, mandatory INTEGER, valid_months INTEGER, pass_mark INTEGER
);
CREATE TABLE fct_training (
  training_id INTEGER PRIMARY KEY, employee_key INTEGER REFERENCES dim_employee(employee_key), course_key INTEGER REFERENCES dim_course(course_key),
  assigned_on TEXT, due_on TEXT, started_on TEXT, completed_on TEXT, score INTEGER
);
CREATE TABLE t_incident (
  incident_id INTEGER PRIMARY KEY, employee_key INTEGER REFERENCES dim_employee(employee_key), occurred_on TEXT, detected_on TEXT, category TEXT, -- malware, lost_device, data_leak, account
  severity TEXT, cost_eur REAL
);
CREATE TABLE t_poster ( poster_id INTEGER PRIMARY KEY, title TEXT, department_key INTEGER REFERENCES dim_department(department_key), hung_on TEXT, taken_down_on TEXT );
