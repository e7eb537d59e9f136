"""Render values as rich tables and as JSON, without computing anything."""
