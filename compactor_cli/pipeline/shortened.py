"""What a run had to shorten although it is kept whole wherever the target allows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from compactor_cli.model.message import Message, by_index
from compactor_cli.model.plan import Plan, Quote

_REMEDY = "a larger target keeps it whole"


def shortened_warnings(messages: Sequence[Message], output: Sequence[Message], plan: Plan) -> tuple[str, ...]:
    """Warn of each system prompt that was shortened, and of the last request of the user when it was."""
    out = by_index(output)
    last = max((m.index for m in messages if m.origin == "request"), default=None)
    quotes = {quote.message: quote for slot in plan.slots for quote in slot.quotes}
    warnings = []
    for message in messages:
        if message.role != "system" and message.index != last:
            continue
        kept = _kept(message, out.get(message.index), quotes.get(message.index))
        if kept:
            name = "the system prompt" if message.role == "system" else "the last request of the user"
            warnings.append(f"{name} (message {message.number}) was shortened from {kept}: {_REMEDY}")
    return tuple(warnings)


def _kept(message: Message, now: Message | None, quote: Quote | None) -> str:
    """Say from which size to which a message was shortened; empty when it is whole."""
    if now is not None:
        return f"{message.tokens:,} to {now.tokens:,} tokens" if any(_new_edits(message, now)) else ""
    text = message.text("text")
    if quote is not None and len(quote.text.strip()) < len(text.strip()):
        return f"{len(text):,} to {len(quote.text):,} characters"
    return ""


def _new_edits(before: Message, after: Message) -> Iterator[bool]:
    """Yield for each part whether this run shortened it; a repair edits parts as well."""
    for old, new in zip(before.parts, after.parts, strict=False):
        yield new.text != old.text
