"""Future-reference recall: what a session needed later, and whether a compaction would have kept it."""
