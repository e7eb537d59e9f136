"""The outcome of a call in the few words that follow it in a summary."""

from __future__ import annotations

import re

from compactor_cli.features.work.causes import failure_cause
from compactor_cli.features.work.check_output import verdict_lines
from compactor_cli.features.work.ledger import call_arguments, command_of
from compactor_cli.features.work.looking_steps import is_only_looking, is_search
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.text.clean import both_ends, one_line
from compactor_cli.text.noise import noisy_lines
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import mask_secrets

_CREATED_LINE = compiled_later(
    r"\n(?:\[[^\]\n]+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] .*|"  # a commit
    r"[ *+=!-]* (?:[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|\[[\w ]+\]) +\S+ +-> +\S+.*|"  # a push
    r"(?:.*\r)?(?:Successfully rebased |Already up to date|Current branch .* is up to date|Fast-forward).*|"
    r"[^\t\n]+\t(?:fail|pending)\t.*|"  # a check of a pull request that has not passed
    r"https://\S+/(?:pull|issues|merge_requests|releases/tag)/\S+|"
    r"(?:All conflicts fixed but you are still merging|You have unmerged paths|You are (?:currently|in the middle of) |"
    r"HEAD detached |nothing to commit|Automatic merge |interactive rebase in progress).*)$",  # git status
    re.MULTILINE,
)
"""A line that states what was created, with the line break before it. A search for `^` would try every character."""
_CHANGED_FILE_LINE = compiled_later(r"\n\t(?:modified|deleted|new file|renamed|both \w+): +\S.*$", re.MULTILINE)
"""A file that git status lists as changed."""
_TOTAL = compiled_later(r"\b\d+ (?:pass|fail|tests?\b|error|issue|problem|warning)", re.IGNORECASE)
_HEAD_CHARS, _TAIL_CHARS = 1_000, 3_000
"""Characters at each end of an output that are searched."""
_MAX_LINE_CHARS, _MAX_CREATED_CHARS = 160, 300
"""Maximum lengths of such a line; a line about something created may be longer, since a merge names two branches."""
_MAX_REPORTED_CHARS = 300
"""Maximum length of a result of a few words with what a tool prints about its own run."""
_FEW_WORDS = compiled_later(r"(?=.*\w).{1,40}")
_EMPTY_JSON = ("[]", "{}")
"""Empty results in JSON."""
_OUTPUT_MARK = "\nOutput:"
"""Separates what a harness says about a command from the command's output."""
_NO_OUTPUT = compiled_later(r"\s*(?:\(?(?:Bash completed with )?no output\)?\.?\s*)?", re.IGNORECASE)
_UNINFORMATIVE = compiled_later(
    r"\W*(?:ok|done|success|none|null|\w* ?no output|\S+ completed)(?:\W|\d|\bm?s\b)*", re.IGNORECASE
)
"""Results that say no more than that there is nothing to report."""


def outcome_line(output: str) -> str:
    """Return the line that states the outcome of a command, stripped: the last line about something created, or the
    last total, or else the last line with any information. Return "" if there is none."""
    text = both_ends(output, _HEAD_CHARS, _TAIL_CHARS)
    with_break = f"\n{text}"
    created_lines = [
        line for line in map(str.strip, _CREATED_LINE.findall(with_break)) if len(line) <= _MAX_CREATED_CHARS
    ]
    other_lines = (
        line.strip()
        for line in (() if created_lines else verdict_lines(text) or _CHANGED_FILE_LINE.findall(with_break))
    )
    lines = created_lines or [line for line in other_lines if line and len(line) <= _MAX_LINE_CHARS]
    return max(lines, key=lambda line: (_TOTAL.search(line) is not None, text.rfind(line)), default="")


def is_few_words(result: Part) -> bool:
    """Return whether a result is short enough to follow its call as it is, apart from what a tool prints about its own
    run."""
    return _FEW_WORDS.fullmatch(_own_output(result.text)) is not None


def _own_output(text: str) -> str:
    """Return a short result without what a harness prints before it and without lines that say nothing."""
    if len(text) > _MAX_REPORTED_CHARS:
        return text
    header, has_mark, output = text.strip().partition(_OUTPUT_MARK)
    output = (output if has_mark else header).strip()
    silent = noisy_lines(output)
    return "\n".join(line for number, line in enumerate(output.split("\n")) if number not in silent).strip()


def short_result(call: Part, result: Part, *, failed: bool, width: int) -> str:
    """Return the words to show after a call. These are the reason if it `failed`, in at most `width` characters, or
    its result if that is short, or the line with a command's outcome. Return "" if there is nothing to show."""
    if result.text == NO_RESPONSE:
        return ""
    text = result.text.strip()
    command = command_of(call_arguments(call))
    if failed and (cause := failure_cause(text, command=bool(command), width=width)):
        return cause
    acts = command and result.failed is None and not is_only_looking(command)
    outcome = outcome_line(text) if acts else ""
    behind = text.rpartition(outcome)[2] if outcome else text  # tests that pass may print errors before they say so
    if acts and (errors := result_errors(behind, None, limit=1)):  # nothing else says whether it succeeded
        return one_line(mask_secrets(errors[0]), width)
    output = _own_output(text)
    if command and _NO_OUTPUT.fullmatch(output):
        return "no output" if is_search(command) else ""
    if output in _EMPTY_JSON:
        return output
    if is_few_words(result):
        return "" if _UNINFORMATIVE.fullmatch(output) or noisy_lines(output) else output
    if not acts and command:
        outcome = outcome_line(text)
    return one_line(outcome, width)
