CREATE TABLE Truck (truck_id INTEGER PRIMARY KEY, name TEXT, trade_name TEXT, owner_id INTEGER REFERENCES Owner(id), cuisine TEXT, purchase_price REAL, book_value REAL, bought_on TEXT, first_served_on TEXT, sold_on TEXT);
CREATE TABLE Owner (id INTEGER PRIMARY KEY, name TEXT, legal_name TEXT, homeCity TEXT, regCity TEXT);
CREATE TABLE pitch_location (loc_code TEXT PRIMARY KEY, loc_name TEXT, area TEXT, dailyFee REAL, weekendFee REAL, maxTrucks INTEGER);
CREATE TABLE permits (permitNo TEXT PRIMARY KEY, truck_id INTEGER REFERENCES Truck(truck_id), applied_on TEXT, issued_on TEXT, valid_from TEXT, valid_to TEXT, fee_due REAL, fee_paid REAL);
CREATE TABLE menuItem (item_id INTEGER PRIMARY KEY, truck_id INTEGER REFERENCES Truck(truck_id), itemName TEXT, shortName TEXT, price REAL, oldPrice REAL, costPrice REAL, isVegan INTEGER);
CREATE TABLE shift_log (shift_id INTEGER PRIMARY KEY, truck_id INTEGER REFERENCES Truck(truck_id), loc_code TEXT REFERENCES pitch_location(loc_code), planned_start TEXT, actual_start TEXT, planned_end TEXT, actual_end TEXT, cash_open REAL, cash_close REAL);
CREATE TABLE Sale (sale_id INTEGER PRIMARY KEY, shift_id INTEGER REFERENCES shift_log(shift_id), sold_at TEXT, net_amount REAL, tax_amount REAL, gross_amount REAL, tip_amount REAL, payType TEXT); -- C cash, K card, A app
CREATE TABLE SaleLine (sale_id INTEGER REFERENCES Sale(sale_id), item_id INTEGER REFERENCES menuItem(item_id), qty INTEGER, line_price REAL, PRIMARY KEY (sale_id, item_id));
CREATE TABLE inspection (insp_id INTEGER PRIMARY KEY, truck_id INTEGER REFERENCES Truck(truck_id), planned_date TEXT, done_date TEXT, score INTEGER, prev_score INTEGER, inspector_name TEXT);
