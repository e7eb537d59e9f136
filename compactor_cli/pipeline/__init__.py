"""The stages between reading and writing, and the function that runs them (`run`)."""
