"""Linking: the words of the question against the schema, its values, and the query."""
