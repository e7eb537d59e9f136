"""Determine how a call ended from its result alone, and how a command ended whose output was piped through a filter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.features.work.check_output import verdict
from compactor_cli.features.work.checks import check_of
from compactor_cli.features.work.json_results import says_failed
from compactor_cli.features.work.programs import plain_steps
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.text.clean import both_ends
from compactor_cli.text.outcomes import result_errors, stated_failure
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later, in_small
from compactor_cli.text.shell import Step, steps, word_set
from compactor_cli.text.tracebacks import raised_in_cell

_WAS_THERE = compiled_later(
    r"^(?:successfully )?overw\w+ |\b(?:has|have) been (?:successfully )?(?:updated|overwritten)\b", re.I
)
"""How a tool says that the file it wrote already existed."""
_FIRST = 300
"""Characters at the start of a result that are searched for its first line."""
_NOTHING = r"[ \t]*(?:0|none|no|nil|null|\[\])[ \t]*(?:[.,;\n]|\Z)"
"""How a report says that there were none of something."""
_CHANGED = (
    "updated|edited|created|saved|applied|replaced|deleted|removed|added|inserted|modified|wr(?:ote|itten)|overw\\w+"
)
_CAME_OFF = rf"(?:[.;]\s+|\n\s*)(?:\d+ (?:\w+ )?)?(?:{_CHANGED}|sent|imported|processed|submitted|done|ok|success\w*)\b"
"""How a sentence says that something was done."""
_FAILED = compiled_later(
    r"\s*(?:<tool_use_error>|<error>|error\b(?!s? fixed)|traceback|fatal:|exit code:? [1-9]|command failed|"
    r"permission denied|\[?your proposed edit has introduced|no replacement was performed|\[?no exact match found\b|"
    r"failed\b|failure\b|exception\b|apply_patch verification failed|\[error|"
    rf"(?:wrong|incorrect|invalid) \w+ ?(?:!|\.[ \t]*(?:\n|\Z)|(?<=[^su]s):(?!{_NOTHING}|[ \t]*\d)|"
    rf"(?<![^su]s):(?!{_NOTHING}))(?!.{{0,600}}?{_CAME_OFF}))",
    re.IGNORECASE | re.DOTALL,
)
_BEGINNINGS_OF_FAILED = (
    *("<tool_use_error>", "<error>", "error", "traceback", "fatal:", "exit code", "command failed"),
    *("permission denied", "[your proposed", "your proposed", "no replacement", "[no exact", "no exact", "failed"),
    *("failure", "exception", "apply_patch verification failed", "[error", "wrong ", "incorrect ", "invalid "),
)
"""How results of failed calls begin. Comparing words is faster than matching the pattern."""
_BEGINNINGS_OF_ANSWERS = ("http", "mcp error")
_ANSWERED_WITH_ERROR = compiled_later(
    r"\s*(?:(?i:HTTP(?:/[\d.]+)?(?: (?:status|error))?(?: code)?:?) ?[45]\d\d"
    r"(?:[ \t]*(?:\n|\Z)|:|(?: [A-Z]\w+){1,4}[ \t]*(?:\n|\Z))|MCP error -?\d+\b)"
)
"""How results begin that only pass on a server's error: `HTTP 409`, `MCP error -32603: …`."""
_REFUSES = r"(?:rejected|declined|denied|cancel\w*|refused|dismissed|skipped|aborted|interrupted)"
_DECLINED = compiled_later(
    r"(?:\s|<[\w-]+>|\[|error:|rejected:|blocked:|denied:|operation cancelled\]|reason:)*(?:"
    rf"(?:the )?user (?:ha[sd] )?(?:{_REFUSES}|chose (?:not|to skip)|(?:does|did|do)(?:n['’]t| not) (?:want|allow))|"
    r"(?:(?:the|this|your|tool|command|call|operation|action|execution|exec|patch|edit|use|change|was|is|has|been) )*"
    rf"{_REFUSES} by (?:the )?user(?! after \d)|"
    r"request interrupted|tool use (?:was )?rejected|cancelled: parallel|denied by \w+ hook)",
    re.IGNORECASE,
    (
        *("reject", "declin", "denied", "cancel", "refused", "dismissed", "skip", "abort", "interrupt", "chose"),
        *("want", "allow"),
    ),
)
"""How results say that the user, or something that the user configured, did not allow a call."""
_BEGINNINGS = (
    *("<", "[", "error", "traceback", "fatal:", "exit code", "command ", "permission denied", "fail", "exception"),
    *("apply_patch verification failed", "the ", "user ", "tool ", "this ", "your ", "operation ", "action ", "exec"),
    *("patch ", "edit ", "call ", "change ", "rejected", "declined", "denied", "blocked", "cancelled", "aborted"),
    *("refused", "dismissed", "skipped", "interrupted", "request interrupted", "process ", "timed out", "timeout"),
    *(
        "was ",
        "is ",
        "has ",
        "been ",
        "use ",
        "reason:",
        "canceled",
        "canceling",
        "killed",
        "still running",
        "running ",
    ),
    *("no replacement was", "wrong ", "incorrect ", "invalid "),
)
"""Lower-case beginnings of all these matches. Comparing words is faster."""
_BEGINNINGS_OF_DECLINED = (*_BEGINNINGS, "cancel")
_BEGINNING = max(map(len, _BEGINNINGS))
WINDOW = 600
"""Characters at the start of a result where harnesses state how a call ended."""
_NAMED = compiled_later(r"`[^`]*`|\"[^\"]*\"|'[^']*'|[\w.~@+-]*/[\w./@+-]*|\b[\w-]+\.\w{1,6}\b")
"""Quotes, paths and names of files; their words say nothing about how a call ended."""
_NOT_EDITED = compiled_later(
    r"\b(?:no|0|zero) (?:[\w-]+ ){0,3}?(?:match(?:es)?|replacements?|occurrences?|changes?|edits?|such)\b|"
    r"\balready exists?\b|"
    rf"\bnot (?:[\w-]+ ){{0,2}}?(?:{_CHANGED}|found|exists?|match\w*|unique|changed|appear|valid|allowed|absolute)\b|"
    r"\b(?:can(?:not|['’]t)|could ?n(?:o|['’])t|unable|must|invalid|errno|fail(?:ed|ure)|refused|rejected|denied)\b|"
    r"\b(?:error|exception)\b(?!\()|\b(?:multiple|several|[2-9]|\d\d+) (?:[\w-]+ ){0,2}?(?:matches|occurrences)\b",
    re.IGNORECASE,
    (
        *("no", "0", "zero", "exist", "can", "could", "unable", "must", "invalid", "errno", "fail", "refused"),
        *("rejected", "denied", "error", "exception", "matches", "occurrences"),
    ),
)
_EDITED = compiled_later(
    rf"\W*(?:{_CHANGED}|ok|done)\b|.*\bsuccess|.*\b(?:ha(?:s|ve)|was|were) (?:been )?(?:{_CHANGED})\b", re.IGNORECASE
)
_NO_SENTENCE = compiled_later(r"\s*(?:[\d{<+@|]|--|```)")
"""How lines of files, diffs and objects begin."""
_TAG = compiled_later(r"^(?:<[\w-]+>\s*)+")
_SENTENCE_WIDTH = 300
CHANGE_FILES = word_set("rm rmdir unlink mv cp ln mkdir touch chmod chown")
"""Programs that print nothing about the files that they changed."""
_SELECTS = word_set("grep egrep fgrep rg ag findstr Select-String")
"""Programs that fail if there is nothing to show."""
_FILTERS = _SELECTS | word_set("head tail wc tee sed awk sort uniq cut tr cat less column nl jq")
"""Programs that succeed whatever the outcome of the program before them."""
_NONE_COUNTED = compiled_later(
    r"\b(?:errors?|fail(?:ed|ures?)?)[=:]\s*0\b|\b(?:0|no) (?:errors?|fail(?:ed|ures?)?)\b", re.IGNORECASE
)
"""How a report says that nothing went wrong."""
_GAVE_UP = compiled_later(r"^(?:[Uu]sage|panic|E): |^[Ee]xit (?:code|status):? [1-9]", re.MULTILINE)
"""How programs say that they did nothing, other than with an error."""


