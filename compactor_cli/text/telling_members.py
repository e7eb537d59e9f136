"""Members of JSON that say how things stand: a record that failed among others that did not, and plain values beside
lists of records."""

from __future__ import annotations

import re
from collections import defaultdict

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import Span, outer_spans

_STATE = compiled_later(
    r'"(state|status|result|outcome|conclusion|phase|verdict)"[ \t\n]*:[ \t\n]*"([^"\\\n]{1,40})"'
    r'(?:[ \t\n]*,[ \t\n]*"(details?|error|message|reason|description)"[ \t\n]*:[ \t\n]*'
    r'"(?:[^"\\]|\\.){1,300}")?'
)
"""What a record has as its state, with what is said of that right behind it."""
_FAILED = compiled_later(
    r"fail(?:ed|ure|ing)?|error(?:ed)?|crash(?:ed|loopbackoff)|fehlgeschlagen|fallid[oa]|échec|失败|失敗", re.IGNORECASE
)
_WHY = ("error", "detail", "details", "reason")
_PERHAPS = compiled_later(r"denied|conflict|rejected|timed?[ _-]?out|aborted|unhealthy|broken", re.IGNORECASE)
"""States that tell of a failure where the record says why: others are the usual end of an order or a request."""
_LEAST = 3
"""Records with a state from which on they say what is usual."""
_FEW = 0.5
"""Share of them that may have failed where that is news."""
_MOST = 2
"""Such records that are told."""
_PLAIN = compiled_later(r'"[^"\\\n]{1,60}"\s*:\s*(?:-?\d[\d.eE+-]*|true|false|"[^"\\\n]{1,60}")')
_RECORDS = compiled_later(r'"[^"\\\n]{1,60}"\s*:\s*\[\s*\{')
_LONGEST = 40_000
"""Characters of a result that are read."""


def failed_records(text: str) -> list[Span]:
    """Return where a few records of JSON say that they failed, as others do not."""
    if len(text) > _LONGEST or '"' not in text:
        return []
    states: defaultdict[str, int] = defaultdict(int)
    failed: defaultdict[str, list[Span]] = defaultdict(list)
    for state in _STATE.finditer(text):
        states[state[1]] += 1
        if _FAILED.fullmatch(state[2]) or (_PERHAPS.fullmatch(state[2]) and state[3] in _WHY):
            failed[state[1]].append(state.span())
    news = [spans for key, spans in failed.items() if states[key] >= _LEAST and len(spans) <= _FEW * states[key]]
    return [span for spans in news for span in spans[:_MOST]]


def plain_members(text: str) -> list[Span]:
    """Return where an object of JSON with a list of records has numbers, names and truths of its own, such as sums."""
    if len(text) > _LONGEST:
        return []
    members = [*outer_spans(text)]
    if not any(_RECORDS.match(text, start, end) for start, end in members):
        return []
    return [(start, end) for start, end in members if _PLAIN.fullmatch(text, start, end)]
