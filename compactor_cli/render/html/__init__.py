"""Values -> one self-contained page: nothing is loaded from anywhere, and nothing in it is run but its own script."""
