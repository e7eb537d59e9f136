"""Addresses of servers, without what is secret in them."""

from __future__ import annotations

import re

_BEFORE_HOST = re.compile(r"(?<=:)//[^/@\s]+@")
_IN_QUERY = re.compile(r"(?i)((?:password|passwd|secret|token|key)[^=&\s]*=)[^&\s]+")


def masked(address: str) -> str:
    """Return an address with `***` for user and password before its host, and for passwords among its options."""
    return _IN_QUERY.sub(r"\1***", _BEFORE_HOST.sub("//***@", address))
