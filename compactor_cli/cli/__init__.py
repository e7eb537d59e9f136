"""The command line: one file a command (load, call, render, exit code)."""
