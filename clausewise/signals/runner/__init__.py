"""The runner: parses and runs each case, and runs every signal on it, under limits."""
