"""What one pass over a session tells about the names and lines in it, and what they are worth."""
