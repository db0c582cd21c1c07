CREATE TABLE "artist" ("code" TEXT PRIMARY KEY, "name" TEXT, "stage_name" TEXT, "nationality" TEXT, "born" TEXT, "from" TEXT, "until" TEXT, "salary" REAL); -- "from"/"until": contract, until NULL = open-ended
CREATE TABLE "act" ("code" TEXT PRIMARY KEY, "title" TEXT, "type" TEXT, -- clown, aerial, acrobatics, magic, animals, music
  "minutes" INTEGER, "risk" INTEGER, "order" INTEGER); -- risk 1 to 5; order: usual place in the programme
CREATE TABLE "act_artist" ("act" TEXT REFERENCES "act"("code"), "artist" TEXT REFERENCES "artist"("code"), "role" TEXT, PRIMARY KEY ("act", "artist"));
CREATE TABLE "stop" ("code" TEXT PRIMARY KEY, "city" TEXT, "country" TEXT, "ground" TEXT, "start" TEXT, "end" TEXT, "rent" REAL);
CREATE TABLE "show" ("code" INTEGER PRIMARY KEY, "stop" TEXT REFERENCES "stop"("code"), "date" TEXT, "time" TEXT, "status" TEXT, -- played, cancelled, planned
  "weather" TEXT);
CREATE TABLE "performance" ("show" INTEGER REFERENCES "show"("code"), "act" TEXT REFERENCES "act"("code"), "order" INTEGER, "applause" INTEGER, PRIMARY KEY ("show", "act")); -- applause 1 to 10
CREATE TABLE "category" ("code" TEXT PRIMARY KEY, "name" TEXT, "seats" INTEGER, "price" REAL);
CREATE TABLE "sale" ("code" INTEGER PRIMARY KEY, "show" INTEGER REFERENCES "show"("code"), "category" TEXT REFERENCES "category"("code"), "count" INTEGER, "total" REAL, "when" TEXT, "channel" TEXT);
CREATE TABLE "injury" ("code" INTEGER PRIMARY KEY, "artist" TEXT REFERENCES "artist"("code"), "show" INTEGER REFERENCES "show"("code"), "date" TEXT, "kind" TEXT, "days_off" INTEGER);
CREATE TABLE "expense" ("code" INTEGER PRIMARY KEY, "stop" TEXT REFERENCES "stop"("code"), "group" TEXT, "amount" REAL, "date" TEXT); -- group: fuel, feed, permits, repairs, ads