def complaints_of(step: Step, said: str) -> list[str]:
    """Return the lines in which a program reports what it could not do and why, prefixed with its name."""
    program = basename(step.words[0])
    if f"{program}: " not in said:
        return []
    return re.findall(rf"^{re.escape(program)}: .+: \S.*$", said[:WINDOW], re.MULTILINE)


def refuses_files(command: str, said: str) -> bool:
    """Return whether all output of a command line consists of complaints by programs that were to change files."""
    text = said.strip()
    if len(text) > WINDOW or text.partition(":")[0] not in CHANGE_FILES:
        return False
    asked = [step for step in plain_steps(steps(command)) if basename(step.words[0]) in CHANGE_FILES]
    complaints = sum(any(complaints_of(step, line) for step in asked) for line in text.split("\n"))
    return complaints == text.count("\n") + 1


def has_failed(result: Part) -> bool:
    """Return whether a result states by itself that the call failed, was declined, or has no result."""
    said = result.text
    if said == NO_RESPONSE:
        return True
    if result.failed is not None:
        return result.failed or is_declined(said)
    return (
        is_declined(said)
        or begins_as_failed(said)
        or stated_failure(said) is True
        or says_so(said)
        or raised_in_cell(said) != ""
    )


def is_declined(said: str) -> bool:
    """Return whether a result says that the user did not allow the call."""
    return _begins(said, _BEGINNINGS_OF_DECLINED) and _DECLINED.match(said) is not None


