"""Turn chosen lines into the text of a summary: pieces, headings, tables and checklists, as far as they fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.model.plan import Quote, SummaryPart
from compactor_cli.model.planning import NO_DRAFT, Draft, SummaryRequest
from compactor_cli.summaries.items import SummaryItem, cost_of, joined
from compactor_cli.summaries.outline import OTHERS, PROSE, Form, Heading, Standing, row
from compactor_cli.summaries.quoting import repeated_turns, without_least
from compactor_cli.summaries.said_once import repeated_failures
from compactor_cli.summaries.told import leads_once
from compactor_cli.summary_text.excerpts import Excerpt, legend, without
from compactor_cli.summary_text.excerpts import quote as quote_lines
from compactor_cli.summary_text.state_block import COUNTS_FILES, rest_lines, state_text, unlisted_counts
from compactor_cli.summary_text.state_line import DECLINED, StateLine
from compactor_cli.summary_text.state_line import Kind as StateKind
from compactor_cli.summary_text.verbatim import QUOTED, Kind, block, is_under_way, last_request, words_since
from compactor_cli.text.clean import plain
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import BULLET

_OWN_HEADINGS: dict[Kind, str] = {"first": "Original Task", "last": "Last Request"}
"""Headings for requests that a form repeats without a heading of its own."""
_TOLD = frozenset((*PROSE, *OTHERS, "Errors", "Participants", "Topics"))
"""Sections whose lines are in time order under a shared heading."""
_OF_MESSAGE = compiled_later(r"#(\d+)\b")
NOTHING, NO_ROOM, ABOVE = "(none)", "(no room)", "(it stands above)"
RULED = "(see the user's words above)"
"""Placed under an empty heading for decisions if the summary repeats messages of the user."""
BELOW = "(see the messages below)"
UNDER_WAY = "(the last request, on which the agent was at work)"
"""Placed under what is to be done if the summary knows of nothing."""
FACT_SHARE = 0.75
"""Share of the budget for files, errors and commands in forms that put them first."""
_FACTS_MOST = 0.7
"""Maximum share of the whole text for which quoted lines make way for facts."""
_STATE_BULLET, _FIRST = 3, 9
"""Tokens that a line of the state takes in addition to its text, and those of the first line, including the block's
heading."""


class PageLine(Struct, frozen=True):
    """A chosen line, and the piece that it belongs to."""

    item: SummaryItem
    part: int | None = None


class Page(Struct, frozen=True):
    """The contents of a summary besides its lines."""

    form: Form
    header: str
    quotes: tuple[Quote, ...]
    parts: tuple[SummaryPart, ...]
    lines: tuple[Excerpt, ...] = ()
    roomy: bool = True
    """Whether there is enough budget for headings with nothing under them."""
    known: frozenset[str] = frozenset()
    """Sections that have something to say."""
    state: tuple[StateLine, ...] = ()
    """The known state, from calls and results."""
    draft: Draft = NO_DRAFT
    """The text that a model wrote, by heading and part."""
    since: str = ""
    """The description of what followed the last request, if the summary ends with it."""
    asked_before: bool = False
    """Whether the first request is before the summary."""
    goes_on: bool = False
    """Whether the agent continues in messages after the summary."""
    described: frozenset[str] = frozenset()
    """Files in a table whose changes fit."""
    talk: bool = False
    """Whether people only talk. Then nothing that they say is a goal; it all stands in time order."""

    def written(self, title: str) -> list[str]:
        """Return what the model wrote under a heading."""
        return [text for heading, text in self.draft.sections if heading == title and text]

    def drafted(self, part: int) -> str:
        """Return what the model wrote for a part."""
        return self.draft.parts[part] if part < len(self.draft.parts) else ""


def render(page: Page, chosen: Sequence[PageLine]) -> str:
    """Return the text of a summary with the chosen lines."""
    quotes: dict[Kind, Quote] = {quote.kind: quote for quote in page.quotes if quote.kind != "turn"}
    chosen, sentences = _behind_first_turn(page, chosen)
    beside = groupby(sentences, key=lambda item: (item.messages[0], item.label))
    turns = repeated_turns(page.quotes, ((number, label, joined(group)) for (number, label), group in beside))
    pieces = [page.header]
    kinds = {heading.quotes for heading in page.form.headings} | ({"last"} if page.form.ends_with_request else set())
    for kind, title in _OWN_HEADINGS.items():
        carried = quotes.pop(kind, None) if kind not in kinds else None
        pieces += [block(title, kind, carried.number, carried.text)] if carried else []
    if "first" not in kinds:
        pieces += turns
    for index, part in enumerate(page.parts):
        lines = sorted((line.item for line in chosen if line.part == index), key=lambda item: item.order)
        body = [text for text in (page.drafted(index),) if text] + _lines(lines)
        pieces += [f"### {part.title}", *body] if body or part.named else []
    items = [line.item for line in chosen if line.part is None]
    for heading in page.form.headings:
        under = _under(heading, items, page.described)
        state = state_under(page.state, heading)
        # an empty line ends the state block
        body = [*page.written(heading.title), *state, *([""] if state and under else []), *under]
        pieces += _headed(page, heading, body, quotes)
        pieces += turns if heading.quotes == "first" else []
    if page.lines:
        pieces[-1] += f"{QUOTED}{legend(page.lines)}{quote_lines(page.lines)}"
    last = quotes.get("last") or quotes.get("only")
    return "\n".join(pieces) + (last_request(last.text, page.since) if last else "")


def described(page: Page, chosen: Sequence[PageLine], left: int, budget: int, count: Callable[[str], int]) -> Page:
    """Return the page with descriptions of the changes to the files in its table, newest first, as far as they fit."""
    if not any(heading.style == "table" for heading in page.form.headings):
        return page
    told = []
    facts = (line.item.fact for line in sorted(chosen, key=lambda line: -line.item.order))
    for fact in facts:
        if fact is None or not fact.changed_line:
            continue
        left -= count(fact.changed_line) + 2
        if left < 0:
            break
        told.append(fact.about)
    if not told:
        return page
    with_changes = replace(page, described=frozenset(told))
    return with_changes if count(render(with_changes, chosen)) <= budget else page


def not_said(lines: Sequence[Excerpt], items: Sequence[SummaryItem], page: Page) -> tuple[Excerpt, ...]:
    """Return the quoted lines without those that repeat a sentence or a failure of the page, or the agent's words at
    its end."""
    of, words = words_since(page.since)
    said: dict[str, str] = {of.removeprefix("#"): words} if words else {}
    for item in items:
        if item.fact is None and not item.code:
            for number in item.messages:
                said[str(number)] = f"{said.get(str(number), '')}\n{item.text}"
    of, repeated = "", [*repeated_failures(lines, items, page.state)]
    for place, line in enumerate(lines):
        if match := _OF_MESSAGE.match(line.heading):
            of = match[1]
        words = " ".join(plain(BULLET.sub("", line.text)).split())
        if words in said.get(of, ""):
            repeated.append(place)
    return tuple(without(lines, repeated)) if repeated else tuple(lines)


def beside_end(items: Sequence[SummaryItem], since: str) -> list[SummaryItem]:
    """Return the lines without those whose words the agent's last words at the end already contain."""
    of, words = words_since(since)
    return [
        item
        for item in items
        if item.fact is not None or [f"#{n}" for n in item.messages] != [of] or item.text.strip('"') not in words
    ]


