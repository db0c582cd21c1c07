"""What candidates that differ on made-up instances say beside their results on the database."""
