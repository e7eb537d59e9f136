"""Counts by the provider itself (seed 004): tiny requests, whose usage says what the messages cost there.

A request is too slow to count every text of a run with. So the texts are counted on this machine, times
a ratio that was measured at the provider; `fit` measures the result, and compacts again where the ratio
was too low.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

from msgspec import Struct

from compactor_cli.asking.port import LanguageModel, ModelAnswer, ModelRequest, Speaker, Turn
from compactor_cli.asking.turns import joined
from compactor_cli.model.message import Message, Role
from compactor_cli.tokens.base import TokenCounter

PURPOSE = "token count"
ROUNDS = 4
"""Times that `fit` compacts: the ratio depends on what is kept, which seldom changes much twice."""
MOST_RATIO = 4
"""What a provider may count for one token here: headings and marks of cuts have room for no more."""
_ANSWER_TOKENS = 16
"""Of the answer only the usage is read; fewer than this some providers do not accept (seed 004)."""
_SHARE = Fraction(6, 10)
"""Of the model's context that a request may fill by the local count, which may be far too low."""
_FILLER = Turn("user", "x")
"""Stands where a request needs a turn of the user: many providers want one first and last."""
_ROLES: dict[Role, Speaker] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "user"}

Result = TypeVar("Result")


class ProbedCounter:
    """A local counter times a ratio measured at the provider.

    A single text may have another ratio than all together, so its counts are approximate; rounding up
    keeps their sum from falling below the measured total. A picture's cost is a provider's figure
    already, and the probe sends none: it stays as it is.
    """

    approximate = True

    def __init__(self, local: TokenCounter, ratio: Fraction, model: str) -> None:
        self.local, self.ratio = local, ratio
        self.name = f"probe of {model} ({local.name} x {float(ratio):.4f})"
        self.per_message = self._scaled(local.per_message)
        self.per_image = local.per_image

    def count(self, text: str) -> int:
        return self._scaled(self.local.count(text))

    def _scaled(self, tokens: int) -> int:
        # a fraction, because 10 * 1.1 is a little over 11 with floats, and would count 12
        return -(-tokens * self.ratio.numerator // self.ratio.denominator)


class Fit(Struct, Generic[Result], frozen=True):
    """What `fit` ended with."""

    result: Result
    counter: TokenCounter
    """The counter that the result was made with."""
    tokens: int | None
    """Tokens of the result as the provider counts them; None when it could not be asked."""
    rounds: int
    fits: bool
    """Whether the provider counts no more than the target; False when it could not be asked."""


def probe(messages: Sequence[Message], model: LanguageModel, local: TokenCounter) -> int | None:
    """Return tokens of messages as the provider counts them, or None when it does not say; the model then knows.

    What a request of text cannot carry, pictures and the frames of messages that were merged or are
    blank, counts what it counts locally.
    """
    requests, unsent = _requests(messages, model.context_limit, local)
    if not requests:
        return unsent
    split = len(requests) > 1
    answers = model.ask([*requests, _request([_FILLER])] if split else requests)
    counted = [answer.prompt_tokens for answer in answers if answer.prompt_tokens is not None]
    if len(counted) < len(answers):
        model.give_up(PURPOSE, _why(answers))
        return None
    # what every request costs besides its messages; the first one's is part of the total
    overhead = max(0, counted.pop() - _cost(_FILLER, local)) if split else 0
    return sum(counted) - overhead * (len(counted) - 1) + unsent


def fit(
    compact: Callable[[TokenCounter], tuple[Result, Sequence[Message]]],
    target: int,
    model: LanguageModel,
    local: TokenCounter,
    ratio: Fraction | None = None,
) -> Fit[Result]:
    """Compact until the provider counts no more than the target, raising the ratio each time; see `ROUNDS` and
    `MOST_RATIO`.

    `compact` reads and compacts anew with the counter it is given, and returns its result and the messages
    of it. The first time that is the local counter itself, unless a ratio is known. What `compact` raises
    passes through.
    """
    counter: TokenCounter = local if ratio is None else ProbedCounter(local, ratio, model.name)
    known = ratio or Fraction(1)
    rounds = 0
    while True:
        rounds += 1
        result, messages = compact(counter)
        tokens = probe(messages, model, local)
        fits = tokens is not None and tokens <= target
        if tokens is None or fits:
            return Fit(result, counter, tokens, rounds, fits)
        # a result that is larger than its counter allows need not have a higher ratio; the excess always is more
        known = max(ratio_of(tokens, messages, local), known * Fraction(tokens, max(1, target)))
        if rounds == ROUNDS or known > MOST_RATIO:
            return Fit(result, counter, tokens, rounds, fits)
        counter = ProbedCounter(local, known, model.name)


def ratio_of(tokens: int, messages: Sequence[Message], local: TokenCounter) -> Fraction:
    """Return tokens by the provider over those by a local counter, of all but pictures, which both sides count
    alike."""
    pictures = _pictures(messages, local)
    texts = sum(local.per_message + sum(map(local.count, _texts(message))) for message in messages)
    return Fraction(max(1, tokens - pictures), texts) if texts else Fraction(1)


def _texts(message: Message) -> Iterator[str]:
    """Yield what of a message is counted, and sent: the name of a tool stands before what it is called with."""
    for part in message.parts:
        if part.kind == "tool_call":
            yield part.name
        yield part.text


def _pictures(messages: Sequence[Message], local: TokenCounter) -> int:
    return local.per_image * sum(part.images for message in messages for part in message.parts)


def _requests(messages: Sequence[Message], limit: int, local: TokenCounter) -> tuple[list[ModelRequest], int]:
    """Return the requests that the messages take, and the local count of what they cannot carry."""
    room = int(limit * _SHARE)
    unsent = _pictures(messages, local)
    turns: list[Turn] = []
    for message in messages:
        text = "\n".join(filter(None, _texts(message)))
        if text.strip():
            pieces = [Turn(_ROLES[message.role], piece) for piece in _pieces(text, room, local)]
            turns += pieces
            unsent -= local.per_message * (len(pieces) - 1)
        else:  # providers refuse turns without ink
            unsent += local.per_message + local.count(text)
    requests = []
    for chunk in _chunks(turns, room, local):
        sent = _alternating(chunk)
        requests.append(_request(sent))
        unsent += local.per_message * (len(chunk) - len(sent))
        unsent -= local.count(_FILLER.text) * sum(turn is _FILLER for turn in sent)
    return requests, unsent


def _pieces(text: str, room: int, local: TokenCounter) -> Iterator[str]:
    """Yield a text in pieces that fit a request: itself, nearly always."""
    middle = len(text) // 2
    if not middle or local.count(text) + local.per_message <= room:
        yield text
        return
    yield from _pieces(text[:middle], room, local)
    yield from _pieces(text[middle:], room, local)


def _chunks(turns: Sequence[Turn], room: int, local: TokenCounter) -> Iterator[list[Turn]]:
    """Yield turns that fit a request together."""
    chunk: list[Turn] = []
    filled = 0
    for turn in turns:
        cost = _cost(turn, local)
        if chunk and filled + cost > room:
            yield chunk
            chunk, filled = [], 0
        chunk.append(turn)
        filled += cost
    if chunk:
        yield chunk


def _cost(turn: Turn, local: TokenCounter) -> int:
    return local.per_message + local.count(turn.text)


def _alternating(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns as all providers accept them: no two of one role in a row, the user's first and last."""
    merged = list(joined(turns))
    first = next((index for index, turn in enumerate(merged) if turn.role != "system"), len(merged))
    if first == len(merged) or merged[first].role != "user":
        merged.insert(first, _FILLER)
    if merged[-1].role != "user":
        merged.append(_FILLER)
    return merged


def _request(turns: Sequence[Turn]) -> ModelRequest:
    """Return a request of these turns; a system turn at their beginning is its system prompt."""
    system = turns[0].text if turns[0].role == "system" else ""
    return ModelRequest(PURPOSE, system, tuple(turns[1:] if system else turns), _ANSWER_TOKENS)


def _why(answers: Sequence[ModelAnswer]) -> str:
    silent = next(answer for answer in answers if answer.prompt_tokens is None)
    return silent.failure or "the answer does not say what the request cost"
