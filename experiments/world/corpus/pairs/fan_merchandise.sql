CREATE TABLE artist (artistId INTEGER PRIMARY KEY, artistName TEXT, genre TEXT, signedOn TEXT, royaltyPct REAL);
CREATE TABLE product (productId INTEGER PRIMARY KEY, artistId INTEGER REFERENCES artist(artistId), productName TEXT, productType TEXT, -- TS t-shirt, HD hoodie, VN vinyl, PO poster
 listPrice REAL, unitCost REAL, releasedOn TEXT, isLimited INTEGER);
CREATE TABLE variant (sku TEXT PRIMARY KEY, productId INTEGER REFERENCES product(productId), size TEXT, colour TEXT, stockQty INTEGER, reorderLevel INTEGER);
CREATE TABLE fan (fanId INTEGER PRIMARY KEY, nickName TEXT, fullName TEXT, email TEXT, country TEXT, signedUpOn TEXT, newsletter INTEGER);
CREATE TABLE favourite (fanId INTEGER REFERENCES fan(fanId), artistId INTEGER REFERENCES artist(artistId), markedOn TEXT, PRIMARY KEY (fanId, artistId));
CREATE TABLE shopOrder (orderId INTEGER PRIMARY KEY, fanId INTEGER REFERENCES fan(fanId), orderedAt TEXT, paidAt TEXT, shippedAt TEXT, shipCountry TEXT, shippingFee REAL, channel TEXT); -- WEB, TOUR, APP
CREATE TABLE orderItem (orderId INTEGER REFERENCES shopOrder(orderId), sku TEXT REFERENCES variant(sku), quantity INTEGER, unitPrice REAL, PRIMARY KEY (orderId, sku));
CREATE TABLE returnItem (returnId INTEGER PRIMARY KEY, orderId INTEGER, sku TEXT, returnedOn TEXT, quantity INTEGER, refundAmount REAL, reasonCode TEXT, -- DMG damaged, SIZ wrong size, OTH other
 FOREIGN KEY (orderId, sku) REFERENCES orderItem(orderId, sku));
