"""A question on one person's visits, and queries for it."""

QUESTION = "How many visits did Ann make?"
WRONG = "SELECT COUNT(*) FROM visits WHERE person = 'ann'"
RIGHT = "SELECT COUNT(*) FROM visits WHERE person = 'Ann'"
HARMFUL = "SELECT COUNT(*) FROM visits WHERE person = 'Cid'"
BROKEN = "SELECT COUNT(*) FROM visit WHERE person = 'Ann'"
