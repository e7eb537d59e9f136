"""The memory log in the database."""
