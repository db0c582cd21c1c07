"""Calibration: maps to probabilities that mean what they say, and decisions from them."""
