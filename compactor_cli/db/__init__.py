"""The database of everything that outlives a run, in SQLite or PostgreSQL: opening, schema migration, cleaning."""
