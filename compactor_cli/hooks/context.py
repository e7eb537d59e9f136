"""Choose what to put back into an agent's context after its compaction: what the summary omits, within a limit.

The user's rules are quoted word for word, followed by open items, requests, decisions and effects. Each line has the
reference of its message in the archive. The judge of `diff` determines what is lost, and the computed state
determines what is open.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.state import session_state
from compactor_cli.model.message import Message
from compactor_cli.summary_text.excerpts import harmless
from compactor_cli.text.clean import one_line
from compactor_cli.views.survival.judge import judge_survival

MAX_CHARS = 9_500
"""Claude Code replaces a context of more than 10,000 characters by its beginning."""
_MAX_LINE_CHARS = 320
_HEAD = (
    "## State of the work before the compaction\nQuoted from the original session by compactor, as far as the summary "
    "does not say it. Newer instructions of the user come first where they differ."
)
_SECTIONS = (
    ("rules", "### Rules, limits and corrections of the user", 0.30),
    ("open", "### Open", 0.25),
    ("requests", "### Requests of the user", 0.25),
    ("decisions", "### Decided", 0.10),
    ("done", "### Done, confirmed by results", 0.10),
)
"""Name, heading, and share of the tokens; sections get what earlier ones leave."""


class Original(Struct, frozen=True):
    """A session as it was before the agent's compaction."""

    messages: Sequence[Message]
    references: Mapping[int, str] = field(default_factory=dict)
    """Index of a message -> its reference in the archive."""
    folder: str = ""
    """The folder that the session works in, as in `Transcript.folder`."""


class _Line(Struct, frozen=True):
    """One line; `order` is larger for newer lines."""

    text: str
    reference: str
    order: tuple[int, int]


def restored_context(
    originals: Sequence[Original], after: Sequence[Message], more: str, count: Callable[[str], int], limit: int
) -> str:
    """Return the text to restore within `limit` tokens; empty if nothing is lost. `originals`: oldest first; of all but
    the last, only binding text counts. `after`: the current context, if known. `more`: how to get the rest."""
    lines = _section_lines(originals, after)
    if not any(lines.values()):
        return ""
    token_budget = limit - count(f"{_HEAD}\n\n{more}\n")
    characters = MAX_CHARS - len(_HEAD) - len(more) - 10
    sections: list[str] = []
    spare = 0.0
    for name, heading, share in _SECTIONS:
        section_tokens = token_budget * share + spare
        chosen = _fitting_lines(heading, lines[name], section_tokens, characters, count)
        text = "\n".join([heading, *chosen]) if chosen else ""
        used = count(text) if text else 0
        spare = max(0.0, section_tokens - used)
        characters -= len(text) + 2
        sections += [text] if text else []
    while sections and count(text := "\n\n".join([_HEAD, *sections, more])) > limit:
        sections = _drop_last_line(sections)
    return text if sections else ""


def _drop_last_line(sections: Sequence[str]) -> list[str]:
    """Return the sections without the last line, as counts of parts do not always add up."""
    kept_text = sections[-1].rpartition("\n")[0]
    return [*sections[:-1], kept_text] if "\n" in kept_text else [*sections[:-1]]


def _fitting_lines(
    heading: str, lines: Iterable[_Line], token_budget: float, characters: int, count: Callable[[str], int]
) -> list[str]:
    """Return the lines that fit, chosen by importance and sorted by time."""
    token_budget -= count(heading + "\n")
    characters -= len(heading) + 1
    chosen: list[tuple[tuple[int, int], str]] = []
    for line in lines:
        text = f"- {line.text}" + (f" ({line.reference})" if line.reference else "")
        tokens = count(text + "\n")
        if tokens <= token_budget and len(text) < characters:
            token_budget -= tokens
            characters -= len(text) + 1
            chosen.append((line.order, text))
    return [text for _, text in sorted(chosen)]


def _section_lines(originals: Sequence[Original], after: Sequence[Message]) -> dict[str, list[_Line]]:
    """Return section -> lines, most important first."""
    lines: dict[str, list[_Line]] = {name: [] for name, _, _ in _SECTIONS}
    seen_texts: set[str] = set()

    def take(section: str, original: Original, number: int, lost: Iterable[tuple[int, str]]) -> None:
        for message, text in lost:
            shown_line = _shown_line(text)
            is_known = shown_line in seen_texts or any(shown_line in line.text for line in lines[section])
            if shown_line and not is_known:
                seen_texts.add(shown_line)
                lines[section].append(_Line(shown_line, original.references.get(message, ""), (number, message)))

    for number, original in reversed(list(enumerate(originals))):
        judged = {judgement.category: judgement.lost[::-1] for judgement in judge_survival(original.messages, after)}
        for category in ("rules", "corrections", "constraints"):
            take("rules", original, number, judged[category])
        if number == len(originals) - 1:
            take("open", original, number, (*_open_items(original, after), *judged["open_items"]))
        take("requests", original, number, _lost_requests(judged["user_requests"], seen_texts))
        if number == len(originals) - 1:
            take("decisions", original, number, judged["decisions"])
            take("done", original, number, judged["effects"])
    return lines


def _shown_line(text: str) -> str:
    return harmless(one_line(text.lstrip("-* \t"), _MAX_LINE_CHARS))


def _lost_requests(lost: Iterable[tuple[int, str]], seen_texts: Collection[str]) -> Iterable[tuple[int, str]]:
    """Return what is lost of each request as one line, newest first, without what is already shown."""
    by_message: dict[int, list[str]] = {}
    for message, text in lost:
        if _shown_line(text) not in seen_texts:
            by_message.setdefault(message, []).insert(0, text)
    return ((message, " ".join(texts)) for message, texts in by_message.items())


def _open_items(before: Original, after: Sequence[Message]) -> Iterable[tuple[int, str]]:
    """Return what remains to be done or fixed, except lines that the context contains word for word."""
    standing = "\n".join(message.text() for message in after)
    state = session_state(before.messages, before.folder)
    return ((line.message, line.text) for line in state if line.open and line.text not in standing)
