"""Classifiers: from votes, scores and shape to a probability of being incorrect."""
