"""Addresses of servers, without what is secret in them."""

from __future__ import annotations

from compactor_cli.text.patterns import compiled_later

_BEFORE_HOST = compiled_later(r"(?<=:)//[^/@\s]+@")
_IN_QUERY = compiled_later(r"(?i)((?:password|passwd|secret|token|key)[^=&\s]*=)[^&\s]+")


def masked(address: str) -> str:
    """Return an address with `***` for user and password before its host, and for passwords among its options."""
    return _IN_QUERY.sub(r"\1***", _BEFORE_HOST.sub("//***@", address))
