"""Summaries: their format, what goes into them, and who writes them."""
