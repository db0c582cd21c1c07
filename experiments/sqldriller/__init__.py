"""SQLDriller's table 6: wrong queries that are fixed, right ones that remain."""
