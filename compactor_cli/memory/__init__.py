"""Memories: what is worth remembering beyond a session (seed 003)."""
