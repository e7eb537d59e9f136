"""How a command ended whose output went through a filter: the exit code is that of the filter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.features.work.check_output import verdict
from compactor_cli.features.work.checks import check_of
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, steps, word_set

_SELECTS = word_set("grep egrep fgrep rg ag findstr Select-String")
"""Programs that fail where there is nothing to show."""
_FILTERS = _SELECTS | word_set("head tail wc tee sed awk sort uniq cut tr cat less column nl jq")
"""Programs that succeed whatever the one before them came to."""
_NONE_COUNTED = compiled_later(
    r"\b(?:errors?|fail(?:ed|ures?)?)[=:]\s*0\b|\b(?:0|no) (?:errors?|fail(?:ed|ures?)?)\b", re.IGNORECASE
)
"""How a report says that nothing went wrong."""
_GAVE_UP = compiled_later(r"^(?:[Uu]sage|panic|E): |^[Ee]xit (?:code|status):? [1-9]", re.MULTILINE)
"""How programs say that they did nothing, beside by an error."""


def ended(command: str, failed: bool | None, said: str) -> bool | None:
    """Return whether a command line failed, None where nobody knows. `failed`: whether it did by its exit code;
    `said`: its output, which tells more of a check behind whose pipe a filter stands."""
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
    """Yield the steps that have to have succeeded for the whole to succeed; one whose output goes to another program
    is taken to have done so where nothing that is known tells of an error, though it may say so in other words."""
    for at in range(len(line) - 1, -1, -1):
        after = line[at].after
        if after == "|" and _complains(said):
            continue
        alternative = at > 0 and line[at - 1].after == "||"  # it may not have run
        if alternative or (after not in ("", "&&", "|") and at < len(line) - 1):
            return
        yield line[at]


def _complains(said: str) -> bool:
    """Return whether an output tells of an error, as far as one can see."""
    return _GAVE_UP.search(said) is not None or bool(result_errors(_NONE_COUNTED.sub("", said), True, limit=1))
