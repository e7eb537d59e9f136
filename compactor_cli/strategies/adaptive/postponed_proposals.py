"""Proposals that the user put off in a few words: these words say nothing without what the agent had proposed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.text.patterns import compiled_later

_PUTS_OFF = compiled_later(
    r"(?:\A\W*(?:wait|warte?|wacht|attends|attendez|espera|espere|aspetta|poczekaj|подожди\w*|bekle|待って|等一?[下等])\b)|"
    r"\b(?:not (?:yet|now)|hold (?:on|off)|i(?:'ll| will) (?:decide|tell you|let you|think)|think about it|"
    r"let me think|noch nicht|nog niet|pas encore|todavía no|aún no|lo pienso|ainda não|vou pensar|non ancora|"
    r"überlege ich|jeszcze nie|пока не|ещё не|henüz değil)\b|まだ|先不|先别|아직",
    re.IGNORECASE,
)
_MAX_REPLY_TOKENS = 40
"""Maximum tokens of a message that may do nothing but put something off."""
_END_LINES = 3
"""Number of lines at the end of an answer that say what was proposed."""
_MAX_PROPOSALS = 3
"""Number of newest proposals to look for."""


def find_postponed(
    messages: Sequence[Message], lines: SessionLines, is_kept: Callable[[int], bool]
) -> Iterator[list[int]]:
    """Yield the end of the agent's text before each message in which the user puts something off, the newest first.
    Skip messages that do not stay."""
    turns = sorted(answers_before_turns(messages), key=lambda turn: -turn[1])
    postponing_turns = (turn for turn in turns if _puts_off(messages[turn[1]]) and is_kept(turn[1]))
    for (answer, _), _ in zip(postponing_turns, range(_MAX_PROPOSALS), strict=False):
        if speech := speech_of(lines, answer)[-_END_LINES:]:
            yield speech


def _puts_off(message: Message) -> bool:
    few = sum(part.tokens for part in message.parts) <= _MAX_REPLY_TOKENS
    return few and _PUTS_OFF.search(message.text("text").replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")) is not None
