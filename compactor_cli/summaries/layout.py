"""Turn chosen lines into the text of a summary: pieces, headings, tables and checklists, as far as they fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.plan import Quote, SummaryPart
from compactor_cli.model.planning import NO_DRAFT, Draft
from compactor_cli.summaries.extractive import drop_least, repeated_turns
from compactor_cli.summaries.items import SummaryItem, join_sentences, line_tokens
from compactor_cli.summaries.outline import OTHERS, PROSE, Heading, Outline, Standing, row
from compactor_cli.summaries.said_once import repeated_failures
from compactor_cli.summaries.statement_choice import drop_repeated_leads
from compactor_cli.summary_text.excerpts import Excerpt, legend, without
from compactor_cli.summary_text.excerpts import quote as quote_lines
from compactor_cli.summary_text.state_block import COUNTS_FILES, rest_lines, state_text, unlisted_counts
from compactor_cli.summary_text.state_line import DECLINED, StateLine
from compactor_cli.summary_text.state_line import Kind as StateKind
from compactor_cli.summary_text.verbatim import QUOTED, Kind, block, is_under_way, last_request, words_since
from compactor_cli.text.clean import plain
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ITEM_MARK

_OWN_HEADINGS: dict[Kind, str] = {"first": "Original Task", "last": "Last Request"}
_CHRONOLOGICAL = frozenset((*PROSE, *OTHERS, "Errors", "Participants", "Topics"))
_OF_MESSAGE = compiled_later(r"#(\d+)\b")
NOTHING, NO_ROOM, SEE_ABOVE = "(none)", "(no room)", "(it stands above)"
SEE_USER_WORDS = "(see the user's words above)"
SEE_BELOW = "(see the messages below)"
UNDER_WAY = "(the last request, on which the agent was at work)"
FACT_SHARE = 0.75
_MAX_FACT_SHARE = 0.7
_BULLET_TOKENS, _FIRST_LINE_TOKENS = 3, 9


class PageLine(Struct, frozen=True):
    """A chosen line, and the piece that it belongs to."""

    item: SummaryItem
    part: int | None = None


class Page(Struct, frozen=True):
    """The contents of a summary besides its lines."""

    outline: Outline
    header: str
    quotes: tuple[Quote, ...]
    parts: tuple[SummaryPart, ...]
    lines: tuple[Excerpt, ...] = ()
    has_room: bool = True
    known_sections: frozenset[str] = frozenset()
    state: tuple[StateLine, ...] = ()
    draft: Draft = NO_DRAFT
    since: str = ""
    follows_request: bool = False
    continues: bool = False
    talk: bool = False


def render(page: Page, chosen: Sequence[PageLine]) -> str:
    """Return the text of a summary with the chosen lines."""
    quotes: dict[Kind, Quote] = {quote.kind: quote for quote in page.quotes if quote.kind != "turn"}
    chosen, sentences = _split_newer_sentences(page, chosen)
    sentence_groups = groupby(sentences, key=lambda item: (item.messages[0], item.label))
    turns = repeated_turns(
        page.quotes, ((number, label, join_sentences(group)) for (number, label), group in sentence_groups)
    )
    pieces = [page.header]
    kinds = {heading.quotes for heading in page.outline.headings} | (
        {"last"} if page.outline.ends_with_request else set()
    )
    for kind, title in _OWN_HEADINGS.items():
        carried = quotes.pop(kind, None) if kind not in kinds else None
        pieces += [block(title, kind, carried.number, carried.text)] if carried else []
    if "first" not in kinds:
        pieces += turns
    for index, part in enumerate(page.parts):
        lines = sorted((line.item for line in chosen if line.part == index), key=lambda item: item.order)
        body = [*filter(None, page.draft.parts[index : index + 1]), *_lines(lines)]
        pieces += [f"### {part.title}", *body] if body or part.named else []
    items = [line.item for line in chosen if line.part is None]
    for heading in page.outline.headings:
        heading_lines = _heading_lines(heading, items)
        state = state_text(line for line in page.state if standing_of(line) in heading.state)
        written = [text for title, text in page.draft.sections if title == heading.title and text]
        # an empty line ends the state block
        body = [*written, *([state] if state else []), *([""] if state and heading_lines else []), *heading_lines]
        pieces += _heading_block(page, heading, body, quotes)
        pieces += turns if heading.quotes == "first" else []
    if page.lines:
        pieces[-1] += f"{QUOTED}{legend(page.lines)}{quote_lines(page.lines)}"
    last = quotes.get("last") or quotes.get("only")
    return "\n".join(pieces) + (last_request(last.text, page.since) if last else "")


def without_repeats(lines: Sequence[Excerpt], items: Sequence[SummaryItem], page: Page) -> tuple[Excerpt, ...]:
    """Return the quoted lines without those that the page or the agent's words at its end repeat."""
    message_number, last_words = words_since(page.since)
    said_in: dict[str, str] = {message_number.removeprefix("#"): last_words} if last_words else {}
    for item in items:
        if item.fact is None and not item.code:
            for number in item.messages:
                said_in[str(number)] = f"{said_in.get(str(number), '')}\n{item.text}"
    message_number, repeated_indices = "", [*repeated_failures(lines, items, page.state)]
    for index, line in enumerate(lines):
        if match := _OF_MESSAGE.match(line.heading):
            message_number = match[1]
        last_words = " ".join(plain(ITEM_MARK.sub("", line.text)).split())
        if last_words in said_in.get(message_number, ""):
            repeated_indices.append(index)
    return tuple(without(lines, repeated_indices)) if repeated_indices else tuple(lines)


