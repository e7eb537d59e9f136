"""Tags in which harnesses say something that is nobody's words."""

from __future__ import annotations

SYSTEM_TAG = r"system[-_](?:notification|message|notice|warning|note|event|info)s?"
"""A pattern of names that harnesses give them. Other words behind `system` name what people speak of: a prompt, a
design, a header of C++."""
