"""Prose -> sentences."""

from __future__ import annotations

import re

from compactor_cli.text.clean import plain

_LONGEST = 20_000
"""Characters of a paragraph that are split into sentences; the rest of a longer one is left out."""
_FENCE = re.compile(r"```.*?(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d+[.)]|#+|>)\s+")
_ENDS = re.compile(r"[.!?。！？]")


def sentences(text: str) -> list[str]:
    """Sentences of a prose text, list items and headings as sentences of their own, without code blocks."""
    found: list[str] = []
    if "```" in text:
        text = _FENCE.sub("\n", text)
    for line in plain(text).splitlines():
        item = _BULLET.sub("", line).strip()
        if len(item) < 3:
            continue
        if (item.isascii() and len(item) < 60) or len(_ENDS.findall(item)) < 2:
            found.append(item[:_LONGEST])
            continue
        import sentencex  # loaded only where there is prose to split

        found.extend(s.strip() for s in sentencex.segment("en", item[:_LONGEST]) if len(s.strip()) > 2)
    return found
