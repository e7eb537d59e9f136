"""Settings from files, the environment and options: which keys there are, what is allowed, which layer wins."""
