"""One file per target; no target imports another. What several targets write is in the parent folder."""
