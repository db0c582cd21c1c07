"""How far the estimated share of incorrect queries follows the truth."""
