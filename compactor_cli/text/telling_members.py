"""Informative members of JSON: a failed record among others that did not fail, and plain values next to lists of
records."""

from __future__ import annotations

import re
from collections import defaultdict

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.units import Span, outer_spans

_RECORD_STATE = compiled_later(
    r'"(state|status|result|outcome|conclusion|phase|verdict)"[ \t\n]*:[ \t\n]*"([^"\\\n]{1,40})"'
    r'(?:[ \t\n]*,[ \t\n]*"(details?|error|message|reason|description)"[ \t\n]*:[ \t\n]*'
    r'"(?:[^"\\]|\\.){1,300}")?'
)
"""The state of a record, with an explanation directly after it."""
_FAILED = compiled_later(
    r"fail(?:ed|ure|ing)?|error(?:ed)?|crash(?:ed|loopbackoff)|fehlgeschlagen|fallid[oa]|échec|失败|失敗", re.IGNORECASE
)
_REASON_KEYS = ("error", "detail", "details", "reason")
_POSSIBLE_FAILURE = compiled_later(r"denied|conflict|rejected|timed?[ _-]?out|aborted|unhealthy|broken", re.IGNORECASE)
"""States that mean a failure if the record gives a reason; otherwise they are normal outcomes of an order or a
request."""
_MIN_STATES = 3
"""Minimum number of records with a state that show what is normal."""
_MAX_FAILED_SHARE = 0.5
"""Maximum share of them that may have failed for a failure to be news."""
_MAX_REPORTED = 2
"""Maximum number of such records reported."""
_PLAIN_MEMBER = compiled_later(r'"[^"\\\n]{1,60}"\s*:\s*(?:-?\d[\d.eE+-]*|true|false|"[^"\\\n]{1,60}")')
_RECORD_LIST = compiled_later(r'"[^"\\\n]{1,60}"\s*:\s*\[\s*\{')
_MAX_CHARS = 40_000
"""Maximum length of a result that is read."""


def failed_records(text: str) -> list[Span]:
    """Return the spans where a few JSON records report a failure while others do not."""
    if len(text) > _MAX_CHARS or '"' not in text:
        return []
    states: defaultdict[str, int] = defaultdict(int)
    failed: defaultdict[str, list[Span]] = defaultdict(list)
    for state in _RECORD_STATE.finditer(text):
        states[state[1]] += 1
        if _FAILED.fullmatch(state[2]) or (_POSSIBLE_FAILURE.fullmatch(state[2]) and state[3] in _REASON_KEYS):
            failed[state[1]].append(state.span())
    reported = [
        spans
        for key, spans in failed.items()
        if states[key] >= _MIN_STATES and len(spans) <= _MAX_FAILED_SHARE * states[key]
    ]
    return [span for spans in reported for span in spans[:_MAX_REPORTED]]


def plain_members(text: str) -> list[Span]:
    """Return the spans of an object's own numbers, strings and booleans, such as totals, if it also has a list of
    records."""
    if len(text) > _MAX_CHARS:
        return []
    members = [*outer_spans(text)]
    if not any(_RECORD_LIST.match(text, start, end) for start, end in members):
        return []
    return [(start, end) for start, end in members if _PLAIN_MEMBER.fullmatch(text, start, end)]
