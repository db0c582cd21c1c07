"""What the words of a question lead one to expect of its query, learned from gold pairs.

The models are small and linear, and their weights are data in the package: inference needs numpy
only. Nothing here reads a database or runs a query.
"""
