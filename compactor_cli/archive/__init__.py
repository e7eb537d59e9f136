"""Name, list and put together again what a compaction took away. Values only; `stored` keeps them."""
