"""What an agent concluded between its calls: what it found and decided, not what it is about to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import is_question
from compactor_cli.features.wording import shipped_wordings
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.shared.lone_lines import is_lead_in
from compactor_cli.strategies.shared.rooms import share_between
from compactor_cli.text.sentences import count_words

_LOW_POINT, _HIGH_POINT = (10, 0.0), (25, 0.05)
"""Percentage of a transcript that fits into the room, and the share of the room for the agent's findings. If little is
kept, names that the work continues with say more than sentences."""
_MIN_EVIDENCE = -0.2
"""Minimum evidence in a sentence's words for something to remember rather than a request. An agent announces its next
step in the words of a request."""
_MIN_WORDS = 6
"""Minimum number of words that can say something alone."""


def findings(messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int]) -> list[list[int]]:
    """Return the telling lines of each message in which an agent works on. Those with the most valuable names for their
    tokens come first. `cost`: returns the tokens of a line."""

    def density(finding: list[int]) -> float:
        return sum(lines.bounds[line] for line in finding) / sum(map(cost, finding))

    return sorted(_telling_lines(messages, lines), key=density, reverse=True)


def room_for_findings(room: int, session_tokens: int) -> float:
    """Return the tokens for the agent's findings in a `room` for a transcript of `session_tokens`."""
    return room * share_between(100 * room // max(1, session_tokens), _LOW_POINT, _HIGH_POINT)


def _telling_lines(messages: Sequence[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield the telling lines of each message, the newest message first."""
    weigh_text = shipped_wordings().text_values
    for message, following in reversed([*pairwise(messages)]):
        works = message.calls or following.role == "assistant"
        if not works or message.role != "assistant" or message.origin == "summary":
            continue
        speech = (line for line in speech_of(lines, message.index) if not is_lead_in(lines, line))
        texts = {line: lines.text(line) for line in speech}
        telling = [
            line for line, text in texts.items() if not is_question(text) and weigh_text(text)[1] >= _MIN_EVIDENCE
        ]
        if sum(count_words(texts[line]) for line in telling) >= _MIN_WORDS:
            yield telling
