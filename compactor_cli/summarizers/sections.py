"""Candidates for the lines of a summary: verbatim spans and computed facts, by section."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from compactor_cli.model.message import Message
from compactor_cli.signals.ledger import ACTIONS, Ledger, compute_ledger, where
from compactor_cli.text.clean import one_line
from compactor_cli.text.headers import is_summary
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.sentences import sentences

SECTIONS = (
    "Earlier summary",
    "Goal",
    "Constraints",
    "Decisions",
    "Done",
    "In progress",
    "Errors",
    "Files",
    "Commands",
    "Next",
    "Details",
)

WEIGHTS = {
    "Earlier summary": 14.0,
    "Goal": 12.0,
    "Errors": 11.0,
    "Constraints": 10.0,
    "Decisions": 10.0,
    "Files": 9.0,
    "In progress": 8.0,
    "Next": 8.0,
    "Commands": 5.0,
    "Done": 4.0,
    "Details": 2.0,
}

_DECISION = re.compile(r"\b(decided|concluded|agreed|will|won't|must|should)\b", re.IGNORECASE)
FIRM = re.compile(r"\b(decided|concluded|agreed|determined|resolved|going with|instead of|because)\b", re.IGNORECASE)
_IMPORTANT = re.compile(r"\b(important|critical|key|essential|note)\b", re.IGNORECASE)
CONSTRAINT = re.compile(
    r"\b(must|never|always|only|don't|do not|without|should not|"
    r"shouldn't|keep|avoid|required?|has to|at most|at least)\b",
    re.IGNORECASE,
)
_NEXT = re.compile(
    r"\b(next|todo|to do|remaining|still (?:need|have)|later|follow[- ]up|not yet|let me|i'll|i will)\b", re.IGNORECASE
)
_LONG_LINE = 400
"""Characters of a quoted span; a longer sentence is cut and says so."""
_OUTPUT_LINES = 6
_OLD_LINE = re.compile(r"^- (.*)$")
_OLD_WHERE = re.compile(r"\[#")


@dataclass(frozen=True, slots=True)
class Item:
    """One possible line of a summary."""

    section: str
    text: str
    messages: tuple[int, ...]
    order: int
    """Its place in its section: the order of the source."""
    bonus: float = 0.0

    @property
    def line(self) -> str:
        return f"- {self.text} {where(self.messages)}" if self.messages else f"- {self.text}"


def candidates(messages: Sequence[Message], keywords: frozenset[str]) -> list[Item]:
    """Every line that a summary of these messages might have."""
    items: list[Item] = []
    for message in messages:
        if message.origin == "summary":
            items += _earlier(message)
        elif message.origin == "request":
            items += _request(message, keywords)
        elif message.role == "assistant":
            items += _assistant(message, keywords)
        items += _outputs(message, keywords)
    progress = next((i for i in reversed(items) if i.section == "Done"), None)
    if progress:
        items[items.index(progress)] = Item("In progress", progress.text, progress.messages, progress.order)
    items += _facts(compute_ledger(messages))
    return items


def _earlier(message: Message) -> Iterator[Item]:
    """Lines of a finished summary are carried over; what they name are messages of their own round."""
    section = "Earlier summary"
    text = message.text("text")
    if not is_summary(text):
        for order, sentence in enumerate(sentences(text)):
            yield Item(section, clip(sentence), (message.index,), order)
        return
    for order, line in enumerate(text.splitlines()):
        if line.startswith("### "):
            section = line[4:] if line[4:] in SECTIONS else "Earlier summary"
        match = _OLD_LINE.match(line)
        if match:
            yield Item(section, _OLD_WHERE.sub("[earlier #", match.group(1)), (), order - 1_000_000, bonus=6)


def _request(message: Message, keywords: frozenset[str]) -> Iterator[Item]:
    for order, sentence in enumerate(sentences(message.text("text"))):
        limit = "Constraints" if CONSTRAINT.search(sentence) else "Goal"
        bonus = _points(sentence, keywords) + (4 if order == 0 else 0)
        yield Item(limit, f'"{clip(sentence)}"', (message.index,), _order(message, order), bonus)


def _assistant(message: Message, keywords: frozenset[str]) -> Iterator[Item]:
    for order, sentence in enumerate(sentences(message.text("text"))):
        if FIRM.search(sentence):
            section = "Decisions"
        elif _NEXT.search(sentence):
            section = "Next"
        else:
            section = "Done"
        yield Item(
            section, f'"{clip(sentence)}"', (message.index,), _order(message, order), _points(sentence, keywords)
        )


def _outputs(message: Message, keywords: frozenset[str]) -> Iterator[Item]:
    """Lines of tool output that speak of what is kept, and error lines of results not known to have failed."""
    for part in message.parts:
        if part.kind != "tool_result" and not (part.kind == "text" and message.role == "tool"):
            continue
        errors = result_errors(part.text, part.failed, most=3)
        for order, line in enumerate(errors):
            yield Item(
                "Errors", f"`{one_line(line, _LONG_LINE)}`", (message.index,), _order(message, order), 3.0 - order
            )
        for order, line in enumerate(_telling_lines(part.text, keywords)):
            yield Item("Details", f"`{one_line(line, _LONG_LINE)}`", (message.index,), _order(message, order + 10), 2.0)


def _telling_lines(text: str, keywords: frozenset[str]) -> list[str]:
    found: list[str] = []
    if keywords.isdisjoint(text[:60_000].replace('"', " ").split()):
        return found
    for line in text[:60_000].splitlines():
        if 8 < len(line) < _LONG_LINE and any(word in keywords for word in line.replace('"', " ").split()):
            found.append(line)
            if len(found) == _OUTPUT_LINES:
                break
    return found


def _facts(ledger: Ledger) -> Iterator[Item]:
    for order, (path, fact) in enumerate(ledger.files.items()):
        done = [(action, fact.actions[action]) for action in ACTIONS if action in fact.actions]
        said = ", ".join(f"{action} {len(at)}x" if len(at) > 1 else action for action, at in done)
        at = tuple(index for _, indices in done for index in indices)
        yield Item("Files", f"`{path}` {said}", at, order, 0.0 if set(fact.actions) == {"read"} else 5.0)
    runs: dict[str, list[int]] = {}
    latest: dict[str, str] = {}
    for command in ledger.commands:
        key = one_line(command.text, 160)
        runs.setdefault(key, []).append(command.message)
        latest[key] = {True: "failed", False: "ok", None: ""}[command.failed]
    for order, (text, ran) in enumerate(runs.items()):
        said = ", ".join(
            s for s in (f"{len(ran)}x" if len(ran) > 1 else "", latest[text] and f"last {latest[text]}") if s
        )
        yield Item("Commands", f"`{text}`{' (' + said + ')' if said else ''}", tuple(ran), order)
    for order, (line, indices) in enumerate(ledger.errors):
        times = f" ({len(indices)}x)" if len(indices) > 1 else ""
        yield Item("Errors", f"`{line}`{times}", indices, indices[0] * 1000 + order, 6.0)


def _points(sentence: str, keywords: frozenset[str]) -> float:
    """Seed 000: 10 for each keyword, 5 for decision language, 3 for importance markers (scaled to a tenth)."""
    hits = sum(word.strip(".,;:!?()`'\"") in keywords for word in set(sentence.split()))
    points = 10 * min(hits, 3)
    points += 5 if _DECISION.search(sentence) else 0
    points += 3 if _IMPORTANT.search(sentence) else 0
    return points / 10


def _order(message: Message, order: int) -> int:
    return message.index * 1000 + min(order, 999)


def clip(sentence: str) -> str:
    return sentence if len(sentence) <= _LONG_LINE else sentence[: _LONG_LINE - 1].rstrip() + "…"
