"""Judge what of a transcript survives in a second one, sharing no patterns with what is judged."""
