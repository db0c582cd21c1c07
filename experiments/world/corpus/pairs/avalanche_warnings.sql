CREATE TABLE regions ("region id" INTEGER PRIMARY KEY, "region name" TEXT, country TEXT, "area km2" REAL);
CREATE TABLE forecasters ("forecaster id" INTEGER PRIMARY KEY, "full name" TEXT, "since" TEXT, "until" TEXT);
CREATE TABLE bulletins ("bulletin id" INTEGER PRIMARY KEY, "region id" INTEGER REFERENCES regions("region id"), "forecaster id" INTEGER REFERENCES forecasters("forecaster id"), "issued at" TEXT, "valid on" TEXT, "danger level" INTEGER, -- 1 low to 5 very high
 "main problem" TEXT, -- WS wind slab, NS new snow, WET wet snow, PWL persistent weak layer
 "critical altitude m" INTEGER);
CREATE TABLE stations ("station id" INTEGER PRIMARY KEY, "station name" TEXT, "region id" INTEGER REFERENCES regions("region id"), "altitude m" INTEGER, "closed on" TEXT);
CREATE TABLE measurements ("station id" INTEGER REFERENCES stations("station id"), "measured at" TEXT, "snow depth cm" REAL, "new snow cm" REAL, "air temp c" REAL, "wind kmh" REAL, PRIMARY KEY ("station id", "measured at"));
CREATE TABLE avalanches ("avalanche id" INTEGER PRIMARY KEY, "region id" INTEGER REFERENCES regions("region id"), "released on" TEXT, "size class" INTEGER, "trigger" TEXT, -- natural, human, explosive
 aspect TEXT, "altitude m" INTEGER, "length m" REAL);
CREATE TABLE accidents ("accident id" INTEGER PRIMARY KEY, "avalanche id" INTEGER REFERENCES avalanches("avalanche id"), activity TEXT, -- ski tour, off-piste, snowshoe, other
 caught INTEGER, buried INTEGER, killed INTEGER, "beacon worn" INTEGER);
CREATE TABLE closures ("closure id" INTEGER PRIMARY KEY, "region id" INTEGER REFERENCES regions("region id"), "object name" TEXT, "object type" TEXT, "closed from" TEXT, "closed to" TEXT); -- road, lift, trail
