"""Mutated sessions through the real commands: `python -m tests.fuzz`, or `make fuzz`."""