def ran_too_long(said: str) -> bool:
    """Return whether the result of a stopped command says that it took too long."""
    ends = both_ends(said.strip(), _SENTENCE_WIDTH, _SENTENCE_WIDTH)
    return re.search(r"(?i)\btime(?:d |-?)out\b", ends) is not None


def begins_as_failed(said: str) -> bool:
    """Return whether a result begins like those of failed calls."""
    return _begins(said, _BEGINNINGS_OF_FAILED) and _FAILED.match(said) is not None


def _begins(said: str, beginnings: tuple[str, ...]) -> bool:
    return in_small(said.lstrip()[:_BEGINNING]).startswith(beginnings)


def answers_with_error(said: str) -> bool:
    """Return whether the first line of a result says that a server answered with an error."""
    return _begins(said, _BEGINNINGS_OF_ANSWERS) and _ANSWERED_WITH_ERROR.match(said) is not None


def refuses_edit(said: str) -> bool:
    """Return whether the first line of a file tool's result says that it changed nothing."""
    line = _TAG.sub("", said.strip().partition("\n")[0][:_SENTENCE_WIDTH])
    if _NO_SENTENCE.match(line):
        return False
    told = _NAMED.sub("", line)
    return _NOT_EDITED.search(told) is not None and _EDITED.match(told) is None


def may_tell(said: str) -> bool:
    """Return whether the beginning of a result may say that the call failed, was declined or stopped."""
    head = said.lstrip()[:_BEGINNING]
    return not head.isascii() or head.lower().startswith(_BEGINNINGS)


def says_so(said: str) -> bool:
    """Return whether a JSON result has a member that says that the call failed."""
    if not said.lstrip().startswith("{") or not re.search(r"error|success|\bok\b", said[:WINDOW], re.IGNORECASE):
        return False
    return says_failed(said)


def ended(command: str, failed: bool | None, said: str) -> bool | None:
    """Return whether a command line failed, or None if unknown. `failed`: the outcome by exit code; `said`: the
    output, which is more reliable for a check piped into a filter."""
    if failed is None or "|" not in command:
        return failed
    line = steps(command)
    if len(line) < 2 or line[-2].after != "|" or any("pipefail" in step.words for step in line):
        return failed
    program = basename(line[-1].words[0]) if line[-1].words else ""
    if program not in _FILTERS or (failed and program not in _SELECTS):
        return failed
    piped = len(line) - 1
    while piped and line[piped - 1].after == "|":
        piped -= 1
    check = next((check for step in line[piped:] if step.words and (check := check_of(step))), None)
    return verdict(check.kind, said).failed if check is not None else None


def succeeded(line: Sequence[Step], said: str) -> Iterator[Step]:
    """Yield the steps that must have succeeded for the whole command line to succeed. A step piped into another
    program counts as successful unless the output contains a known form of error; errors in other forms are missed."""
    for at in range(len(line) - 1, -1, -1):
        after = line[at].after
        if after == "|" and _complains(said):
            continue
        alternative = at > 0 and line[at - 1].after == "||"  # it may not have run
        if alternative or (after not in ("", "&&", "|") and at < len(line) - 1):
            return
        yield line[at]


def _complains(said: str) -> bool:
    """Return whether an output appears to report an error."""
    return _GAVE_UP.search(said) is not None or bool(result_errors(_NONE_COUNTED.sub("", said), True, limit=1))


def was_there_before(said: str) -> bool:
    """Return whether the first line of a result says that the file that was written already existed."""
    begin = said[:_FIRST]
    low = begin.lower()
    return ("overw" in low or " been " in low) and _WAS_THERE.search(begin.lstrip().partition("\n")[0]) is not None
