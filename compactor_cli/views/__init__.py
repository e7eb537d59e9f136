"""Compute what `inspect`, `diff`, `browse` and `sessions` show about a session."""
