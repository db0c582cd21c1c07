CREATE TABLE customers (
  customerId INTEGER PRIMARY KEY,
  fullName TEXT, email TEXT, city TEXT,
  customerType TEXT, -- theatre, school, private, film
  createdAt TEXT
);
CREATE TABLE categories (
  categoryId INTEGER PRIMARY KEY,
  categoryName TEXT,
  parentId INTEGER REFERENCES categories(categoryId)
);
CREATE TABLE costumes (
  costumeId INTEGER PRIMARY KEY,
  title TEXT, era TEXT,
  categoryId INTEGER REFERENCES categories(categoryId),
  dailyRate REAL, replacementValue REAL, purchasePrice REAL,
  isRetired INTEGER DEFAULT 0
);
CREATE TABLE pieces (
  pieceId INTEGER PRIMARY KEY,
  costumeId INTEGER REFERENCES costumes(costumeId),
  pieceName TEXT, size TEXT, -- XS S M L XL
  conditionGrade TEXT -- A as new, B worn, C needs repair
);
CREATE TABLE staff (
  staffId INTEGER PRIMARY KEY,
  fullName TEXT, role TEXT -- tailor, clerk, driver
);
CREATE TABLE rentals (
  rentalId INTEGER PRIMARY KEY,
  customerId INTEGER REFERENCES customers(customerId),
  staffId INTEGER REFERENCES staff(staffId), -- clerk who took the booking
  bookedOn TEXT, pickupDate TEXT, dueDate TEXT, returnDate TEXT,
  depositAmount REAL, status TEXT -- booked, out, returned, cancelled
);
CREATE TABLE rentalItems (
  rentalId INTEGER REFERENCES rentals(rentalId),
  costumeId INTEGER REFERENCES costumes(costumeId),
  days INTEGER, agreedRate REAL, -- per day
  damageFee REAL,
  PRIMARY KEY (rentalId, costumeId)
);
CREATE TABLE repairs (
  repairId INTEGER PRIMARY KEY,
  pieceId INTEGER REFERENCES pieces(pieceId),
  tailorId INTEGER REFERENCES staff(staffId),
  startedOn TEXT, finishedOn TEXT, hoursSpent REAL, materialCost REAL
);
CREATE TABLE payments (
  paymentId INTEGER PRIMARY KEY,
  rentalId INTEGER REFERENCES rentals(rentalId),
  paidOn TEXT, amountCents INTEGER, method TEXT -- card, cash, transfer
);
