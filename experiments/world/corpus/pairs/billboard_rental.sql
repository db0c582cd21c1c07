CREATE TABLE City (CityId INTEGER PRIMARY KEY, CityName TEXT NOT NULL, Region TEXT, Population INTEGER);
CREATE TABLE Billboard (
  BillboardId INTEGER PRIMARY KEY, BoardCode TEXT UNIQUE, CityId INTEGER REFERENCES City(CityId),
  StreetAddress TEXT, BoardType TEXT, -- STA static, DIG digital, SCR scrolling
  WidthCm INTEGER, HeightCm INTEGER, IsIlluminated INTEGER, -- 1 yes, 0 no
  InstalledOn TEXT, RemovedOn TEXT, -- NULL while standing
  DailyViews INTEGER, ListPricePerWeek REAL);
CREATE TABLE Advertiser (
  AdvertiserId INTEGER PRIMARY KEY, CompanyName TEXT, Industry TEXT, ContactEmail TEXT, AgencyId INTEGER REFERENCES Agency(AgencyId), SignedUpOn TEXT);
CREATE TABLE Agency (AgencyId INTEGER PRIMARY KEY, AgencyName TEXT, CommissionPct REAL);
CREATE TABLE Campaign (
  CampaignId INTEGER PRIMARY KEY, AdvertiserId INTEGER NOT NULL REFERENCES Advertiser(AdvertiserId), CampaignName TEXT, Budget REAL, LaunchDate TEXT, EndDate TEXT, Status TEXT); -- planned, running, finished, cancelled
CREATE TABLE Booking (
  BookingId INTEGER PRIMARY KEY, CampaignId INTEGER REFERENCES Campaign(CampaignId), BillboardId INTEGER REFERENCES Billboard(BillboardId),
  StartDate TEXT, EndDate TEXT, BookedOn TEXT, AgreedPrice REAL, DiscountPct REAL);
CREATE TABLE Invoice (
  InvoiceId INTEGER PRIMARY KEY, BookingId INTEGER REFERENCES Booking(BookingId), IssuedOn TEXT, DueOn TEXT, PaidOn TEXT, AmountNet REAL, AmountVat REAL);
CREATE TABLE Inspection (
  InspectionId INTEGER PRIMARY KEY, BillboardId INTEGER REFERENCES Billboard(BillboardId), InspectorName TEXT, InspectedOn TEXT, ConditionScore INTEGER, -- 1 bad to 5 perfect
  Remark TEXT);
