"""Requests for summaries: a system prompt, earlier summaries as system turns, the messages, and a directive.

There are no templates. The prompts are text files. Computed parts (headings, length, the reason for a rejection)
follow them in the last turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from msgspec import Struct

from compactor_cli.asking.answers import estimate_tokens
from compactor_cli.asking.fence import escape, fenced
from compactor_cli.asking.port import ModelRequest, Turn
from compactor_cli.asking.prompt_files import read_prompt_file as read_prompt
from compactor_cli.asking.turns import CharLimits, make_turns, pack
from compactor_cli.model.message import Message
from compactor_cli.model.planning import MAX_OVERRUN
from compactor_cli.text.shorten import shorten_prose

prompt = partial(read_prompt, "compactor_cli.summaries")

PREVIOUS = "Previous summary of conversation:"
"""Begins the system turn with an earlier summary (seed 002)."""
TASK = "## Original User Task"
"""Begins the turn with the first request of the session (seed 001)."""
_MAX_TASK_TOKENS = 2_000
_OPENING = Turn("user", "The conversation to summarize begins here.")
"""The first user turn, which some providers require before any other."""
_UNDER_HEADING = 'Under "'
_WORDS_PER_TOKEN = 0.7


class PromptPiece(Struct, frozen=True):
    """A text for the model to write: a summary, or one part of it."""

    what: str
    """A description for people: `summary of messages 3-40`."""
    kind: str
    titles: tuple[str, ...]
    messages: Sequence[Message]
    earlier: tuple[str, ...]
    target_tokens: int
    replaced_tokens: int
    optional: frozenset[str] = frozenset()
    replaces_earlier: bool = True
    """Whether the text also replaces the earlier summaries; otherwise they are kept next to it."""
    task: str = ""
    """The first request of the session, included in every request for the piece (seed 001)."""
    batches: int = 1
    """Minimum number of stretches to summarize separately, however short they are."""

    @property
    def limit(self) -> int:
        """Return the maximum tokens of the text."""
        return int(self.target_tokens * MAX_OVERRUN)


def model_request(
    piece: PromptPiece, turns: Sequence[Turn], system: str, *, merging: bool = False, rejected: str = ""
) -> ModelRequest:
    """Return the request for a piece, or for merging its stretches."""
    earlier = [Turn("system", f"{PREVIOUS}\n{fenced('summary', text)}") for text in piece.earlier]
    task = [Turn("user", f"{TASK}\n{fenced('task', _task(piece))}")] if piece.task else []
    return ModelRequest(
        purpose=piece.what,
        system=system or prompt("system"),
        turns=(*earlier, *task, _OPENING, *turns, Turn("user", directive(piece, merging=merging, rejected=rejected))),
        # the provider's tokens may be shorter than ours
        max_tokens=int(piece.limit * MAX_OVERRUN) + 16,
    )


def _task(piece: PromptPiece) -> str:
    """Return the first request of the session; if it is very long, only its head and tail."""
    return shorten_prose(piece.task, estimate_tokens(piece.task), _MAX_TASK_TOKENS, estimate_tokens).text


def directive(piece: PromptPiece, *, merging: bool = False, rejected: str = "") -> str:
    """Return the text of the last turn: what to preserve, the headings, and the length."""
    paragraphs = [prompt("directive")]
    if piece.earlier:
        paragraphs.append(prompt("taking_over" if piece.replaces_earlier else "context"))
    paragraphs += [*([prompt("merge")] if merging else []), _what_to_write(piece)]
    if piece.titles:
        listed = "\n".join(f"### {title}" for title in piece.titles)
        paragraphs.append(
            "Write these headings, each on a line of its own and in this order, with the text under each, and "
            f'nothing before the first. Where there is nothing to say, write "None".\n{listed}'
        )
    paragraphs.append(
        f"Write at most {piece.target_tokens} tokens, about {int(piece.target_tokens * _WORDS_PER_TOKEN)} words."
    )
    if rejected:
        paragraphs.append(f"An earlier answer was not accepted: {escape(rejected)}. Write it again without that fault.")
    return "\n\n".join(paragraphs)


def _what_to_write(piece: PromptPiece) -> str:
    """Return the prompt for the piece's kind, without its lines about headings that are not requested."""
    lines = prompt(piece.kind).splitlines()
    title_of = {line: line[len(_UNDER_HEADING) : line.index('":')] for line in lines if line.startswith(_UNDER_HEADING)}
    return "\n".join(line for line in lines if title_of.get(line, "") in ("", *piece.titles))


class RequestStretch(Struct, frozen=True):
    """Neighbouring messages that are sent in one request."""

    turns: tuple[Turn, ...]
    messages: tuple[Message, ...]


def split_stretches(piece: PromptPiece, context: int, system: str) -> list[RequestStretch]:
    """Split a piece into as many requests as the model's context requires. Empty if the context is too small."""
    capacity = message_budget(piece, context, system)
    sent = [(turn, message) for message in piece.messages for turn in make_turns([message], CharLimits())]
    if capacity <= 0 or not sent:
        return []
    fitting = [(_fit_turn(turn, capacity), message) for turn, message in sent]
    most = max(1, -(-len(sent) // piece.batches))
    groups = pack(fitting, lambda pair: min(capacity, estimate_tokens(pair[0].text)), capacity, most=most)
    return [
        RequestStretch(tuple(turn for turn, _ in group), tuple(message for _, message in group)) for group in groups
    ]


def group_merges(piece: PromptPiece, texts: Sequence[str], context: int, system: str) -> list[tuple[Turn, ...]]:
    """Group the summaries of stretches into as few requests as the context allows, at least two in each."""
    capacity = message_budget(piece, context, system)
    groups = pack(enumerate(texts, start=1), lambda stretch: estimate_tokens(stretch[1]), capacity, least=2)
    return [tuple(Turn("user", fenced("summary", text, stretch=number)) for number, text in group) for group in groups]


def message_budget(piece: PromptPiece, context: int, system: str) -> int:
    """Return the tokens available for messages in one request, by an estimate that no model's own count exceeds."""
    empty = model_request(piece, (), system, merging=True)
    return (
        context
        - empty.max_tokens
        - estimate_tokens(empty.system)
        - sum(estimate_tokens(turn.text) for turn in empty.turns)
    )


def _fit_turn(turn: Turn, capacity: int) -> Turn:
    """Shorten a turn in the middle if it alone exceeds what the model can read; its delimiters stay."""
    size = estimate_tokens(turn.text)
    if size <= capacity:
        return turn
    head, _, rest = turn.text.partition("\n")
    body, _, tail = rest.rpartition("\n")
    tokens_left = capacity - estimate_tokens(head) - estimate_tokens(tail) - 2
    return Turn(turn.role, f"{head}\n{shorten_prose(body, size, max(1, tokens_left), estimate_tokens).text}\n{tail}")
