"""What a compaction took away: named, listed, and put together again. Values only; `stored` keeps them."""
