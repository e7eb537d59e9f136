"""The line of a command's output that says how it came out: the sum of a test run, a verdict, a commit, a merge that is
not concluded, a check of a pull request that has not passed, a file that git status names."""

from __future__ import annotations

import re

from compactor_cli.features.work.check_output import verdict_lines
from compactor_cli.text.ends import both_ends
from compactor_cli.text.patterns import compiled_later

_MADE = compiled_later(
    r"^(?:\[[^\]\n]+ (?:\(root-commit\) )?[0-9a-f]{7,40}\] .*|"  # a commit
    r"[ *+=!-]* (?:[0-9a-f]{7,40}\.{2,3}[0-9a-f]{7,40}|\[[\w ]+\]) +\S+ +-> +\S+.*|"  # a push
    r"(?:.*\r)?(?:Successfully rebased |Already up to date|Current branch .* is up to date|Fast-forward).*|"
    r"[^\t\n]+\t(?:fail|pending)\t.*|"  # a check of a pull request that has not passed
    r"https://\S+/(?:pull|issues|merge_requests|releases/tag)/\S+|"
    r"(?:All conflicts fixed but you are still merging|You have unmerged paths|You are (?:currently|in the middle of) |"
    r"HEAD detached |nothing to commit|Automatic merge |interactive rebase in progress).*)$",  # git status
    re.MULTILINE,
)
_CHANGED = compiled_later(r"^\t(?:modified|deleted|new file|renamed|both \w+): +\S.*$", re.MULTILINE)
"""A file of which git status says that it is changed."""
_SUM = compiled_later(r"\b\d+ (?:pass|fail|tests?\b|error|issue|problem|warning)", re.IGNORECASE)
_HEAD, _TAIL = 1_000, 3_000
"""Characters at the ends of an output where it is looked for."""
_LONGEST, _LONGEST_MADE = 160, 300
"""Characters of such a line; a merge names two branches."""


def outcome_line(output: str) -> str:
    """Return the line that says how a command came out, without blanks around it: the last that says what was made, or
    that sums up, else the last that tells at all. Empty where none does."""
    text = both_ends(output, _HEAD, _TAIL)
    made = [line for line in map(str.strip, _MADE.findall(text)) if len(line) <= _LONGEST_MADE]
    told = (line.strip() for line in (() if made else verdict_lines(text) or _CHANGED.findall(text)))
    lines = made or [line for line in told if line and len(line) <= _LONGEST]
    return max(lines, key=lambda line: (_SUM.search(line) is not None, text.rfind(line)), default="")
