"""What an agent concluded between its calls: what it found and decided, not what it is about to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.talk_words import asks
from compactor_cli.features.wording import shipped_wordings
from compactor_cli.model.message import Message
from compactor_cli.strategies.adaptive.must_keep import speech_of
from compactor_cli.strategies.shared.lone_lines import leads_on
from compactor_cli.strategies.shared.rooms import part_between
from compactor_cli.text.sentences import count_words

_NONE, _SHARE = (10, 0.0), (25, 0.05)
"""Percentage of a transcript that fits into the room, and the share of the room for the agent's findings. If little is
kept, names that the work continues with say more than sentences."""
_TELLS = -0.2
"""Minimum evidence in a sentence's words for something to remember rather than a request. An agent announces its next
step in the words of a request."""
_FEW_WORDS = 6
"""Minimum number of words that can say something alone."""


def findings(messages: Sequence[Message], lines: SessionLines, cost: Callable[[int], int]) -> list[list[int]]:
    """Return the telling lines of each message in which an agent works on. Those with the most valuable names for their
    tokens come first. `cost`: returns the tokens of a line."""

    def worth(told: list[int]) -> float:
        return sum(lines.bounds[line] for line in told) / sum(map(cost, told))

    return sorted(_told(messages, lines), key=worth, reverse=True)


def room_for_findings(room: int, of: int) -> float:
    """Return the tokens for the agent's findings in a `room` for a transcript of `of` tokens."""
    return room * part_between(100 * room // max(1, of), _NONE, _SHARE)


def _told(messages: Sequence[Message], lines: SessionLines) -> Iterator[list[int]]:
    """Yield the telling lines of each message, the newest message first."""
    weighed = shipped_wordings().of_text
    for message, following in reversed([*pairwise(messages)]):
        works = message.calls or following.role == "assistant"
        if not works or message.role != "assistant" or message.origin == "summary":
            continue
        speech = (line for line in speech_of(lines, message.index) if not leads_on(lines, line))
        texts = {line: lines.text(line) for line in speech}
        telling = [line for line, text in texts.items() if not asks(text) and weighed(text)[1] >= _TELLS]
        if sum(count_words(texts[line]) for line in telling) >= _FEW_WORDS:
            yield telling
