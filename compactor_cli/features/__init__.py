"""What one pass over a session shows about its names and lines, and how valuable they are."""
