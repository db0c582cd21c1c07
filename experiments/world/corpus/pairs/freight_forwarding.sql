CREATE TABLE customer ( customerid INTEGER PRIMARY KEY, customername TEXT, countrycode TEXT, salesrep TEXT, creditdays INTEGER );
CREATE TABLE carrier ( carrierid INTEGER PRIMARY KEY, carriername TEXT, transportmode TEXT ); -- sea, air, road, rail
CREATE TABLE port ( portcode TEXT PRIMARY KEY, portname TEXT, countrycode TEXT );
CREATE TABLE shipment (
  shipmentid INTEGER PRIMARY KEY, customerid INTEGER REFERENCES customer(customerid), carrierid INTEGER REFERENCES carrier(carrierid),
  originport TEXT REFERENCES port(portcode), destport TEXT REFERENCES port(portcode), incoterm TEXT, -- EXW, FOB, CIF, DDP
  bookedon TEXT, etd TEXT, atd TEXT, eta TEXT, ata TEXT, -- estimated / actual departure and arrival
  shipstatus TEXT -- BKD booked, TRN in transit, ARR arrived, CXL cancelled
);
CREATE TABLE container ( containerid INTEGER PRIMARY KEY, shipmentid INTEGER REFERENCES shipment(shipmentid), containerno TEXT, sizefeet INTEGER, grosskg REAL, tarekg REAL, reefer_flag INTEGER );
CREATE TABLE cargoitem ( itemid INTEGER PRIMARY KEY, containerid INTEGER REFERENCES container(containerid), description TEXT, hscode TEXT, piececount INTEGER, declaredvalue REAL, hazardclass TEXT ); -- NULL: not dangerous
CREATE TABLE charge ( chargeid INTEGER PRIMARY KEY, shipmentid INTEGER REFERENCES shipment(shipmentid), chargetype TEXT, costamount REAL, sellamount REAL ); -- freight, customs, handling, storage
CREATE TABLE customsentry ( entryid INTEGER PRIMARY KEY, shipmentid INTEGER REFERENCES shipment(shipmentid), filedon TEXT, clearedon TEXT, dutyamount REAL, inspected INTEGER );
CREATE TABLE invoice ( invoiceid INTEGER PRIMARY KEY, shipmentid INTEGER REFERENCES shipment(shipmentid), issuedate TEXT, duedate TEXT, paiddate TEXT, totalamount REAL );
