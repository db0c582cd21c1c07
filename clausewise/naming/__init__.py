"""What the names of a schema say in words: abbreviations, units and prefixes read once for each.

`expanded(schema)` is the entry; nothing of it looks at a question, so it costs a question nothing.
"""
