"""Label models: from a label matrix to a probability for each case, without labels."""
