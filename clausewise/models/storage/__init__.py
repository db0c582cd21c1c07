"""Storage: a detector as a folder that is written whole and verified when it is read."""
