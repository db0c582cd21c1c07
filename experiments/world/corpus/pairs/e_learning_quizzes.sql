CREATE TABLE "user" (code TEXT PRIMARY KEY, display_name TEXT, email TEXT, country TEXT, "role" TEXT, -- L learner, T teacher, A admin
 signup_date TEXT, last_login TEXT);
CREATE TABLE course (code TEXT PRIMARY KEY, title TEXT, owner_code TEXT REFERENCES "user"(code), "language" TEXT, published_on TEXT, price REAL);
CREATE TABLE "group" (code TEXT PRIMARY KEY, course_code TEXT REFERENCES course(code), name TEXT, "start" TEXT, "end" TEXT);
CREATE TABLE enrolment (user_code TEXT REFERENCES "user"(code), group_code TEXT REFERENCES "group"(code), enrolled_on TEXT, dropped_on TEXT, PRIMARY KEY (user_code, group_code));
CREATE TABLE quiz (code TEXT PRIMARY KEY, course_code TEXT REFERENCES course(code), title TEXT, "order" INTEGER, pass_mark INTEGER, "limit" INTEGER); -- limit in minutes, NULL none
CREATE TABLE question (code TEXT PRIMARY KEY, quiz_code TEXT REFERENCES quiz(code), "type" TEXT, -- MC, TF, TXT
 points INTEGER, "text" TEXT);
CREATE TABLE attempt (code TEXT PRIMARY KEY, quiz_code TEXT REFERENCES quiz(code), user_code TEXT REFERENCES "user"(code), "start" TEXT, "end" TEXT, score REAL, max_score REAL);
CREATE TABLE answer (attempt_code TEXT REFERENCES attempt(code), question_code TEXT REFERENCES question(code), "value" TEXT, is_correct INTEGER, points_given REAL, PRIMARY KEY (attempt_code, question_code));
