"""What a session did: calls and how they ended, files, checks and errors, and the state of the work made of them."""
