"""Learning a profile from sessions: what the rest of each session needed is the label."""
