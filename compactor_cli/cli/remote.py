"""Addresses such as `s3://bucket/name` in place of paths. fsspec is imported when one is used."""

from __future__ import annotations

from types import ModuleType

from compactor_cli.errors import UsageError
from compactor_cli.text.patterns import compiled_later

_ADDRESS = compiled_later(r"[A-Za-z][A-Za-z0-9+.-]+://")


def is_remote(path: str) -> bool:
    """Return whether a path is an address in a store that fsspec accesses."""
    return _ADDRESS.match(path) is not None


def is_process_local(path: str) -> bool:
    """Return whether only this process can see the contents of an address."""
    return path.startswith("memory://")


def local_path(path: str) -> str:
    """Return the local path for an address such as file://; anything else is returned unchanged."""
    return str(load_store().local_path(path)) if path.startswith(("file://", "local://")) else path


def load_store() -> ModuleType:
    """Return the module that reads and writes remote stores. Raises UsageError if fsspec is missing."""
    try:
        from compactor_cli.remote import store as found
    except ImportError:
        raise UsageError(
            "addresses such as s3:// need fsspec, which is not installed: pip install 'compactor-cli[remote]'"
        ) from None
    return found
