"""The command line: one file per command (load, call, render, exit code)."""
