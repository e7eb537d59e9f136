"""Summaries: their format, their contents, and the summarizers that write them."""
