"""Settings as they are set: by files, the environment and options, with what is allowed for each."""