def _behind_first_turn(page: Page, chosen: Sequence[PageLine]) -> tuple[Sequence[PageLine], list[SummaryItem]]:
    """Return the lines without the users' sentences that are newer than the first repeated message, and those
    sentences. Placed above older words, they would appear to be older. In talk, return all sentences of users."""
    first = next((quote.number or 0 for quote in page.quotes if quote.kind == "turn"), None)
    first = -1 if page.talk else first
    if first is None:
        return chosen, []
    newer = [x for x in chosen if x.part is None and x.item.label and x.item.messages[0] > first]
    moved = {id(line) for line in newer}
    return [line for line in chosen if id(line) not in moved], sorted((x.item for x in newer), key=lambda x: x.order)


def state_under(state: Sequence[StateLine], heading: Heading) -> list[str]:
    """Return the state block for a heading; empty if nothing belongs there."""
    text = state_text(line for line in state if standing(line) in heading.state)
    return [text] if text else []


def standing(line: StateLine) -> Standing:
    """Return the standing of a fact of the state."""
    if line.kind == "error":
        return "error"
    if line.text.startswith(DECLINED):
        return "declined"
    if line.kind == "pending" or line.text.startswith("[>]"):
        return "next"
    return "open" if line.open else "done"


def _headed(page: Page, heading: Heading, lines: list[str], quotes: dict[Kind, Quote]) -> list[str]:
    """Return lines under their heading, with the request repeated there (which is removed from `quotes`)."""
    quote = quotes.pop(heading.quotes, None) if heading.quotes else None
    quote = quote or (quotes.get("only") if heading.quotes == "first" else None)
    if quote is not None:
        return [block(heading.title, quote.kind, quote.number, quote.text), *lines]
    if lines:
        return [f"### {heading.title}", *lines]
    if not heading.always or not page.roomy:
        return []
    if heading.quotes == "first" and page.asked_before:
        return [f"### {heading.title}", ABOVE]
    if not page.known.isdisjoint(heading.sections):
        return [f"### {heading.title}", NO_ROOM]
    return [f"### {heading.title}", _where_else(page, heading)]


