"""A possible line of a summary, the weight of each section, and lines that mislead without others, such as a finding
without its correction: they are kept together or dropped."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.ledger import format_references
from compactor_cli.model.message import Message
from compactor_cli.summaries.facts import MESSAGE_MARKS, Fact
from compactor_cli.summaries.outline import ACTIVE_CODE, CHANGED_CODE
from compactor_cli.text.clean import one_line
from compactor_cli.text.identifiers import identifiers, unescape
from compactor_cli.text.later_figures import later_on_figures

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
_OUTPUT_KEY_CHARS = 180
"""Characters that decide whether two lines of output are the same."""

_LEAST_CUT = 40

_MAX_TOOLS = 6
_MAX_NAMES, _MAX_NAME_CHARS, _MAX_READ_CHARS = 6, 60, 4_000


class SummaryItem(Struct, frozen=True):
    """One possible line of a summary."""

    section: str
    text: str
    messages: tuple[int, ...]
    order: int
    bonus: float = 0.0
    fact: Fact | None = None
    code: str = ""
    needs: tuple[str, ...] = ()
    """`key` of the lines without which this one would mislead, such as a correction."""
    label: str = ""
    sentence: str = ""
    sentence_count: int = 0

    @property
    def line(self) -> str:
        if self.fact is not None:
            return f"- {self.text} {self.fact.where}"
        text = f"- {self.text} {format_references(self.messages)}" if self.messages else f"- {self.text}"
        return f"{text}\n{self.code}" if self.code else text

    @property
    def key(self) -> str:
        """Return the key of what the line says; two lines with the same key say the same."""
        text = self.fact.subject if self.fact is not None else self.text
        if self.fact is None and text.endswith("]"):
            text = MESSAGE_MARKS.sub("", text)
        is_output = self.section == "Errors" or (self.fact is None and text.startswith("`"))
        text = text.strip('`"').lower()
        return text[:_OUTPUT_KEY_CHARS] if is_output else text


def join_sentences(items: Iterable[SummaryItem]) -> str:
    """Return sentences of one user message in order, with a mark where others are left out."""
    parts: list[str] = []
    last, sentences = -1, 0
    for item in items:
        position, sentences = item.order % 1000, item.sentence_count
        parts += ["…"] if position > last + 1 else []
        parts.append(item.sentence)
        last = position
    return " ".join([*parts, "…"] if last < sentences - 1 else parts)


def order_of(message: Message, order: int) -> int:
    """Return the position of something said in a message, relative to all other messages."""
    return message.index * 1000 + min(order, 999)


def line_tokens(items: Iterable[SummaryItem], count: Callable[[str], int]) -> int:
    """Return the tokens of the lines, each with its line break."""
    return sum(count(item.line) + 1 for item in items)


def cut_to_room(item: SummaryItem, room: float, count: Callable[[str], int]) -> Iterator[SummaryItem]:
    """Yield the item if it fits, or else its beginning if it ends with quoted words and enough of it fits."""
    tokens = count(item.line) + 1
    if tokens <= room:
        yield item
    elif item.text.endswith('"') and not item.label:
        marks = count(replace(item, text='…"').line) + 1
        short = item.text[: int(len(item.text) * max(0, room - marks) / tokens)].rpartition(" ")[0].rstrip("… ")
        cut = replace(item, text=f'{short}…"')
        if len(short) >= _LEAST_CUT and count(cut.line) < room:
            yield cut


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


def with_corrections(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, no two of which say the same. A statement of the agent needs each later one that may correct
    it, and the later one is then worth as much."""
    result = list(items)
    indices = [i for i in sorted(range(len(items)), key=lambda i: items[i].order) if is_statement(items[i])]
    for i, others in enumerate(later_on_figures(_number_statements([items[i] for i in indices]))):
        if others:
            add_needs(result, indices[i], [indices[other] for other in others])
    return result


def is_statement(item: SummaryItem) -> bool:
    """Return whether a line quotes what the agent said about its work."""
    return item.section in ("Done", "Decisions", "In progress") and item.text.startswith('"')


def _number_statements(items: Sequence[SummaryItem]) -> list[tuple[int, str]]:
    """Return the statements, each with a running number for its message, which may be of an earlier round."""
    statements: list[tuple[int, str]] = []
    last_label: tuple[int, ...] | str = ""
    for item in items:
        text = MESSAGE_MARKS.sub("", item.text)
        label = item.messages or item.text[len(text) :]
        number = statements[-1][0] if statements else 0
        statements.append((number + (label != last_label), text))
        last_label = label
    return statements


def add_needs(items: list[SummaryItem], index: int, others: Collection[int]) -> None:
    """Make one line of a list need others, which are then worth at least as much."""
    value = WEIGHTS[items[index].section] + items[index].bonus
    for other in others:
        min_bonus = value - WEIGHTS[items[other].section]
        items[other] = replace(items[other], bonus=max(items[other].bonus, min_bonus))
    items[index] = replace(items[index], needs=(*items[index].needs, *(items[other].key for other in others)))


def restrict_needs(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines, needing only other lines among them."""
    if not any(item.needs for item in items):
        return list(items)
    index_of = _index_by_key(items)
    result = []
    for index, item in enumerate(items):
        needs = tuple(key for key in item.needs if index_of.get(key, index) != index)
        result.append(item if needs == item.needs else replace(item, needs=needs))
    return result


def without_incomplete(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the lines without those that need a missing line."""
    candidates: list[SummaryItem] = []
    complete = list(items)
    while len(complete) != len(candidates):
        candidates = complete
        keys = _index_by_key(candidates)
        complete = [item for item in candidates if all(key in keys for key in item.needs)]
    return complete


class NeededLines:
    """For a list of distinct lines, finds the lines that must be taken together."""

    def __init__(self, items: Sequence[SummaryItem]) -> None:
        """Look up what the lines need."""
        index_of = _index_by_key(items) if any(item.needs for item in items) else {}
        self._needed = [[index_of[key] for key in item.needs if key in index_of] for item in items]

    def required_group(self, index: int, taken: Collection[int], max_lines: int) -> list[int]:
        """Return the indices of the lines that a line needs, directly or indirectly, followed by its own. Lines in
        `taken` are left out. Empty if there are more than `max_lines`."""
        group: dict[int, None] = {index: None}
        pending = [index]
        while pending:
            for other in self._needed[pending.pop()]:
                if other not in group and other not in taken:
                    group[other] = None
                    pending.append(other)
            if len(group) > max_lines:
                return []
        return list(group)[::-1]


def _index_by_key(items: Sequence[SummaryItem]) -> dict[str, int]:
    """Return `key` -> index of the lines that others may need."""
    return {item.key: index for index, item in enumerate(items) if item.fact is None and not item.code}
