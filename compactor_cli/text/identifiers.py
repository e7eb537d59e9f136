"""Identifiers: paths, URLs, symbols, error names, numbers with units, quoted strings.

Text is cut into chunks at C speed and each distinct chunk is judged once, so the cost is that of
one pass however long the transcript.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CHUNK = re.compile(r"[A-Za-z0-9_./:@$%~-]{4,}")
_QUOTED = re.compile(r"`([^`\n]{3,60})`|\"([^\"\n]{4,60})\"|“([^”\n]{4,60})”")
_STRIP = ".,:;-/@$%~"

_JUDGE = re.compile(
    r"""(?P<url>https?://\S{4,})
      | (?P<path>(?:~|\.{1,2})?/?(?:[\w.@+-]+/)+[\w.@+-]*\w | /?[\w-][\w.-]*\.[A-Za-z][A-Za-z0-9]{0,5})
      | (?P<error>[A-Z]\w*(?:Error|Exception|Warning|Fault) | E[A-Z]{4,} | ERR_\w+ | SIG[A-Z]{3,})
      | (?P<number>\$?\d[\d.]*(?:[kKMGT]?i?[bB]|ms|s|%|px|rem|em|x|°) | \$\d[\d.]* | \d+\.\d+(?:\.\d+)*)
      | (?P<code>(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9][\w-]{3,})
      | (?P<flag>--[a-z][\w-]+)
      | (?P<symbol>_*[A-Za-z][A-Za-z0-9]*(?:[_.:]+[A-Za-z0-9]+)+ | [a-z]+[a-z0-9]*(?:[A-Z][a-z0-9]*)+
          | (?:[A-Z][a-z0-9]+){2,} | __\w+__)
    """,
    re.VERBOSE,
)


@lru_cache(maxsize=200_000)
def _judge(chunk: str) -> str:
    """The identifier in a chunk without the punctuation around it, or an empty string."""
    core = chunk.rstrip(_STRIP)
    core = core.lstrip("@:%") if not core.startswith("--") else core
    if len(core) < 4 or core.isdigit():
        return ""
    if _JUDGE.fullmatch(core):
        return core
    # "error:src/main.py:12" and the like: the part that is an identifier
    for piece in core.split(":"):
        if len(piece) >= 4 and _JUDGE.fullmatch(piece):
            return piece
    return ""


def unescape(text: str) -> str:
    """JSON inside a string: inner line breaks and quotes made plain."""
    if "\\" not in text:
        return text
    return text.replace("\\n", "\n").replace("\\t", " ").replace('\\"', '"')


def identifiers(text: str) -> set[str]:
    """Distinct identifiers of a text."""
    found = {_judge(chunk) for chunk in set(_CHUNK.findall(text))}
    found.discard("")
    return found


def quoted(text: str) -> set[str]:
    """Distinct quoted strings of a prose text that are more than one ordinary word."""
    if "`" not in text and '"' not in text and "“" not in text:
        return set()
    found = {next(g for g in match if g).strip() for match in _QUOTED.findall(text)}
    return {s for s in found if len(s) >= 4 and not s.isalpha()}
