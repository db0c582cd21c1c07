"""What the auditor of corrections keeps out and lets pass, by rule and margin."""
