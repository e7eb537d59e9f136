"""A short repr for values that have very long fields."""

from __future__ import annotations

from msgspec import Struct


def brief(value: Struct, *without: str) -> str:
    """Return the repr of a value without the named fields."""
    shown = (f"{name}={getattr(value, name)!r}" for name in value.__struct_fields__ if name not in without)
    return f"{type(value).__name__}({', '.join(shown)})"
