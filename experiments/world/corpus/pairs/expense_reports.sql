CREATE TABLE departments (departmentId INTEGER PRIMARY KEY, departmentName TEXT, costCenter TEXT, managerId INTEGER REFERENCES employees(employeeId), monthlyBudget REAL);
CREATE TABLE employees (
  employeeId INTEGER PRIMARY KEY, firstName TEXT, lastName TEXT, email TEXT, departmentId INTEGER REFERENCES departments(departmentId),
  hireDate TEXT, leaveDate TEXT, -- NULL if still employed
  homeOffice TEXT, grade INTEGER);
CREATE TABLE expenseReports (
  reportId INTEGER PRIMARY KEY, employeeId INTEGER REFERENCES employees(employeeId), title TEXT, purpose TEXT,
  createdAt TEXT, submittedAt TEXT, approvedAt TEXT, reimbursedAt TEXT,
  approverId INTEGER REFERENCES employees(employeeId), statusCode TEXT -- D draft, S submitted, A approved, R rejected, P paid
);
CREATE TABLE categories (categoryId INTEGER PRIMARY KEY, categoryName TEXT, glAccount TEXT, dailyLimit REAL, receiptRequired INTEGER);
CREATE TABLE expenseItems (
  itemId INTEGER PRIMARY KEY, reportId INTEGER REFERENCES expenseReports(reportId), categoryId INTEGER REFERENCES categories(categoryId),
  expenseDate TEXT, merchantName TEXT, city TEXT, currencyCode TEXT REFERENCES currencies(currencyCode),
  amountLocal REAL, amountEur REAL, taxEur REAL, paymentMethod TEXT, -- CC company card, PC private card, CASH
  isBillable INTEGER);
CREATE TABLE currencies (currencyCode TEXT PRIMARY KEY, currencyName TEXT, rateToEur REAL);
CREATE TABLE receipts (receiptId INTEGER PRIMARY KEY, itemId INTEGER REFERENCES expenseItems(itemId), fileName TEXT, uploadedAt TEXT, sizeKb INTEGER);
CREATE TABLE mileageClaims (claimId INTEGER PRIMARY KEY, reportId INTEGER REFERENCES expenseReports(reportId), tripDate TEXT, fromPlace TEXT, toPlace TEXT, kilometers REAL, ratePerKm REAL);
