"""How much of what sessions needed later methods keep, and profiles fitted to that."""
