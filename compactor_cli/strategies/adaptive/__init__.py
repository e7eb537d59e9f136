"""Strategy `adaptive`: chooses lines, lays them out in the order of time, and renders them in place or in summaries."""
