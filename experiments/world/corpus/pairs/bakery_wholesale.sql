CREATE TABLE customers ("customer id" INTEGER PRIMARY KEY, "customer name" TEXT, segment TEXT, -- CAF cafe, HOT hotel, SUP supermarket, SCH school
 city TEXT, "customer since" TEXT, "credit limit" REAL);
CREATE TABLE products ("product id" INTEGER PRIMARY KEY, "product name" TEXT, category TEXT, "unit price" REAL, "unit cost" REAL, "weight g" INTEGER, discontinued INTEGER);
CREATE TABLE "orders" ("order id" INTEGER PRIMARY KEY, "customer id" INTEGER REFERENCES customers("customer id"), "order date" TEXT, "delivery date" TEXT, "driver id" INTEGER REFERENCES drivers("driver id"), status TEXT); -- NEW, DEL delivered, CAN cancelled
CREATE TABLE "order lines" ("order id" INTEGER REFERENCES "orders"("order id"), "line no" INTEGER, "product id" INTEGER REFERENCES products("product id"), quantity INTEGER, "sold price" REAL, "returned qty" INTEGER, PRIMARY KEY ("order id", "line no"));
CREATE TABLE drivers ("driver id" INTEGER PRIMARY KEY, "driver name" TEXT, "hired on" TEXT, van TEXT);
CREATE TABLE ingredients ("ingredient id" INTEGER PRIMARY KEY, "ingredient name" TEXT, allergen TEXT, "price per kg" REAL);
CREATE TABLE recipes ("product id" INTEGER REFERENCES products("product id"), "ingredient id" INTEGER REFERENCES ingredients("ingredient id"), grams REAL, PRIMARY KEY ("product id", "ingredient id"));
CREATE TABLE batches ("batch id" INTEGER PRIMARY KEY, "product id" INTEGER REFERENCES products("product id"), "baked on" TEXT, "planned qty" INTEGER, "baked qty" INTEGER, "waste qty" INTEGER);
