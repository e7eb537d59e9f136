"""Hooks that agents call before and after their compaction: payloads, settings files, and the context to restore."""
