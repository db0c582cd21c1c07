CREATE TABLE Donor (DonorId INTEGER PRIMARY KEY, DonorType TEXT, -- IND individual, ORG organisation
 FirstName TEXT, LastName TEXT, OrganisationName TEXT, Email TEXT, City TEXT, Country TEXT, AcquiredOn TEXT, AcquisitionChannel TEXT, -- WEB, MAIL, STREET, EVENT
 DoNotContact INTEGER);
CREATE TABLE Campaign (CampaignId INTEGER PRIMARY KEY, CampaignName TEXT, StartDate TEXT, EndDate TEXT, GoalAmount REAL, Budget REAL);
CREATE TABLE Appeal (AppealId INTEGER PRIMARY KEY, CampaignId INTEGER REFERENCES Campaign(CampaignId), AppealName TEXT, Medium TEXT, -- email, letter, phone
 SentOn TEXT, Cost REAL);
CREATE TABLE AppealRecipient (AppealId INTEGER REFERENCES Appeal(AppealId), DonorId INTEGER REFERENCES Donor(DonorId), Opened INTEGER, Unsubscribed INTEGER, PRIMARY KEY (AppealId, DonorId));
CREATE TABLE Gift (GiftId INTEGER PRIMARY KEY, DonorId INTEGER REFERENCES Donor(DonorId), CampaignId INTEGER REFERENCES Campaign(CampaignId), AppealId INTEGER REFERENCES Appeal(AppealId), PledgeId INTEGER REFERENCES Pledge(PledgeId), GiftDate TEXT, Amount REAL, PaymentMethod TEXT, -- card, debit, transfer, cheque
 IsAnonymous INTEGER, ReceiptSentOn TEXT);
CREATE TABLE Pledge (PledgeId INTEGER PRIMARY KEY, DonorId INTEGER REFERENCES Donor(DonorId), PledgedOn TEXT, Frequency TEXT, -- M monthly, Q quarterly, Y yearly
 InstalmentAmount REAL, CancelledOn TEXT);
CREATE TABLE Fund (FundId INTEGER PRIMARY KEY, FundName TEXT, IsRestricted INTEGER);
CREATE TABLE GiftAllocation (GiftId INTEGER REFERENCES Gift(GiftId), FundId INTEGER REFERENCES Fund(FundId), AllocatedAmount REAL, PRIMARY KEY (GiftId, FundId));
CREATE TABLE Interaction (InteractionId INTEGER PRIMARY KEY, DonorId INTEGER REFERENCES Donor(DonorId), StaffName TEXT, Kind TEXT, -- call, meeting, note
 HappenedOn TEXT, NextStepOn TEXT);
