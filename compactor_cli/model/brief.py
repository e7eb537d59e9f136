"""Show a value at a prompt or in a failure, where some of its fields are as long as a file."""

from __future__ import annotations

from msgspec import Struct


def brief(value: Struct, *without: str) -> str:
    """Return the repr of a value that leaves fields out."""
    shown = (f"{name}={getattr(value, name)!r}" for name in value.__struct_fields__ if name not in without)
    return f"{type(value).__name__}({', '.join(shown)})"
