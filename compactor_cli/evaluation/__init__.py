"""Measure how much of what sessions needed later methods keep, and fit profiles to that."""
