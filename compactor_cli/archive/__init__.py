"""What a compaction took away: named, listed, and put together again. Values only; the store keeps them."""
