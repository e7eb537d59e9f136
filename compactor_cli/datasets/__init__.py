"""Conversations in the rows of a data set: one row in, one row out, and nothing else of it changes."""
