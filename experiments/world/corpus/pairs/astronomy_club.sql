CREATE TABLE "member" ("code" TEXT PRIMARY KEY, "name" TEXT, "level" TEXT, -- B beginner, I intermediate, E expert
  "joined" TEXT, "left" TEXT, "town" TEXT, "sponsor" TEXT REFERENCES "member"("code"));
CREATE TABLE "group" ("code" TEXT PRIMARY KEY, "name" TEXT, "leader" TEXT REFERENCES "member"("code"), "founded" TEXT);
CREATE TABLE "group_member" ("group_code" TEXT REFERENCES "group"("code"), "member_code" TEXT REFERENCES "member"("code"), "from" TEXT, "to" TEXT, PRIMARY KEY ("group_code", "member_code", "from"));
CREATE TABLE "object" ("code" TEXT PRIMARY KEY, -- e.g. M31
  "name" TEXT, "type" TEXT, -- GX galaxy, NB nebula, OC open cluster, GC globular cluster, PL planet, DS double star
  "constellation" TEXT, "magnitude" REAL, "distance_ly" REAL);
CREATE TABLE "telescope" ("code" TEXT PRIMARY KEY, "model" TEXT, "aperture_mm" INTEGER, "focal_mm" INTEGER, "kind" TEXT, "owner" TEXT REFERENCES "member"("code"), -- NULL: owned by the club
  "value" REAL);
CREATE TABLE "session" ("code" TEXT PRIMARY KEY, "site_code" TEXT REFERENCES "site"("code"), "start" TEXT, "end" TEXT, "leader" TEXT REFERENCES "member"("code"), "seeing" INTEGER, "public" INTEGER); -- seeing 1 poor to 5 excellent
CREATE TABLE "site" ("code" TEXT PRIMARY KEY, "name" TEXT, "altitude_m" INTEGER, "sqm" REAL); -- sqm: sky brightness, higher is darker
CREATE TABLE "observation" ("code" INTEGER PRIMARY KEY, "session_code" TEXT REFERENCES "session"("code"), "member_code" TEXT REFERENCES "member"("code"), "object_code" TEXT REFERENCES "object"("code"), "telescope_code" TEXT REFERENCES "telescope"("code"), "when" TEXT, "rating" INTEGER, "photo" INTEGER, "note" TEXT);
CREATE TABLE "loan" ("code" INTEGER PRIMARY KEY, "telescope_code" TEXT REFERENCES "telescope"("code"), "member_code" TEXT REFERENCES "member"("code"), "from" TEXT, "due" TEXT, "returned" TEXT);
CREATE TABLE "fee" ("code" INTEGER PRIMARY KEY, "member_code" TEXT REFERENCES "member"("code"), "year" INTEGER, "amount" REAL, "paid_on" TEXT);
