"""Find the line of an output that states why something failed."""

from __future__ import annotations

import re

from compactor_cli.features.work.endings import edited_nothing, is_server_error
from compactor_cli.features.work.json_results import stated_error
from compactor_cli.features.work.ledger import failure_line, states_cause
from compactor_cli.features.work.programs import CheckKind
from compactor_cli.text.clean import one_line
from compactor_cli.text.line_prefixes import without_prefixes
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import mask_secrets

_ERROR_LOCATION = compiled_later(
    r"^(?:\[\S+\] |[ \t]+)?\S+\.\w+(?::\d+(?::\d+)?:|\(\d+,\d+\): error) .+$|"
    r"^[ \t]+\d+:\d+\s+error\s.+$|^would reformat .+$",
    re.MULTILINE,
)
"""How linters and compilers state a location and what is wrong there."""
_ERROR_COLUMN = compiled_later(r"^\S+\.\w+:\d+:\d+: .+$", re.MULTILINE)
"""The same with line and column, a form that only they use."""
_BARE_FAILURE = compiled_later(
    r"(?:FAIL(?:ED)?|ERROR|✗|✘)\b[^a-z]*$|"
    r"FAIL\s+\S+ > .+$|"
    r"(?:FAIL(?:ED)?|ERROR|--- FAIL:|not ok)[\s:]+\S+(?:\s+\(?[\d.]+m?s\)?|\s+\[.*\])?$|"
    r".*\b\d+ (?:failed|errors?)\b|Traceback|\[\S+\] (?:\S+ )?ERROR task failed|error: test failed|"
    r"(?:<\w+>)?(?:error: )?command failed with exit code\b",
    re.IGNORECASE,
)
"""Lines that only say that something failed."""
_OUTER_TAGS = compiled_later(r"^(?:<[\w-]+>)+|(?:</[\w-]+>)+$")
"""Tags that harnesses put around errors."""
_INNER_TAGS = compiled_later(r"(?:</?[\w-]+>\s*){2,}|</[\w-]+>")
"""Tags between the parts of an XML error."""
_JSON_STARTS, _JSON_OPENERS = ('"', "{", "["), ("{", "[")
"""How a line of JSON begins and ends if it only announces an error."""
_CAUSE_WIDTH = 160
_MAX_SEARCHED_CHARS = 2_000
"""Characters of a line that are searched for secrets; less than that is shown."""
_HEAD_CHARS = 400
"""Characters at the start of a result in which a tool rejects an edit. The code that it was asked to find may
follow."""


def cause_line(output: str, *, allow_locations: bool) -> str:
    """Return the line of an output that says what went wrong, not only that something did; "" if there is none.
    `allow_locations`: also accept a line that states a location, as linters and compilers write it."""
    output = without_prefixes(output)
    stated = (line.strip() for line in result_errors(output, True))
    if found := next((line for line in stated if not _BARE_FAILURE.match(line)), ""):
        return re.sub(r"^E\s+", "", found)  # pytest puts an E before these lines
    if allow_locations and (location := _ERROR_LOCATION.search(output)):
        return location.group().strip()
    failure = failure_line(output)
    return failure if states_cause(failure) and not _BARE_FAILURE.match(failure.strip()) else ""


def cause(output: str, kind: CheckKind) -> str:
    """Return the cause of a failed check, ready for display."""
    # tests also print log lines that look like locations
    return one_line(mask_secrets(cause_line(output, allow_locations=kind != "tests")), _CAUSE_WIDTH)


def reason_in(output: str, *, command: bool, width: int) -> str:
    """Return the line of a failed result that states the reason, or else its first line, in at most `width`
    characters. `command`: whether the result is that of a command rather than of another kind of tool."""
    if not command and edited_nothing(output):
        output = output[:_HEAD_CHARS].partition("```")[0]
    why = mask_secrets(reason_line(output)[:_MAX_SEARCHED_CHARS])
    return without_tags(one_line(why, width))


def without_tags(line: str) -> str:
    """Return a line without surrounding tags; tags between its parts become a space."""
    return _INNER_TAGS.sub(" ", _OUTER_TAGS.sub("", line)).strip()


def reason_line(output: str) -> str:
    """Return the line of a failed result that states the reason. For a server's answer, the error is added to its
    status. If the line is JSON that only announces an error, return that error, or else everything that follows."""
    if is_server_error(output):
        first, _, rest = output.strip().partition("\n")
        return f"{first}: {error}" if (error := stated_error(rest)) else first
    why = failure_line(output)
    if not (why.rstrip().endswith(_JSON_OPENERS) and why.lstrip().startswith(_JSON_STARTS)):
        return why
    return stated_error(output) or why + output.partition(why)[2]


def failure_cause(output: str, *, command: bool, width: int) -> str:
    """Return the text of `reason_in`; for a command, only a line that states what went wrong, or "" if there is
    none."""
    if not command:
        return reason_in(output, command=False, width=width)
    cause = cause_line(output, allow_locations=False)
    if not cause and (location := _ERROR_COLUMN.search(output)):
        cause = location.group()
    return without_tags(one_line(cause, width))
