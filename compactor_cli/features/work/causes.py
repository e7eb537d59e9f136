"""The line of an output that says why something failed."""

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
"""How linters and compilers say where something is wrong."""
_AT_COLUMN = compiled_later(r"^\S+\.\w+:\d+:\d+: .+$", re.MULTILINE)
"""The same with line and column, as nothing but them says it."""
_ONLY_FAILED = compiled_later(
    r"(?:FAIL(?:ED)?|ERROR|✗|✘)\b[^a-z]*$|"
    r"FAIL\s+\S+ > .+$|"
    r"(?:FAIL(?:ED)?|ERROR|--- FAIL:|not ok)[\s:]+\S+(?:\s+\(?[\d.]+m?s\)?|\s+\[.*\])?$|"
    r".*\b\d+ (?:failed|errors?)\b|Traceback|\[\S+\] (?:\S+ )?ERROR task failed|error: test failed|"
    r"(?:<\w+>)?(?:error: )?command failed with exit code\b",
    re.IGNORECASE,
)
"""Lines that say no more than that something failed."""
_TAGS = compiled_later(r"^(?:<[\w-]+>)+|(?:</[\w-]+>)+$")
"""What harnesses put around errors."""
_TAG_BETWEEN = compiled_later(r"(?:</?[\w-]+>\s*){2,}|</[\w-]+>")
"""What stands between the parts of an error of XML."""
_OF_JSON, _OPENS = ('"', "{", "["), ("{", "[")
"""How a line of JSON begins and ends that says nothing but that an error follows."""
_CAUSE_WIDTH = 160
_LONGEST = 2_000
"""Characters of a line that are looked at for what may not be told; less is told."""
_HEAD = 400
"""Characters at the start of a result in which a tool refuses an edit; behind it, there may be code that was to be
found."""


def cause_line(output: str, *, places: bool) -> str:
    """Return the line of an output that says what went wrong, not only that something did; empty where none does.
    `places`: one that says where something is wrong will do, too, as linters and compilers write it."""
    output = without_prefixes(output)
    stated = (line.strip() for line in result_errors(output, True))
    if found := next((line for line in stated if not _ONLY_FAILED.match(line)), ""):
        return re.sub(r"^E\s+", "", found)  # pytest marks lines of errors so
    if places and (place := _AT_LINE.search(output)):
        return place.group().strip()
    told = failure_line(output)
    return told if says_why(told) and not _ONLY_FAILED.match(told.strip()) else ""


def cause(output: str, kind: CheckKind) -> str:
    """Return the same of a check, as it is told."""
    # tests log in the form of places, too
    return one_line(without_secrets(cause_line(output, places=kind != "tests")), _CAUSE_WIDTH)


def said_why(said: str, *, command: bool, width: int) -> str:
    """Return the line of a failed result that says why, else what was said first, in at most `width` characters.
    `command`: it is of a command, not of a tool of another kind."""
    if not command and refuses_edit(said):
        said = said[:_HEAD].partition("```")[0]
    why = without_secrets(telling_line(said)[:_LONGEST])
    return without_tags(one_line(why, width))


def without_tags(line: str) -> str:
    """Return a line without the tags around it, and with a blank for those between its parts."""
    return _TAG_BETWEEN.sub(" ", _TAGS.sub("", line)).strip()


def telling_line(said: str) -> str:
    """Return the line of a failed result that says why, with what a server says beside its status; of JSON whose line
    says nothing but that an error follows, what is said of that, or all that follows."""
    if answers_with_error(said):
        first, _, rest = said.strip().partition("\n")
        return f"{first}: {error}" if (error := stated_error(rest)) else first
    why = failure_line(said)
    if not (why.rstrip().endswith(_OPENS) and why.lstrip().startswith(_OF_JSON)):
        return why
    return stated_error(said) or why + said.partition(why)[2]


def why_failed(said: str, *, command: bool, width: int) -> str:
    """Return the same; of a command only what says what went wrong, which may be nothing."""
    if not command:
        return said_why(said, command=False, width=width)
    cause = cause_line(said, places=False)
    if not cause and (place := _AT_COLUMN.search(said)):
        cause = place.group()
    return without_tags(one_line(cause, width))
