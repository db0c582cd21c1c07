CREATE TABLE clinic (clinicId INTEGER PRIMARY KEY, clinicName TEXT NOT NULL, city TEXT, openedOn TEXT);
CREATE TABLE doctor (doctorId INTEGER PRIMARY KEY, clinicId INTEGER REFERENCES clinic(clinicId), firstName TEXT, lastName TEXT, specialty TEXT, hiredOn TEXT, leftOn TEXT -- NULL while employed
);
CREATE TABLE patient (patientId INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, birthDate TEXT, sex TEXT, -- F, M, X
 phone TEXT, email TEXT, insurerId INTEGER REFERENCES insurer(insurerId), registeredOn TEXT);
CREATE TABLE insurer (insurerId INTEGER PRIMARY KEY, insurerName TEXT, insurerType TEXT -- PUB public, PRV private
);
CREATE TABLE appointment (appointmentId INTEGER PRIMARY KEY, patientId INTEGER REFERENCES patient(patientId), doctorId INTEGER REFERENCES doctor(doctorId), bookedAt TEXT, startsAt TEXT, durationMin INTEGER, status TEXT, -- B booked, D done, C cancelled, N no-show
 reason TEXT, isFollowUp INTEGER);
CREATE TABLE treatment (treatmentId INTEGER PRIMARY KEY, treatmentName TEXT, listPrice REAL);
CREATE TABLE appointmentTreatment (appointmentId INTEGER REFERENCES appointment(appointmentId), treatmentId INTEGER REFERENCES treatment(treatmentId), quantity INTEGER, chargedPrice REAL, PRIMARY KEY (appointmentId, treatmentId));
CREATE TABLE invoice (invoiceId INTEGER PRIMARY KEY, appointmentId INTEGER REFERENCES appointment(appointmentId), issuedOn TEXT, dueOn TEXT, paidOn TEXT, totalAmount REAL);
