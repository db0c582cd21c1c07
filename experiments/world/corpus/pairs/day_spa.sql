CREATE TABLE guest (guestId INTEGER PRIMARY KEY, fullName TEXT, birthDate TEXT, email TEXT, phone TEXT, memberLevel TEXT, -- G gold, S silver, NULL none
  firstVisit TEXT, referredBy INTEGER REFERENCES guest(guestId), newsletter INTEGER);
CREATE TABLE therapist (therapistId INTEGER PRIMARY KEY, therapistName TEXT, hireDate TEXT, exitDate TEXT, hourlyRate REAL, speciality TEXT);
CREATE TABLE treatment (treatmentId INTEGER PRIMARY KEY, treatmentName TEXT, category TEXT, durationMin INTEGER, listPrice REAL, isCouple INTEGER, active INTEGER);
CREATE TABLE room (roomId INTEGER PRIMARY KEY, roomName TEXT, floorNo INTEGER, hasBath INTEGER, capacity INTEGER);
CREATE TABLE therapistSkill (therapistId INTEGER REFERENCES therapist(therapistId), treatmentId INTEGER REFERENCES treatment(treatmentId), certifiedOn TEXT, PRIMARY KEY (therapistId, treatmentId));
CREATE TABLE appointment (appointmentId INTEGER PRIMARY KEY, guestId INTEGER REFERENCES guest(guestId), treatmentId INTEGER REFERENCES treatment(treatmentId), therapistId INTEGER REFERENCES therapist(therapistId), roomId INTEGER REFERENCES room(roomId),
  bookedAt TEXT, startAt TEXT, endAt TEXT, pricePaid REAL, tip REAL, channel TEXT, status TEXT); -- status: B booked, D done, C cancelled, N no-show
CREATE TABLE voucher (voucherId INTEGER PRIMARY KEY, voucherCode TEXT, buyerId INTEGER REFERENCES guest(guestId), faceValue REAL, remainingValue REAL, issuedOn TEXT, validUntil TEXT);
CREATE TABLE product (productId INTEGER PRIMARY KEY, productName TEXT, brand TEXT, retailPrice REAL, costPrice REAL, stockQty INTEGER);
CREATE TABLE productSale (saleId INTEGER PRIMARY KEY, productId INTEGER REFERENCES product(productId), guestId INTEGER REFERENCES guest(guestId), therapistId INTEGER REFERENCES therapist(therapistId), soldOn TEXT, quantity INTEGER, unitPrice REAL);
CREATE TABLE feedback (feedbackId INTEGER PRIMARY KEY, appointmentId INTEGER REFERENCES appointment(appointmentId), score INTEGER, comments TEXT, givenOn TEXT);
