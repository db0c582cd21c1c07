CREATE TABLE Alumni (AlumniId INTEGER PRIMARY KEY, FirstName TEXT, LastName TEXT, BirthName TEXT, Email TEXT, City TEXT, Country TEXT, IsDeceased INTEGER, OptOut INTEGER);
CREATE TABLE Faculty (FacultyId INTEGER PRIMARY KEY, FacultyName TEXT);
CREATE TABLE Degree (DegreeId INTEGER PRIMARY KEY, AlumniId INTEGER REFERENCES Alumni(AlumniId), FacultyId INTEGER REFERENCES Faculty(FacultyId), DegreeLevel TEXT, -- B bachelor, M master, D doctorate
 EnrolledYear INTEGER, GraduatedYear INTEGER, FinalGrade REAL);
CREATE TABLE Employer (EmployerId INTEGER PRIMARY KEY, EmployerName TEXT, Industry TEXT, HeadquartersCity TEXT);
CREATE TABLE Job (JobId INTEGER PRIMARY KEY, AlumniId INTEGER REFERENCES Alumni(AlumniId), EmployerId INTEGER REFERENCES Employer(EmployerId), JobTitle TEXT, StartDate TEXT, EndDate TEXT, AnnualSalary REAL);
CREATE TABLE Chapter (ChapterId INTEGER PRIMARY KEY, ChapterName TEXT, City TEXT, FoundedDate TEXT, PresidentId INTEGER REFERENCES Alumni(AlumniId));
CREATE TABLE ChapterMember (ChapterId INTEGER REFERENCES Chapter(ChapterId), AlumniId INTEGER REFERENCES Alumni(AlumniId), JoinedDate TEXT, LeftDate TEXT, PRIMARY KEY (ChapterId, AlumniId));
CREATE TABLE NetworkEvent (EventId INTEGER PRIMARY KEY, ChapterId INTEGER REFERENCES Chapter(ChapterId), EventName TEXT, EventDate TEXT, Capacity INTEGER, TicketPrice REAL);
CREATE TABLE Registration (EventId INTEGER REFERENCES NetworkEvent(EventId), AlumniId INTEGER REFERENCES Alumni(AlumniId), RegisteredOn TEXT, Attended INTEGER, GuestCount INTEGER, PRIMARY KEY (EventId, AlumniId));
CREATE TABLE Mentorship (MentorshipId INTEGER PRIMARY KEY, MentorId INTEGER REFERENCES Alumni(AlumniId), MenteeId INTEGER REFERENCES Alumni(AlumniId), StartDate TEXT, EndDate TEXT, Rating INTEGER);
