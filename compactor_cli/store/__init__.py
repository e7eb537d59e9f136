"""What outlives a run: originals, rounds, and memories, in SQLite or PostgreSQL."""
