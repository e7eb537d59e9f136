"""Provide what agents call before and after their own compaction: payloads, settings files, and what is restored."""
