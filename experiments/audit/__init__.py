"""The audit of gold queries: what is flagged, and how often a reader agrees."""
