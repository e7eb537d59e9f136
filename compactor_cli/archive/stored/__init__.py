"""The archive in the database: inputs, rounds, and what was taken out of them."""
