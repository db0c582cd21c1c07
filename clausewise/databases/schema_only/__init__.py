"""A schema in place of a database: what can be checked where the data is out of reach."""
