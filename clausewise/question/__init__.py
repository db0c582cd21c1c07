"""The question: its tokens, numbers, evidence, and what it asks for.

The third input beside the query (`clausewise.sql`) and the database (`clausewise.databases`);
imports neither.
"""
