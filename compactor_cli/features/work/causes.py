"""Find the line of an output that states why something failed."""

from __future__ import annotations

import re

from compactor_cli.features.work.endings import answers_with_error, refuses_edit
from compactor_cli.features.work.json_results import stated_error
from compactor_cli.features.work.ledger import failure_line, says_why
from compactor_cli.features.work.programs import CheckKind
from compactor_cli.text.clean import one_line
from compactor_cli.text.line_prefixes import without_prefixes
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import without_secrets

_AT_LINE = compiled_later(
    r"^(?:\[\S+\] |[ \t]+)?\S+\.\w+(?::\d+(?::\d+)?:|\(\d+,\d+\): error) .+$|"
    r"^[ \t]+\d+:\d+\s+error\s.+$|^would reformat .+$",
    re.MULTILINE,
)
"""How linters and compilers state a location and what is wrong there."""
_AT_COLUMN = compiled_later(r"^\S+\.\w+:\d+:\d+: .+$", re.MULTILINE)
"""The same with line and column, a form that only they use."""
_ONLY_FAILED = compiled_later(
    r"(?:FAIL(?:ED)?|ERROR|✗|✘)\b[^a-z]*$|"
    r"FAIL\s+\S+ > .+$|"
    r"(?:FAIL(?:ED)?|ERROR|--- FAIL:|not ok)[\s:]+\S+(?:\s+\(?[\d.]+m?s\)?|\s+\[.*\])?$|"
    r".*\b\d+ (?:failed|errors?)\b|Traceback|\[\S+\] (?:\S+ )?ERROR task failed|error: test failed|"
    r"(?:<\w+>)?(?:error: )?command failed with exit code\b",
    re.IGNORECASE,
)
"""Lines that only say that something failed."""
_TAGS = compiled_later(r"^(?:<[\w-]+>)+|(?:</[\w-]+>)+$")
"""Tags that harnesses put around errors."""
_TAG_BETWEEN = compiled_later(r"(?:</?[\w-]+>\s*){2,}|</[\w-]+>")
"""Tags between the parts of an XML error."""
_OF_JSON, _OPENS = ('"', "{", "["), ("{", "[")
"""How a line of JSON begins and ends if it only announces an error."""
_CAUSE_WIDTH = 160
_LONGEST = 2_000
"""Characters of a line that are searched for secrets; less than that is shown."""
_HEAD = 400
"""Characters at the start of a result in which a tool rejects an edit. The code that it was asked to find may
follow."""


def cause_line(output: str, *, places: bool) -> str:
    """Return the line of an output that says what went wrong, not only that something did; "" if there is none.
    `places`: also accept a line that states a location, as linters and compilers write it."""
    output = without_prefixes(output)
    stated = (line.strip() for line in result_errors(output, True))
    if found := next((line for line in stated if not _ONLY_FAILED.match(line)), ""):
        return re.sub(r"^E\s+", "", found)  # pytest puts an E before these lines
    if places and (place := _AT_LINE.search(output)):
        return place.group().strip()
    told = failure_line(output)
    return told if says_why(told) and not _ONLY_FAILED.match(told.strip()) else ""


def cause(output: str, kind: CheckKind) -> str:
    """Return the cause of a failed check, ready for display."""
    # tests also print log lines that look like locations
    return one_line(without_secrets(cause_line(output, places=kind != "tests")), _CAUSE_WIDTH)


def said_why(said: str, *, command: bool, width: int) -> str:
    """Return the line of a failed result that states the reason, or else its first line, in at most `width`
    characters. `command`: whether the result is that of a command rather than of another kind of tool."""
    if not command and refuses_edit(said):
        said = said[:_HEAD].partition("```")[0]
    why = without_secrets(telling_line(said)[:_LONGEST])
    return without_tags(one_line(why, width))


def without_tags(line: str) -> str:
    """Return a line without surrounding tags; tags between its parts become a space."""
    return _TAG_BETWEEN.sub(" ", _TAGS.sub("", line)).strip()


def telling_line(said: str) -> str:
    """Return the line of a failed result that states the reason. For a server's answer, the error is added to its
    status. If the line is JSON that only announces an error, return that error, or else everything that follows."""
    if answers_with_error(said):
        first, _, rest = said.strip().partition("\n")
        return f"{first}: {error}" if (error := stated_error(rest)) else first
    why = failure_line(said)
    if not (why.rstrip().endswith(_OPENS) and why.lstrip().startswith(_OF_JSON)):
        return why
    return stated_error(said) or why + said.partition(why)[2]


def why_failed(said: str, *, command: bool, width: int) -> str:
    """Return the same, but for a command only a line that states what went wrong, or "" if there is none."""
    if not command:
        return said_why(said, command=False, width=width)
    cause = cause_line(said, places=False)
    if not cause and (place := _AT_COLUMN.search(said)):
        cause = place.group()
    return without_tags(one_line(cause, width))
