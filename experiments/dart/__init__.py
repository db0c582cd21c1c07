"""DART-SQL: what its parts bring to a correction, and what rows of the tables show."""
