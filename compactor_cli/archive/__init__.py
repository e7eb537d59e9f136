"""Identify, list and restore what a compaction removed. Works on values only; `stored` puts them in the database."""
