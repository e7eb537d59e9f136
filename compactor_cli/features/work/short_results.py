"""What a call came to, in the few words that stand behind it."""

from __future__ import annotations

import re

from compactor_cli.features.work.causes import why_failed
from compactor_cli.features.work.ledger import call_arguments, command_of
from compactor_cli.features.work.open_errors import searches
from compactor_cli.features.work.outcome_lines import outcome_line
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.text.clean import one_line
from compactor_cli.text.noise import noisy_lines
from compactor_cli.text.patterns import compiled_later

_FEW_WORDS = compiled_later(r"(?=.*\w).{1,40}")
_EMPTY = ("[]", "{}")
"""Results that hold nothing, as JSON has it."""
_BEFORE_OUTPUT = "\nOutput:"
"""Stands between what a harness says of a command and what the command said."""
_NO_OUTPUT = compiled_later(r"\s*(?:\(?(?:Bash completed with )?no output\)?\.?\s*)?", re.IGNORECASE)
_SAYS_NOTHING = compiled_later(
    r"\W*(?:ok|done|success|none|null|\w* ?no output|\S+ completed)(?:\W|\d|\bm?s\b)*", re.IGNORECASE
)
"""Results that say no more than that there is nothing to say."""


def is_few_words(result: Part) -> bool:
    """Return whether a result is no more than stands behind its call as it is."""
    return _FEW_WORDS.fullmatch(result.text.strip()) is not None


def short_result(call: Part, result: Part, *, failed: bool, width: int) -> str:
    """Return the words of a result that are few enough to stand behind its call, or the line that says why the call
    `failed`, in at most `width` characters, or how a command came out; empty where there are none."""
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