def _where_else(page: Page, heading: Heading) -> str:
    """Return the text under a heading that has nothing to say: where to look instead."""
    if "Decisions" in heading.sections and any(quote.kind == "turn" for quote in page.quotes):
        return RULED
    if page.goes_on and not {"open", "next"}.isdisjoint(heading.state):
        return BELOW
    return UNDER_WAY if "next" in heading.state and is_under_way(page.since) else NOTHING


def _under(heading: Heading, items: Sequence[SummaryItem], described: frozenset[str]) -> list[str]:
    lines: list[str] = []
    for told, sections in groupby(heading.sections, _TOLD.__contains__):
        # statements and failures are in time order, regardless of section
        for group in [tuple(sections)] if told else zip(sections, strict=True):
            chosen = sorted((item for item in items if item.section in group), key=lambda item: item.order)
            if heading.style == "table" and group == ("Files",) and chosen:
                lines += _table(chosen, described)
            elif heading.style == "checklist":
                lines += [f"- [ ] {line[2:]}" for line in _lines(chosen)]
            else:
                lines += _lines(chosen)
    return lines


def _lines(items: Sequence[SummaryItem]) -> list[str]:
    """Return the lines of items. List items of one message share their introduction, which is written only once."""
    lines: list[str] = []
    for (_, told), group in groupby(items, key=lambda item: (item.messages, item.fact is None and not item.code)):
        same = list(group)
        if not told:
            lines += [item.line for item in same]
            continue
        for item, text in zip(same, leads_once(item.text.removeprefix('"') for item in same), strict=True):
            lines.append(replace(item, text=f'"{text}' if item.text.startswith('"') else text).line)
    return lines


def _table(items: Sequence[SummaryItem], described: frozenset[str]) -> list[str]:
    lines = [row(("File/Component", "Action", "Description")), row(("---", "---", "---"))]
    for fact in (item.fact for item in items):
        if fact is not None:
            change = fact.changed_line if fact.about in described else ""
            lines.append(row((f"`{fact.about}`", fact.done, " ".join(filter(None, (change, fact.where))))))
    return lines


def fitting_lines(
    page: Page, chosen: Sequence[PageLine], request: SummaryRequest, count: Callable[[str], int]
) -> tuple[Excerpt, ...]:
    """Return the strategy's lines without those of least value that do not fit."""
    lines = request.slot.lines
    while lines:
        excess = count(render(replace(page, lines=lines), chosen)) - request.budget
        if excess <= 0:
            break
        lines = without_least(lines, excess)
    return lines


def make_way(page: Page, items: Sequence[SummaryItem], budget: int, count: Callable[[str], int]) -> Page:
    """Remove quoted lines of least value if there are more facts than their share can hold."""
    needed = cost_of((item for item in items if item.fact is not None), count)
    needed = min(int(needed / FACT_SHARE) + 2, int(_FACTS_MOST * budget))
    while page.lines:
        missing = needed - room_for_lines(page, budget, count)
        if missing <= 0:
            break
        page = replace(page, lines=without_least(page.lines, missing))
    return page


def room_for_lines(page: Page, budget: int, count: Callable[[str], int]) -> int:
    """Return the tokens available for lines under the headings."""
    return budget - count(render(page, ())) - 4


def state_with_room(
    state: Sequence[StateLine],
    places: Collection[Standing],
    room: int,
    count: Callable[[str], int],
    *,
    files: bool = False,
) -> tuple[StateLine, ...]:
    """Return the state lines that fit, in order of value. If not all fit, long details are left out. The last line
    counts the facts that do not fit. `places`: the standings that the headings cover. `files`: whether files are
    included; otherwise they are listed elsewhere."""
    told = [line for line in state if (files or line.kind != "file") and standing(line) in places]
    told = [line for line in told if not unlisted_counts(line.text)]
    if sum(count(line.text) + _STATE_BULLET for line in told) > room:
        told = [replace(line, text=line.brief or line.text) for line in told]
    left_out: Counter[StateKind] = Counter()
    for line in state:
        left_out += unlisted_counts(line.text)
    if not files:
        del left_out["file"]
    taken: list[StateLine] = []
    left = room
    for line in told:
        cost = count(line.text) + (_STATE_BULLET if taken else _FIRST)
        if cost <= left:
            left -= cost
            taken.append(line)
        else:
            left_out[line.kind] += 1
    if "done" in places:
        small = room < COUNTS_FILES
        taken += [*rest_lines(taken, left_out, left, lambda text: count(text) + _STATE_BULLET, small=small)]
    return tuple(taken)
