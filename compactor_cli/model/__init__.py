"""Frozen data; no I/O."""
