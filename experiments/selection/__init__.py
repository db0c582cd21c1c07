"""Choosing among the candidates of several systems, without a language model."""
