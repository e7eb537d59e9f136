"""The outcome of a call in the few words that follow it in a summary."""

from __future__ import annotations

import re

from compactor_cli.features.work.causes import why_failed
from compactor_cli.features.work.check_output import verdict_lines
from compactor_cli.features.work.ledger import call_arguments, command_of
from compactor_cli.features.work.looking_steps import searches
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.text.clean import both_ends, one_line
from compactor_cli.text.noise import noisy_lines
from compactor_cli.text.patterns import compiled_later

_MADE = compiled_later(
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
_CHANGED = compiled_later(r"\n\t(?:modified|deleted|new file|renamed|both \w+): +\S.*$", re.MULTILINE)
"""A file that git status lists as changed."""
_SUM = compiled_later(r"\b\d+ (?:pass|fail|tests?\b|error|issue|problem|warning)", re.IGNORECASE)
_HEAD, _TAIL = 1_000, 3_000
"""Characters at each end of an output that are searched."""
_LONGEST, _LONGEST_MADE = 160, 300
"""Maximum lengths of such a line; a line about something created may be longer, since a merge names two branches."""
_FEW_WORDS = compiled_later(r"(?=.*\w).{1,40}")
_EMPTY = ("[]", "{}")
"""Empty results in JSON."""
_BEFORE_OUTPUT = "\nOutput:"
"""Separates what a harness says about a command from the command's output."""
_NO_OUTPUT = compiled_later(r"\s*(?:\(?(?:Bash completed with )?no output\)?\.?\s*)?", re.IGNORECASE)
_SAYS_NOTHING = compiled_later(
    r"\W*(?:ok|done|success|none|null|\w* ?no output|\S+ completed)(?:\W|\d|\bm?s\b)*", re.IGNORECASE
)
"""Results that say no more than that there is nothing to report."""


def outcome_line(output: str) -> str:
    """Return the line that states the outcome of a command, stripped: the last line about something created, or the
    last total, or else the last line with any information. Return "" if there is none."""
    text = both_ends(output, _HEAD, _TAIL)
    broken = f"\n{text}"
    made = [line for line in map(str.strip, _MADE.findall(broken)) if len(line) <= _LONGEST_MADE]
    told = (line.strip() for line in (() if made else verdict_lines(text) or _CHANGED.findall(broken)))
    lines = made or [line for line in told if line and len(line) <= _LONGEST]
    return max(lines, key=lambda line: (_SUM.search(line) is not None, text.rfind(line)), default="")


def is_few_words(result: Part) -> bool:
    """Return whether a result is short enough to follow its call as it is."""
    return _FEW_WORDS.fullmatch(result.text.strip()) is not None


def short_result(call: Part, result: Part, *, failed: bool, width: int) -> str:
    """Return the words to show after a call. These are the reason if it `failed`, in at most `width` characters, or
    its result if that is short, or the line with a command's outcome. Return "" if there is nothing to show."""
    if result.text == NO_RESPONSE:
        return ""
    said = result.text.strip()
    command = command_of(call_arguments(call))
    if failed and (cause := why_failed(said, command=bool(command), width=width)):
        return cause
    before, marked, output = said.partition(_BEFORE_OUTPUT)
    if command and _NO_OUTPUT.fullmatch(output if marked else before):
        return "no output" if searches(command) else ""
    if said in _EMPTY:
        return said
    if is_few_words(result):
        return "" if _SAYS_NOTHING.fullmatch(said) or noisy_lines(said) else said
    return one_line(outcome_line(said), width) if command else ""
