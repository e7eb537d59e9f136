"""Measure how much methods keep of what sessions needed later, and learn profiles from it."""
