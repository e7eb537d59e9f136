"""What happened in a session: calls and their outcomes, files, checks, errors, and the state of the work built from
them."""
