"""Learn a profile from sessions; the labels are what the rest of each session needed."""
