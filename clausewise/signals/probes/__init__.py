"""Probes: statements put together from pieces of the query, and what their rows say."""
