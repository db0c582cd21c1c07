CREATE TABLE hub (hub_id INTEGER PRIMARY KEY, "hub name" TEXT, district TEXT, "charging docks" INTEGER, "opened on" TEXT);
CREATE TABLE robot (robot_id INTEGER PRIMARY KEY, nickname TEXT, "model name" TEXT, hub_id INTEGER REFERENCES hub(hub_id), "in service since" TEXT, "retired on" TEXT, -- empty while active
  "battery wh" INTEGER, "max load kg" REAL, firmware TEXT);
CREATE TABLE merchant (merchant_id INTEGER PRIMARY KEY, "merchant name" TEXT, kind TEXT, district TEXT, "commission pct" REAL);
CREATE TABLE customer (customer_id INTEGER PRIMARY KEY, "full name" TEXT, district TEXT, "sign up date" TEXT, "is premium" INTEGER);
CREATE TABLE "delivery order" (order_id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customer(customer_id), merchant_id INTEGER REFERENCES merchant(merchant_id), "placed at" TEXT, "promised at" TEXT, "goods value" REAL, "delivery fee" REAL, "order state" TEXT); -- NEW, OUT, DONE, CANC
CREATE TABLE trip (trip_id INTEGER PRIMARY KEY, order_id INTEGER REFERENCES "delivery order"(order_id), robot_id INTEGER REFERENCES robot(robot_id), "left at" TEXT, "arrived at" TEXT, "distance m" INTEGER, "energy wh" REAL, "load kg" REAL, outcome TEXT); -- OK delivered, RET returned, AID needed human help
CREATE TABLE incident (incident_id INTEGER PRIMARY KEY, trip_id INTEGER REFERENCES trip(trip_id), "reported at" TEXT, "incident type" TEXT, severity INTEGER, "closed at" TEXT); -- severity 1 to 4, 4 worst
CREATE TABLE "service visit" (visit_id INTEGER PRIMARY KEY, robot_id INTEGER REFERENCES robot(robot_id), "visit date" TEXT, reason TEXT, "parts cost" REAL, "labour hours" REAL, mechanic TEXT);
CREATE TABLE rating (order_id INTEGER PRIMARY KEY REFERENCES "delivery order"(order_id), stars INTEGER, remark TEXT, "rated at" TEXT);
