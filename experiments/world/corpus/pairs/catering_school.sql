CREATE TABLE student (student_id INTEGER PRIMARY KEY, "first name" TEXT, "last name" TEXT, "date of birth" TEXT, "enrolled on" TEXT, "left on" TEXT, "left reason" TEXT, -- graduated, dropped out
  diet TEXT, "home town" TEXT);
CREATE TABLE instructor (instructor_id INTEGER PRIMARY KEY, "full name" TEXT, speciality TEXT, "hired on" TEXT, "weekly hours" REAL);
CREATE TABLE course (course_id INTEGER PRIMARY KEY, "course title" TEXT, level INTEGER, "credit points" INTEGER, "tuition fee" REAL, "max places" INTEGER);
CREATE TABLE "course run" (run_id INTEGER PRIMARY KEY, course_id INTEGER REFERENCES course(course_id), instructor_id INTEGER REFERENCES instructor(instructor_id), "start date" TEXT, "end date" TEXT, kitchen_id INTEGER REFERENCES kitchen(kitchen_id));
CREATE TABLE enrolment (run_id INTEGER REFERENCES "course run"(run_id), student_id INTEGER REFERENCES student(student_id), "signed up on" TEXT, "final mark" REAL, -- 0 to 20, pass from 10, NULL not marked yet
  "fee paid" REAL, PRIMARY KEY (run_id, student_id));
CREATE TABLE kitchen (kitchen_id INTEGER PRIMARY KEY, "kitchen name" TEXT, "work stations" INTEGER, building TEXT);
CREATE TABLE recipe (recipe_id INTEGER PRIMARY KEY, "recipe name" TEXT, cuisine TEXT, "prep minutes" INTEGER, "cook minutes" INTEGER, portions INTEGER, course_id INTEGER REFERENCES course(course_id));
CREATE TABLE ingredient (ingredient_id INTEGER PRIMARY KEY, "ingredient name" TEXT, unit TEXT, "price per unit" REAL, allergen TEXT, "stock level" REAL);
CREATE TABLE "recipe ingredient" (recipe_id INTEGER REFERENCES recipe(recipe_id), ingredient_id INTEGER REFERENCES ingredient(ingredient_id), quantity REAL, PRIMARY KEY (recipe_id, ingredient_id));
CREATE TABLE internship (internship_id INTEGER PRIMARY KEY, student_id INTEGER REFERENCES student(student_id), "host name" TEXT, "host type" TEXT, "from date" TEXT, "to date" TEXT, grade TEXT, "monthly pay" REAL);
