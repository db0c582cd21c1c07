"""Expectation signals: what questions worded like this one are answered by, learned from pairs."""
