"""Log lines: lines that begin with the time at which they were written, and lines that report an error."""

from __future__ import annotations

from compactor_cli.text.patterns import compiled_later

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?!\w|:\S)"
_DATE = r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}[/-][A-Z][a-z]{2}[/-]\d{4})"
_MONTH = r"(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d"
_LOG_START = compiled_later(
    rf"[ \t]*[\[(]?(?:(?:{_DATE}(?:[T:]|[ ,]{{1,2}})|{_MONTH} )?{_TIME}(?: \d{{4}})?)(?:[\])]|:(?= ))?"
)
"""How a log line begins: a time, with or without the date."""
_LEVEL = compiled_later(
    r"(?<![^\s\[(|])(?:(ERROR|FATAL|PANIC)\b(?!\.\w)|(?:\w+:)?(error|fatal|panic)(?:\]|:\s)"
    r"|((?:\w{1,60}\.){0,12}[A-Z]\w*(?:Error|Exception)):\s"
    r"|(?i:info|debug|warn(?:ing)?|trace|notice|verbose|ok|done|pass(?:ed)?|success)(?![\w-])|[0-9a-f]{7,40}[ \t])"
)
"""A level, or the checksum in a commit log, whose lines describe changes. The first one of a line counts."""
_NO_ERROR = compiled_later(
    r"[ \t:=]*(?:[\d.]+[ \t]*(?:%|$|[,;|])|0(?![\w.])|(?:no|none|nil|null|ignored)[ \t.]*$"
    r"|(?:counts?|total|rate)[ \t:=]*\d)"
)
"""What follows the name of a level that is counted, or of an error that did not happen."""
_PROSE = compiled_later(r"\b[a-z]+ [a-z]+ |\s0 $")
"""What makes the name of a level a word of a message: `set log level to ERROR`, `0 ERROR lines`."""
_LEVEL_FIELD = compiled_later(
    r'(?:[\w.]+=(?:"[^"\n]*"|[^\s"]*)[ \t]+)*(?:level|lvl|severity)="?(?i:error|fatal|panic)"?[ \t]'
    r".*\b(?:msg|message|err)="
    r'|\{(?=[^{}]*"(?:msg|message|event|err(?:or)?)"\s*:\s*"[^"])(?!.*"(?:resolved|fixed|closed|ignored)")'
    r'[^{}]*"(?:level|lvl|severity|levelname|log\.level)"\s*:\s*"(?i:error|fatal|panic)"',
)
"""The same for lines with named fields."""
_MAX_LINE_CHARS, _MAX_FIELD_CHARS = 2_000, 100
"""Maximum length of such a line, and of what is between its time and its level."""


def is_log_line(line: str) -> bool:
    """Return whether a line begins with the time at which it was written."""
    return _LOG_START.match(line) is not None


def is_error_log(line: str) -> bool:
    """Return whether a log line reports an error."""
    if len(line) > _MAX_LINE_CHARS:
        return False
    start = _LOG_START.match(line)
    if start is None:
        return _LEVEL_FIELD.match(line.strip()) is not None
    level = _LEVEL.search(line, start.end(), start.end() + _MAX_FIELD_CHARS)
    if level is None or level.lastindex is None or _PROSE.search(line, start.end(), level.start()):
        return False
    return not _NO_ERROR.match(line, level.end())
