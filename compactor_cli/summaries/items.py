"""A line that a summary may have, and what each section weighs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct

from compactor_cli.features.work.ledger import where
from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import WHERE, Fact
from compactor_cli.summaries.outline import ACTIVE_CODE, CHANGED_CODE

WEIGHTS = {
    "Earlier summary": 14.0,
    "Goal": 12.0,
    "Errors": 11.0,
    "Constraints": 10.0,
    "Decisions": 10.0,
    "Files": 9.0,
    "In progress": 8.0,
    "Next": 8.0,
    "Immediate": 8.0,
    "Commands": 5.0,
    "Done": 4.0,
    "Details": 2.0,
    "Participants": 9.0,
    "Topics": 9.0,
    CHANGED_CODE: 7.0,
    ACTIVE_CODE: 9.0,
}
_OUTPUT_BEGINS = 180
"""Characters by which two lines of outputs are the same: what is computed of an error is cut sooner than what is
quoted."""


class SummaryItem(Struct, frozen=True):
    """One possible line of a summary."""

    section: str
    text: str
    messages: tuple[int, ...]
    order: int
    """Its place in its section: the order of the source."""
    bonus: float = 0.0
    fact: Fact | None = None
    """What was computed from calls and results; it is put together with the same fact of later rounds."""
    code: str = ""
    """A block of code under the line."""
    needs: tuple[str, ...] = ()
    """What the lines are `about` without which it would mislead, such as what corrects it."""
    label: str = ""
    """What stands before a sentence of the user where it is repeated among other messages: `#12 user`."""
    words: str = ""
    """That sentence as it is repeated there."""
    sentences: int = 0
    """How many sentences that message has."""

    @property
    def line(self) -> str:
        if self.fact is not None:
            return f"- {self.text} {self.fact.where}"
        text = f"- {self.text} {where(self.messages)}" if self.messages else f"- {self.text}"
        return f"{text}\n{self.code}" if self.code else text

    @property
    def about(self) -> str:
        """Return what two lines must not both say."""
        text = self.fact.about if self.fact is not None else self.text
        if self.fact is None and text.endswith("]"):
            text = WHERE.sub("", text)
        is_output = self.section == "Errors" or (self.fact is None and text.startswith("`"))
        text = text.strip('`"').lower()
        return text[:_OUTPUT_BEGINS] if is_output else text


def joined(items: Iterable[SummaryItem]) -> str:
    """Return sentences of one message of a user, in order, with a mark where others are left out."""
    said: list[str] = []
    last, sentences = -1, 0
    for item in items:
        at, sentences = item.order % 1000, item.sentences
        said += ["…"] if at > last + 1 else []
        said.append(item.words)
        last = at
    return " ".join([*said, "…"] if last < sentences - 1 else said)


def order_of(message: Message, order: int) -> int:
    """Return where what a message says stands among what others say. `order`: its place in the message, below 1,000."""
    return message.index * 1000 + min(order, 999)


def cost_of(items: Iterable[SummaryItem], count: Callable[[str], int]) -> int:
    """Return the tokens of lines, each with its break."""
    return sum(count(item.line) + 1 for item in items)
