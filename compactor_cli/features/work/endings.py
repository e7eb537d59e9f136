"""Determine how a call ended from its result alone, and how a command ended whose output was piped through a filter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.features.work.check_output import output_verdict
from compactor_cli.features.work.checks import find_check
from compactor_cli.features.work.json_results import says_failed
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.text.clean import both_ends
from compactor_cli.text.outcomes import result_errors, stated_failure
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later, lower_for_search
from compactor_cli.text.shell import Step, parse_steps, word_set
from compactor_cli.text.tracebacks import cell_exception

_OVERWRITTEN = compiled_later(
    r"^(?:successfully )?overw\w+ |\b(?:has|have) been (?:successfully )?(?:updated|overwritten)\b", re.I
)
"""How a tool says that the file it wrote already existed."""
_HEAD_CHARS = 300
"""Characters at the start of a result that are searched for its first line."""
_NONE_REPORTED = r"[ \t]*(?:0|none|no|nil|null|\[\])[ \t]*(?:[.,;\n]|\Z)"
"""How a report says that there were none of something."""
_CHANGE_PARTICIPLES = (
    "updated|edited|created|saved|applied|replaced|deleted|removed|added|inserted|modified|wr(?:ote|itten)|overw\\w+"
)
_SUCCESS_SENTENCE = (
    rf"(?:[.;]\s+|\n\s*)(?:\d+ (?:\w+ "
    rf")?)?(?:{_CHANGE_PARTICIPLES}|sent|imported|processed|submitted|done|ok|success\w*)\b"
)
"""How a sentence says that something was done."""
_FAILURE_START = compiled_later(
    r"\s*(?:<tool_use_error>|<error>|error\b(?!s? fixed)|traceback|fatal:|exit code:? [1-9]|command failed|"
    r"permission denied|\[?your proposed edit has introduced|no replacement was performed|\[?no exact match found\b|"
    r"failed\b|failure\b|exception\b|apply_patch verification failed|\[error|"
    rf"(?:wrong|incorrect|invalid) \w+ ?(?:!|\.[ \t]*(?:\n|\Z)|(?<=[^su]s):(?!{_NONE_REPORTED}|[ \t]*\d)|"
    rf"(?<![^su]s):(?!{_NONE_REPORTED}))(?!.{{0,600}}?{_SUCCESS_SENTENCE}))",
    re.IGNORECASE | re.DOTALL,
)
_FAILURE_PREFIXES = (
    *("<tool_use_error>", "<error>", "error", "traceback", "fatal:", "exit code", "command failed"),
    *("permission denied", "[your proposed", "your proposed", "no replacement", "[no exact", "no exact", "failed"),
    *("failure", "exception", "apply_patch verification failed", "[error", "wrong ", "incorrect ", "invalid "),
)
"""How results of failed calls begin. Comparing words is faster than matching the pattern."""
_SERVER_ERROR_PREFIXES = ("http", "mcp error")
_SERVER_ERROR = compiled_later(
    r"\s*(?:(?i:HTTP(?:/[\d.]+)?(?: (?:status|error))?(?: code)?:?) ?[45]\d\d"
    r"(?:[ \t]*(?:\n|\Z)|:|(?: [A-Z]\w+){1,4}[ \t]*(?:\n|\Z))|MCP error -?\d+\b)"
)
"""How results begin that only pass on a server's error: `HTTP 409`, `MCP error -32603: …`."""
_REFUSAL_WORDS = r"(?:rejected|declined|denied|cancel\w*|refused|dismissed|skipped|aborted|interrupted)"
_DECLINED_START = compiled_later(
    r"(?:\s|<[\w-]+>|\[|error:|rejected:|blocked:|denied:|operation cancelled\]|reason:)*(?:"
    rf"(?:the )?user (?:ha[sd] )?(?:{_REFUSAL_WORDS}|chose (?:not|to skip)|(?:does|did|do)(?:n['’]t| not) "
    rf"(?:want|allow))|"
    r"(?:(?:the|this|your|tool|command|call|operation|action|execution|exec|patch|edit|use|change|was|is|has|been) )*"
    rf"{_REFUSAL_WORDS} by (?:the )?user(?! after \d)|"
    r"request interrupted|tool use (?:was )?rejected|cancelled: parallel|denied by \w+ hook)",
    re.IGNORECASE,
    (
        *("reject", "declin", "denied", "cancel", "refused", "dismissed", "skip", "abort", "interrupt", "chose"),
        *("want", "allow"),
    ),
)
"""How results say that the user, or something that the user configured, did not allow a call."""
_OUTCOME_PREFIXES = (
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
_DECLINED_PREFIXES = (*_OUTCOME_PREFIXES, "cancel")
_MAX_PREFIX_CHARS = max(map(len, _OUTCOME_PREFIXES))
OUTCOME_HEAD_CHARS = 600
"""Characters at the start of a result where harnesses state how a call ended."""
_QUOTED_NAME = compiled_later(r"`[^`]*`|\"[^\"]*\"|'[^']*'|[\w.~@+-]*/[\w./@+-]*|\b[\w-]+\.\w{1,6}\b")
"""Quotes, paths and names of files; their words say nothing about how a call ended."""
_NO_CHANGE_MESSAGE = compiled_later(
    r"\b(?:no|0|zero) (?:[\w-]+ ){0,3}?(?:match(?:es)?|replacements?|occurrences?|changes?|edits?|such)\b|"
    r"\balready exists?\b|"
    rf"\bnot (?:[\w-]+ "
    rf"){{0,2}}?(?:{_CHANGE_PARTICIPLES}|found|exists?|match\w*|unique|changed|appear|valid|allowed|absolute)\b|"
    r"\b(?:can(?:not|['’]t)|could ?n(?:o|['’])t|unable|must|invalid|errno|fail(?:ed|ure)|refused|rejected|denied)\b|"
    r"\b(?:error|exception)\b(?!\()|\b(?:multiple|several|[2-9]|\d\d+) (?:[\w-]+ ){0,2}?(?:matches|occurrences)\b",
    re.IGNORECASE,
    (
        *("no", "0", "zero", "exist", "can", "could", "unable", "must", "invalid", "errno", "fail", "refused"),
        *("rejected", "denied", "error", "exception", "matches", "occurrences"),
    ),
)
_CHANGE_MESSAGE = compiled_later(
    rf"\W*(?:{_CHANGE_PARTICIPLES}|ok|done)\b|.*\bsuccess|.*\b(?:ha(?:s|ve)|was|were) (?:been "
    rf")?(?:{_CHANGE_PARTICIPLES})\b",
    re.IGNORECASE,
)
_NOT_A_SENTENCE = compiled_later(r"\s*(?:[\d{<+@|]|--|```)")
"""How lines of files, diffs and objects begin."""
_TAG = compiled_later(r"^(?:<[\w-]+>\s*)+")
_MAX_SENTENCE_CHARS = 300
_ZERO_FAILURES = compiled_later(
    r"\b(?:errors?|fail(?:ed|ures?)?)[=:]\s*0\b|\b(?:0|no) (?:errors?|fail(?:ed|ures?)?)\b", re.IGNORECASE
)
"""How a report says that nothing went wrong."""
_FILE_COMPLAINTS = compiled_later(r"(?:(?:rm|rmdir|unlink|mv|cp|ln|mkdir|touch|chmod|chown): .+: \S.*(?:\n|\Z))+\Z")
"""An output in which programs that were to change files only say what they could not do and why."""
_SEARCH_PROGRAMS = word_set("grep egrep fgrep rg ag findstr Select-String")
"""Programs that fail if there is nothing to show."""
_FILTER_PROGRAMS = _SEARCH_PROGRAMS | word_set("head tail wc tee sed awk sort uniq cut tr cat less column nl jq")
"""Programs that succeed whatever the outcome of the program before them."""


def only_file_complaints(output: str) -> bool:
    """Return whether an output consists of complaints by programs that were to change files."""
    text = output.strip()
    return len(text) <= OUTCOME_HEAD_CHARS and _FILE_COMPLAINTS.match(text) is not None


def has_failed(result: Part) -> bool:
    """Return whether a result states by itself that the call failed, was declined, or has no result."""
    output = result.text
    if output == NO_RESPONSE:
        return True
    if result.failed is not None:
        return result.failed or is_declined(output)
    return (
        is_declined(output)
        or begins_as_failed(output)
        or stated_failure(output) is True
        or has_failure_member(output)
        or cell_exception(output) != ""
    )


def is_declined(output: str) -> bool:
    """Return whether a result says that the user did not allow the call."""
    return _starts_with(output, _DECLINED_PREFIXES) and _DECLINED_START.match(output) is not None


def ran_too_long(output: str) -> bool:
    """Return whether the result of a stopped command says that it took too long."""
    ends = both_ends(output.strip(), _MAX_SENTENCE_CHARS, _MAX_SENTENCE_CHARS)
    return re.search(r"(?i)\btime(?:d |-?)out\b", ends) is not None


def begins_as_failed(output: str) -> bool:
    """Return whether a result begins like those of failed calls."""
    return _starts_with(output, _FAILURE_PREFIXES) and _FAILURE_START.match(output) is not None


def _starts_with(output: str, beginnings: tuple[str, ...]) -> bool:
    return lower_for_search(output.lstrip()[:_MAX_PREFIX_CHARS]).startswith(beginnings)


def is_server_error(output: str) -> bool:
    """Return whether the first line of a result says that a server answered with an error."""
    return _starts_with(output, _SERVER_ERROR_PREFIXES) and _SERVER_ERROR.match(output) is not None


def edited_nothing(output: str) -> bool:
    """Return whether the first line of a file tool's result says that it changed nothing."""
    line = _TAG.sub("", output.strip().partition("\n")[0][:_MAX_SENTENCE_CHARS])
    if _NOT_A_SENTENCE.match(line):
        return False
    unquoted = _QUOTED_NAME.sub("", line)
    return _NO_CHANGE_MESSAGE.search(unquoted) is not None and _CHANGE_MESSAGE.match(unquoted) is None


def may_state_outcome(output: str) -> bool:
    """Return whether the beginning of a result may say that the call failed, was declined or stopped."""
    head = output.lstrip()[:_MAX_PREFIX_CHARS]
    return not head.isascii() or head.lower().startswith(_OUTCOME_PREFIXES)


def has_failure_member(output: str) -> bool:
    """Return whether a JSON result has a member that says that the call failed."""
    if not output.lstrip().startswith("{") or not re.search(
        r"error|success|\bok\b", output[:OUTCOME_HEAD_CHARS], re.IGNORECASE
    ):
        return False
    return says_failed(output)


def pipeline_failed(command: str, failed: bool | None, output: str) -> bool | None:
    """Return whether a command line failed, or None if unknown. `failed`: the outcome by exit code; `output`: the
    output, which is more reliable for a check piped into a filter."""
    if failed is None or "|" not in command:
        return failed
    line = parse_steps(command)
    if len(line) < 2 or line[-2].operator != "|" or any("pipefail" in step.words for step in line):
        return failed
    program = basename(line[-1].words[0]) if line[-1].words else ""
    if program not in _FILTER_PROGRAMS or (failed and program not in _SEARCH_PROGRAMS):
        return failed
    first_piped = len(line) - 1
    while first_piped and line[first_piped - 1].operator == "|":
        first_piped -= 1
    check = next((check for step in line[first_piped:] if step.words and (check := find_check(step))), None)
    return output_verdict(check.kind, output).failed if check is not None else None


def steps_that_succeeded(line: Sequence[Step], output: str) -> Iterator[Step]:
    """Yield the steps that must have succeeded for the whole command line to succeed. A step piped into another
    program counts as successful unless the output contains a known form of error; errors in other forms are missed."""
    for index in range(len(line) - 1, -1, -1):
        after = line[index].operator
        if after == "|" and result_errors(_ZERO_FAILURES.sub("", output), True, limit=1):
            continue
        alternative = index > 0 and line[index - 1].operator == "||"  # it may not have run
        if alternative or (after not in ("", "&&", "|") and index < len(line) - 1):
            return
        yield line[index]


def existed_before(output: str) -> bool:
    """Return whether the first line of a result says that the file that was written already existed."""
    head = output[:_HEAD_CHARS]
    lowered = head.lower()
    return ("overw" in lowered or " been " in lowered) and _OVERWRITTEN.search(
        head.lstrip().partition("\n")[0]
    ) is not None
