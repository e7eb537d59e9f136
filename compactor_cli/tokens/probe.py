"""Token counts by the provider itself (seed 004): tiny requests whose usage shows what the messages cost there.

A request is too slow to count every text of a run. Texts are therefore counted locally, times a ratio measured at
the provider. `fit` measures the result, and compacts again if the ratio was too low.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from typing import Generic, TypeVar

from msgspec import Struct

from compactor_cli.asking.port import LanguageModel, ModelRequest, Speaker, Turn
from compactor_cli.asking.turns import merge_turns, pack
from compactor_cli.model.message import Message, Role
from compactor_cli.tokens.base import TokenCounter

PURPOSE = "token count"
MAX_ROUNDS = 4
MAX_RATIO = 4
"""Maximum number of provider tokens per local token; beyond it, headings and cut marks alone would not fit."""
_ANSWER_TOKENS = 16
"""Only the usage of the answer is read; some providers reject a lower limit (seed 004)."""
_MAX_CONTEXT_SHARE = Fraction(6, 10)
"""Share of the model's context that a request may fill by the local count, which may be far too low."""
_FILLER = Turn("user", "x")
"""Inserted where a request needs a user turn; many providers require one first and last."""
_ROLES: dict[Role, Speaker] = {"system": "system", "user": "user", "assistant": "assistant", "tool": "user"}

Result = TypeVar("Result")


