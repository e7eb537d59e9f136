"""Strategy `adaptive`: chooses lines, arranges them in time order, and renders them in place or in summaries."""
