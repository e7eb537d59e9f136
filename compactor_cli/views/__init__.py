"""Compute what `inspect`, `diff`, `browse` and `sessions` show of a session."""
