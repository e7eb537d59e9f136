"""One file a target; none imports another. What several write stands beside this folder."""
