"""Judge what survives of a transcript in another one, independently of the code that is judged."""
