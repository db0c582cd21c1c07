CREATE TABLE port (port_id INTEGER PRIMARY KEY, portname TEXT, islandname TEXT, berthcount INTEGER);
CREATE TABLE route (route_id INTEGER PRIMARY KEY, fromport_id INTEGER REFERENCES port(port_id), toport_id INTEGER REFERENCES port(port_id), seamiles REAL, plannedminutes INTEGER, isseasonal INTEGER);
CREATE TABLE ship (ship_id INTEGER PRIMARY KEY, shipname TEXT, yearbuilt INTEGER, paxcapacity INTEGER, carcapacity INTEGER, outofservice TEXT); -- date or NULL
CREATE TABLE sailing (sailing_id INTEGER PRIMARY KEY, route_id INTEGER REFERENCES route(route_id), ship_id INTEGER REFERENCES ship(ship_id), scheddeparture TEXT, actualdeparture TEXT, actualarrival TEXT, sailstatus TEXT, -- planned, sailed, cancelled
  cancelreason TEXT);
CREATE TABLE passenger (passenger_id INTEGER PRIMARY KEY, fullname TEXT, birthdate TEXT, residentisland TEXT, loyaltyno TEXT);
CREATE TABLE booking (booking_id INTEGER PRIMARY KEY, bookedby_id INTEGER REFERENCES passenger(passenger_id), bookedat TEXT, saleschannel TEXT, -- web, app, kiosk, agent
  paidat TEXT, totalprice REAL, refundamount REAL);
CREATE TABLE ticket (ticket_id INTEGER PRIMARY KEY, booking_id INTEGER REFERENCES booking(booking_id), sailing_id INTEGER REFERENCES sailing(sailing_id), passenger_id INTEGER REFERENCES passenger(passenger_id), farecode TEXT REFERENCES fare(farecode), price REAL, checkedinat TEXT, seatclass TEXT);
CREATE TABLE fare (farecode TEXT PRIMARY KEY, farename TEXT, discountpct REAL, refundable INTEGER);
CREATE TABLE vehicle (vehicle_id INTEGER PRIMARY KEY, booking_id INTEGER REFERENCES booking(booking_id), sailing_id INTEGER REFERENCES sailing(sailing_id), plateno TEXT, vehicletype TEXT, lengthcm INTEGER, price REAL);