def without_last_words(items: Sequence[SummaryItem], since: str) -> list[SummaryItem]:
    """Return the lines without those whose words the agent's last words at the end already contain."""
    message_number, words = words_since(since)
    return [
        item
        for item in items
        if item.fact is not None
        or [f"#{n}" for n in item.messages] != [message_number]
        or item.text.strip('"') not in words
    ]


def _split_newer_sentences(page: Page, chosen: Sequence[PageLine]) -> tuple[Sequence[PageLine], list[SummaryItem]]:
    """Split off the users' sentences that are newer than the first repeated message, or all of them in talk."""
    first = next((quote.number or 0 for quote in page.quotes if quote.kind == "turn"), None)
    first = -1 if page.talk else first
    if first is None:
        return chosen, []
    newer = [x for x in chosen if x.part is None and x.item.label and x.item.messages[0] > first]
    moved = {id(line) for line in newer}
    return [line for line in chosen if id(line) not in moved], sorted((x.item for x in newer), key=lambda x: x.order)


def standing_of(line: StateLine) -> Standing:
    """Return the standing of a fact of the state."""
    if line.kind == "error":
        return "error"
    if line.text.startswith(DECLINED):
        return "declined"
    if line.kind == "pending" or line.text.startswith("[>]"):
        return "next"
    return "open" if line.open else "done"


def _heading_block(page: Page, heading: Heading, lines: list[str], quotes: dict[Kind, Quote]) -> list[str]:
    """Return lines under their heading, with the request repeated there (which is removed from `quotes`)."""
    request = quotes.pop(heading.quotes, None) if heading.quotes else None
    request = request or (quotes.get("only") if heading.quotes == "first" else None)
    if request is not None:
        return [block(heading.title, request.kind, request.number, request.text), *lines]
    if lines:
        return [f"### {heading.title}", *lines]
    if not heading.always or not page.has_room:
        return []
    if heading.quotes == "first" and page.follows_request:
        return [f"### {heading.title}", SEE_ABOVE]
    if not page.known_sections.isdisjoint(heading.sections):
        return [f"### {heading.title}", NO_ROOM]
    return [f"### {heading.title}", _placeholder(page, heading)]


def _placeholder(page: Page, heading: Heading) -> str:
    """Return the text under a heading that has nothing to say: where to look instead."""
    if "Decisions" in heading.sections and any(quote.kind == "turn" for quote in page.quotes):
        return SEE_USER_WORDS
    if page.continues and not {"open", "next"}.isdisjoint(heading.state):
        return SEE_BELOW
    return UNDER_WAY if "next" in heading.state and is_under_way(page.since) else NOTHING


