"""Log lines: lines that begin with the time at which they were written, and lines that report an error."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?!\w|:\S)"
_DATE = r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}[/-][A-Z][a-z]{2}[/-]\d{4})"
_MONTH = r"(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d"
_TIMESTAMP = rf"[ \t]*[\[(]?(?:(?:{_DATE}(?:[T:]|[ ,]{{1,2}})|{_MONTH} )?{_TIME}(?: \d{{4}})?)(?:[\])]|:(?= ))?"
"""How a log line begins: a time, with or without the date."""
_LOG_START = compiled_later(_TIMESTAMP)
_ERROR_LEVELS = r"(?:error|fatal|panic)"
_FIELD = compiled_later(
    r"[ \t]+(?:\[[^\]\n]{1,60}\]|[-–|](?= )|(?<=[-–|] )(?=[\d_.$:<>-]*[^\W\d_])[\w.$:<>-]{1,80}(?= +[-–|])"
    r"|(?![A-Z]+\b)(?!\w*(?:[Ee]rror|Exception|atal|anic)\b:?(?:\s|$))[A-Za-z](?=[\w-]*[.:/\[\d])[\w.$/@:<>\[\]-]{1,80}"
    r"|(?<=\d )[a-z][a-z-]{1,40}(?= [\w.-]+\[\d+\]:))"
)
"""What may be between the time and the level: a thread or a logger, a separator, a name between two separators, or a
host."""
_MAX_FIELDS = 6
"""Maximum number of such fields."""
_HARMLESS_FIELD = compiled_later(
    r"[ \t]+(?:\[[^\]\n]{0,40}?\b(?:info|debug|warn(?:ing)?|trace|notice|verbose|ok|pass(?:ed)?|success)\b(?![\w-])"
    r"|(?:info|debug|warn(?:ing)?|trace|notice|verbose|ok|done|pass(?:ed)?|success)(?![\w-])|[0-9a-f]{7,40}[ \t])",
    re.IGNORECASE,
)
"""A field that says that nothing went wrong; or the checksum in a commit log, whose lines describe changes."""
_FIGURE = (
    r"(?![ \t:=]*(?:[\d.]+[ \t]*(?:%[ \t]*)?(?:$|[,;|])|0(?![\w.])|(?:no|none|nil|null)[ \t.]*$|none\b|ignored\b"
    r"|(?:counts?|lines?|total|rate)[ \t]*[:=][ \t]*0(?![\w.])))"
)
_LEVEL = compiled_later(
    rf"[ \t]*(?<=[ "
    rf"\t\])])\W?(?:(?:ERROR|FATAL|PANIC)\b(?!\.\w){_FIGURE}|\[(?:\w+:)?{_ERROR_LEVELS}\]|"
    rf"(?<=\[)(?:\w+:)?{_ERROR_LEVELS}\]"
    rf"|(?:[Ee]rror|[Ff]atal|[Pp]anic):(?=\s){_FIGURE}|(?:\w{{1,60}}\.){{0,12}}[A-Z]\w*(?:Error|Exception):\s)"
)
_KEY = r"(?:level|lvl|severity)"
_LEVEL_PAIR = compiled_later(
    rf"""(?:(?!{_KEY}=)[\w.]+=(?:"[^"\n]*"|[^\s"]*)[ \t]+)*{_KEY}="?(?i:{_ERROR_LEVELS})"?(?=[ \t])"""
    r""".*[ \t](?:msg|message|err|error)="?[^\s"]""",
    words=("level=", "lvl=", "severity="),
)
_LEVEL_MEMBER = compiled_later(
    r'\{(?=.*"(?:msg|message|event|err(?:or)?)"\s*:\s*"[^"])(?!.*"(?:resolved|fixed|closed|ignored|suppressed)")'
    rf'[^{{}}]*"(?:level|lvl|severity|levelname|log\.level)"\s*:\s*"(?i:{_ERROR_LEVELS})".*\}}$'
)
"""The same for lines with named fields."""
_MAX_LINE_CHARS = 2_000


def is_log_line(line: str) -> bool:
    """Return whether a line begins with the time at which it was written."""
    return _LOG_START.match(line) is not None


def is_error_log(line: str) -> bool:
    """Return whether a log line reports an error."""
    if len(line) > _MAX_LINE_CHARS:
        return False
    stripped = line.strip()
    return _has_level(line) or (_LEVEL_MEMBER if stripped.startswith("{") else _LEVEL_PAIR).match(stripped) is not None


def _has_level(line: str) -> bool:
    """Return whether a line that begins with a time has an error level or an error message after at most a few
    fields. The fields are read one by one."""
    part = _LOG_START.match(line)
    for _ in range(_MAX_FIELDS + 1):
        if part is None or _HARMLESS_FIELD.match(line, part.end()):
            return False
        if _LEVEL.match(line, part.end()):
            return True
        part = _FIELD.match(line, part.end())
    return False
