"""PostgreSQL, MySQL and MariaDB, through SQLAlchemy."""