class ProbedCounter:
    """A local counter times a ratio measured at the provider. A single text may have another ratio than the whole, so
    counts are approximate. Rounding up keeps their sum from falling below the measured total. Pictures keep their cost,
    since it already is a provider's figure and the probe sends none."""

    approximate = True

    def __init__(self, local: TokenCounter, ratio: Fraction, model: str) -> None:
        self.local, self.ratio = local, ratio
        self.name = f"probe of {model} ({local.name} x {float(ratio):.4f})"
        self.per_message = self._scaled(local.per_message)
        self.per_image = local.per_image

    def count(self, text: str) -> int:
        return self._scaled(self.local.count(text))

    def _scaled(self, tokens: int) -> int:
        # a fraction: with floats, 10 * 1.1 is slightly above 11 and would count as 12
        return -(-tokens * self.ratio.numerator // self.ratio.denominator)


class Fit(Struct, Generic[Result], frozen=True):
    """The outcome of `fit`."""

    result: Result
    counter: TokenCounter
    tokens: int | None
    """Tokens of the result as counted by the provider; None when the provider could not be asked."""
    rounds: int
    fits: bool
    """Whether the provider counts no more than the target; False when it could not be asked."""


def probe_tokens(messages: Sequence[Message], model: LanguageModel, local: TokenCounter) -> int | None:
    """Return the tokens of messages as counted by the provider. None if it gives no count, which `model.give_up`
    records. Pictures, and the overhead of messages that are blank or were merged, cannot be sent as text and are
    counted locally."""
    requests, unsent_tokens = _requests(messages, model.context_limit, local)
    if not requests:
        return unsent_tokens
    is_split = len(requests) > 1
    answers = model.ask([*requests, _request([_FILLER])] if is_split else requests)
    token_counts = [answer.prompt_tokens for answer in answers if answer.prompt_tokens is not None]
    if len(token_counts) < len(answers):
        silent = next(answer for answer in answers if answer.prompt_tokens is None)
        model.give_up(PURPOSE, silent.failure or "the answer does not report the tokens of the request")
        return None
    # the fixed cost of every request; the first request's is part of the total
    overhead = max(0, token_counts.pop() - _turn_tokens(_FILLER, local)) if is_split else 0
    return sum(token_counts) - overhead * (len(token_counts) - 1) + unsent_tokens


def fit(
    compact: Callable[[TokenCounter], tuple[Result, Sequence[Message]]],
    target: int,
    model: LanguageModel,
    local: TokenCounter,
    ratio: Fraction | None = None,
) -> Fit[Result]:
    """Compact until the provider counts no more than the target, raising the ratio each time, within `MAX_ROUNDS` and
    `MAX_RATIO`. `compact` reads and compacts anew with the given counter, and returns its result with the result's
    messages. Unless a ratio is known, the first counter is the local one. Exceptions from `compact` propagate."""
    counter: TokenCounter = local if ratio is None else ProbedCounter(local, ratio, model.name)
    current_ratio = ratio or Fraction(1)
    rounds = 0
    while True:
        rounds += 1
        result, messages = compact(counter)
        tokens = probe_tokens(messages, model, local)
        fits = tokens is not None and tokens <= target
        if tokens is None or fits:
            return Fit(result, counter, tokens, rounds, fits)
        # an oversized result need not have a higher ratio, but scaling by its excess always raises it
        current_ratio = max(token_ratio(tokens, messages, local), current_ratio * Fraction(tokens, max(1, target)))
        if rounds == MAX_ROUNDS or current_ratio > MAX_RATIO:
            return Fit(result, counter, tokens, rounds, fits)
        counter = ProbedCounter(local, current_ratio, model.name)


def token_ratio(tokens: int, messages: Sequence[Message], local: TokenCounter) -> Fraction:
    """Return the provider's tokens divided by the local ones, without pictures."""
    picture_tokens = _picture_tokens(messages, local)
    text_tokens = sum(local.per_message + sum(map(local.count, _sent_texts(message))) for message in messages)
    return Fraction(max(1, tokens - picture_tokens), text_tokens) if text_tokens else Fraction(1)


def _sent_texts(message: Message) -> Iterator[str]:
    """Yield the texts of a message that are counted and sent; the name of a tool precedes its arguments."""
    for part in message.parts:
        if part.kind == "tool_call":
            yield part.name
        yield part.text


def _picture_tokens(messages: Sequence[Message], local: TokenCounter) -> int:
    return local.per_image * sum(part.images for message in messages for part in message.parts)


def _requests(messages: Sequence[Message], limit: int, local: TokenCounter) -> tuple[list[ModelRequest], int]:
    """Return the requests needed for the messages, and the local count of what they cannot carry."""
    max_tokens = int(limit * _MAX_CONTEXT_SHARE)
    unsent_tokens = _picture_tokens(messages, local)
    turns: list[Turn] = []
    for message in messages:
        text = "\n".join(filter(None, _sent_texts(message)))
        if text.strip():
            pieces = [Turn(_ROLES[message.role], piece) for piece in _split_text(text, max_tokens, local)]
            turns += pieces
            unsent_tokens -= local.per_message * (len(pieces) - 1)
        else:  # providers reject blank turns
            unsent_tokens += local.per_message + local.count(text)
    requests = []
    for chunk in pack(turns, partial(_turn_tokens, local=local), max_tokens):
        sent = _alternate_roles(chunk)
        requests.append(_request(sent))
        unsent_tokens += local.per_message * (len(chunk) - len(sent))
        unsent_tokens -= local.count(_FILLER.text) * sum(turn is _FILLER for turn in sent)
    return requests, unsent_tokens


def _split_text(text: str, max_tokens: int, local: TokenCounter) -> Iterator[str]:
    """Yield a text in pieces that fit a request; nearly always the text itself."""
    middle = len(text) // 2
    if not middle or local.count(text) + local.per_message <= max_tokens:
        yield text
        return
    yield from _split_text(text[:middle], max_tokens, local)
    yield from _split_text(text[middle:], max_tokens, local)


def _turn_tokens(turn: Turn, local: TokenCounter) -> int:
    return local.per_message + local.count(turn.text)


def _alternate_roles(turns: Sequence[Turn]) -> list[Turn]:
    """Return turns in a form that all providers accept: roles alternate, and the user's turns are first and last."""
    merged = list(merge_turns(turns))
    first = next((index for index, turn in enumerate(merged) if turn.role != "system"), len(merged))
    if first == len(merged) or merged[first].role != "user":
        merged.insert(first, _FILLER)
    if merged[-1].role != "user":
        merged.append(_FILLER)
    return merged


def _request(turns: Sequence[Turn]) -> ModelRequest:
    """Return a request with these turns; a system turn at the beginning becomes its system prompt."""
    system = turns[0].text if turns[0].role == "system" else ""
    return ModelRequest(PURPOSE, system, tuple(turns[1:] if system else turns), _ANSWER_TOKENS)
