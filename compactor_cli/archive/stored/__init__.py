"""The archive in the database: inputs, rounds, and what was removed from them."""
