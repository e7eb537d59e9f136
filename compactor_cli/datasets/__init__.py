"""Conversations in the rows of a data set: one row in, one row out, with nothing else changed."""
