"""The database of what outlives a run, in SQLite or PostgreSQL: opened, brought to the newest schema, and cleaned."""
