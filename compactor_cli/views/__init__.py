"""What `inspect`, `diff`, `browse` and `sessions` show of a session, computed."""
