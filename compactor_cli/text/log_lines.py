"""Lines of logs: those that begin with the time at which they were written, and those that tell of an error."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?(?: ?(?:Z|UTC|[+-]\d\d:?\d\d))?(?!\w|:\S)"
_DATE = r"(?:\d{4}[-/.]\d\d[-/.]\d\d|\d{1,2}[/.]\d{1,2}[/.]\d{4}|\d{1,2}[/-][A-Z][a-z]{2}[/-]\d{4})"
_MONTH = r"(?:[A-Z][a-z]{2} )?[A-Z][a-z]{2} [ \d]\d"
_STAMP = rf"[ \t]*[\[(]?(?:(?:{_DATE}(?:[T:]|[ ,]{{1,2}})|{_MONTH} )?{_TIME}(?: \d{{4}})?)(?:[\])]|:(?= ))?"
"""What a line of a log begins with: a time, with the day before it or not."""
_WRITTEN = compiled_later(_STAMP)
_LOW = r"(?:error|fatal|panic)"
_FIELD = (
    rf"\[(?!(?:\w+:)?{_LOW}\])[^\]\n]{{1,60}}\]|[-–|](?= )|(?<=[-–|] )[\w.$:<>-]{{1,80}}(?= +[-–|])"
    r"|(?![A-Z]+\b)(?!\w*(?:[Ee]rror|Exception|atal|anic)\b:?(?:\s|$))[A-Za-z](?=[\w-]*[.:/\[\d])"
    r"[\w.$/@:<>\[\]-]{1,80}"
    r"|(?<=\d )[a-z][a-z-]{1,40}(?= [\w.-]+\[\d+\]:)"
)
"""What stands between the time and the level: a thread or a logger, a separator, a name between two, a host."""
_FIGURE = r"(?![ \t:=]*[\d.]+[ \t]*%?[ \t]*(?:$|[,;|]))"
_LEVEL = (
    rf"\W?(?:(?:ERROR|FATAL|PANIC)\b{_FIGURE}|\[(?:\w+:)?{_LOW}\]|(?<=\[)(?:\w+:)?{_LOW}\]"
    rf"|(?:[Ee]rror|[Ff]atal|[Pp]anic):(?=\s){_FIGURE}|(?:[\w.]+\.)?[A-Z]\w*(?:Error|Exception):\s)"
)
_LOGGED = compiled_later(rf"{_STAMP}(?:[ \t]+(?:{_FIELD}))*[ \t]*(?<=[ \t\])]){_LEVEL}")
"""A line of a log that is of an error by its level, or by what it begins to say."""
_PAIRS = compiled_later(
    rf"""(?:[\w.]+=(?:"[^"\n]*"|[^\s"]*)[ \t]+)*(?:level|lvl|severity)="?(?i:{_LOW})"?(?=[ \t])"""
    r".*[ \t](?:msg|message|err|error)="
)
_RECORD = compiled_later(
    r'\{(?=.*"(?:msg|message|event|error|err)"[ \t]*:).*"(?:level|lvl|severity|levelname|log\.level)"[ \t]*:[ \t]*'
    rf'"(?i:{_LOW})"'
)
"""The same where a line has its parts by name."""
_MAY_LOG = compiled_later(rf"{_STAMP}|\s*(?:\{{|[\w.]+=)", re.IGNORECASE)
_LONGEST = 2_000


def is_logged(line: str) -> bool:
    """Return whether a line begins with the time at which it was written."""
    return _WRITTEN.match(line) is not None


def may_log(begin: str) -> bool:
    """Return whether a line that begins so, in whatever case, may be one of a log."""
    return _MAY_LOG.match(begin) is not None


def logs_error(line: str) -> bool:
    """Return whether a line of a log says that something went wrong."""
    if len(line) > _LONGEST:
        return False
    bare = line.strip()
    if bare.startswith("{"):
        return bare.endswith("}") and _RECORD.match(bare) is not None
    return _LOGGED.match(line) is not None or _PAIRS.match(bare) is not None
