"""The participants of a stretch of messages, and the names they mention most, for the summaries of tiers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from compactor_cli.model.message import Message
from compactor_cli.summaries.items import SummaryItem
from compactor_cli.text.clean import one_line
from compactor_cli.text.identifiers import identifiers, unescape

_MAX_TOOLS = 6
_MAX_NAMES, _MAX_NAME_CHARS, _MAX_READ_CHARS = 6, 60, 4_000


def tier_items(messages: Sequence[Message], outline_name: str) -> list[SummaryItem]:
    """Return the participants, and the names that most messages share, for the summaries of tiers."""
    if outline_name != "tiers":
        return []
    return [*_participants(messages), *_topics(messages)]


def _participants(messages: Sequence[Message]) -> Iterator[SummaryItem]:
    """Yield each role with its number of messages, and each tool with its number of calls."""
    new_messages = [message for message in messages if message.origin != "summary"]
    roles = Counter(
        "user" if m.origin == "request" else m.role
        for m in new_messages
        if m.origin == "request" or m.role == "assistant"
    )
    tools = Counter(call.name for message in new_messages for call in message.calls)
    participants = [f"{role} ({n} message{'s' * (n > 1)})" for role, n in sorted(roles.items(), reverse=True)]
    tool_counts = [f"`{one_line(name, 60)}` {n}x" for name, n in sorted(tools.items(), key=lambda t: (-t[1], t[0]))]
    participants += [f"tools {', '.join(tool_counts[:_MAX_TOOLS])}"] if tool_counts else []
    if participants:
        yield SummaryItem("Participants", ", ".join(participants), (), -1)


def _topics(messages: Sequence[Message]) -> Iterator[SummaryItem]:
    """Yield the names that messages share most. A name in only one message is not a topic."""
    message_counts: Counter[str] = Counter()
    for message in messages:
        if message.origin != "request" and message.role != "assistant":
            continue
        message_names = identifiers(message.text("text")[:_MAX_READ_CHARS])
        # from calls, take only names that may be files; names of arguments are not topics
        call_names = {name for call in message.calls for name in identifiers(unescape(call.text[:_MAX_READ_CHARS]))}
        message_names |= {name for name in call_names if not name.isidentifier()}
        message_counts.update(name for name in message_names if len(name) <= _MAX_NAME_CHARS)
    names = sorted(
        (name for name, count in message_counts.items() if count > 1), key=lambda name: (-message_counts[name], name)
    )
    if names:
        yield SummaryItem(
            "Topics", f"spoken of most: {', '.join(f'`{one_line(name, 80)}`' for name in names[:_MAX_NAMES])}", (), -1
        )
