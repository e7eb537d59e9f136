"""Hooks that agents call before and after their own compaction: payloads, settings files, and the context to
restore."""