def _heading_lines(heading: Heading, items: Sequence[SummaryItem]) -> list[str]:
    lines: list[str] = []
    for is_chronological, sections in groupby(heading.sections, _CHRONOLOGICAL.__contains__):
        # statements and failures are in time order, regardless of section
        for group in [tuple(sections)] if is_chronological else zip(sections, strict=True):
            chosen = sorted((item for item in items if item.section in group), key=lambda item: item.order)
            if heading.style == "table" and group == ("Files",) and chosen:
                lines += _table_lines(chosen)
            elif heading.style == "checklist":
                lines += [f"- [ ] {line[2:]}" for line in _lines(chosen)]
            else:
                lines += _lines(chosen)
    return lines


def _lines(items: Sequence[SummaryItem]) -> list[str]:
    """Return the lines of items. List items of one message share their introduction, which is written only once."""
    lines: list[str] = []
    for (_, is_prose), group in groupby(items, key=lambda item: (item.messages, item.fact is None and not item.code)):
        group_items = list(group)
        if not is_prose:
            lines += [item.line for item in group_items]
            continue
        for item, text in zip(
            group_items, drop_repeated_leads(item.text.removeprefix('"') for item in group_items), strict=True
        ):
            lines.append(replace(item, text=f'"{text}' if item.text.startswith('"') else text).line)
    return lines


def _table_lines(items: Sequence[SummaryItem]) -> list[str]:
    lines = [row(("File/Component", "Action", "Description")), row(("---", "---", "---"))]
    facts = (item.fact for item in items if item.fact is not None)
    return lines + [row((f"`{fact.subject}`", fact.actions, fact.where)) for fact in facts]


def fitting_lines(
    page: Page, chosen: Sequence[PageLine], lines: tuple[Excerpt, ...], budget: int, count: Callable[[str], int]
) -> tuple[Excerpt, ...]:
    """Return the strategy's lines without those of least value that do not fit."""
    while lines:
        excess = count(render(replace(page, lines=lines), chosen)) - budget
        if excess <= 0:
            break
        lines = drop_least(lines, excess)
    return lines


def trim_quotes(page: Page, items: Sequence[SummaryItem], budget: int, count: Callable[[str], int]) -> Page:
    """Remove quoted lines of least value if there are more facts than their share can hold."""
    fact_tokens = line_tokens((item for item in items if item.fact is not None), count)
    fact_tokens = min(int(fact_tokens / FACT_SHARE) + 2, int(_MAX_FACT_SHARE * budget))
    while page.lines:
        missing_tokens = fact_tokens - line_budget(page, budget, count)
        if missing_tokens <= 0:
            break
        page = replace(page, lines=drop_least(page.lines, missing_tokens))
    return page


def line_budget(page: Page, budget: int, count: Callable[[str], int]) -> int:
    """Return the tokens available for lines under the headings."""
    return budget - count(render(page, ())) - 4


def fit_state_lines(
    state: Sequence[StateLine],
    places: Collection[Standing],
    room: int,
    count: Callable[[str], int],
    *,
    files: bool = False,
) -> tuple[StateLine, ...]:
    """Return the state lines that fit, in order of value, and a last one that counts the others."""
    allowed = [line for line in state if (files or line.kind != "file") and standing_of(line) in places]
    allowed = [line for line in allowed if not unlisted_counts(line.text)]
    if sum(count(line.text) + _BULLET_TOKENS for line in allowed) > room:
        allowed = [replace(line, text=line.brief or line.text) for line in allowed]
    left_out: Counter[StateKind] = Counter()
    for line in state:
        left_out += unlisted_counts(line.text)
    if not files:
        del left_out["file"]
    taken: list[StateLine] = []
    tokens_left = room
    for line in allowed:
        cost = count(line.text) + (_BULLET_TOKENS if taken else _FIRST_LINE_TOKENS)
        if cost <= tokens_left:
            tokens_left -= cost
            taken.append(line)
        else:
            left_out[line.kind] += 1
    if "done" in places:
        small = room < COUNTS_FILES
        taken += [*rest_lines(taken, left_out, tokens_left, lambda text: count(text) + _BULLET_TOKENS, small=small)]
    return tuple(taken)
