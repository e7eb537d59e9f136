"""Summaries with sections, written without a model: verbatim spans and computed facts, within a budget.

The value of a line is the weight of its section, the points of its words, and the rarity (tf-idf) of the words that
no chosen line contains yet. The line with the highest value per token is taken first (MMR by coverage).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from math import fsum, log, sqrt

from msgspec.structs import replace

from compactor_cli.model.planning import NO_DRAFT, SummaryRequest
from compactor_cli.model.talking import people_talk
from compactor_cli.summaries.answered import before_last_request, newest_calls, since_last_request
from compactor_cli.summaries.corrected_findings import with_corrections
from compactor_cli.summaries.facts import left_out, left_out_before
from compactor_cli.summaries.items import WEIGHTS, SummaryItem, cost_of, cut_to_room
from compactor_cli.summaries.layout import (
    FACT_SHARE,
    Page,
    PageLine,
    beside_end,
    described,
    fitting_lines,
    make_way,
    not_said,
    render,
    room_for_lines,
    state_with_room,
)
from compactor_cli.summaries.needed_lines import NeededLines, needing_these, standing
from compactor_cli.summaries.outline import ACTIVE_CODE, IMMEDIATE, Form, drafted, form_of, sections_in
from compactor_cli.summaries.participants import tier_items
from compactor_cli.summaries.said_once import not_in_state
from compactor_cli.summaries.sections import candidates, code_items, fact_items, last_words
from compactor_cli.summary_text.excerpts import Excerpt
from compactor_cli.summary_text.headers import written_by
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.patterns import compiled_later

_WORD = compiled_later(r"[^\W_][\w./-]{2,}")
_FADE = 0.93
"""Factor by which the value of each further line of a section falls."""
_STATE_SHARE = 0.5
"""Maximum share of the tokens left after repeated messages that the computed state may take."""
_URGENT = 30.0
"""Weight of what the work continues from, above that of any section."""
_FOREMOST = 0.4
"""Maximum share of the tokens left after the facts for the most valuable line of each heading."""
_CODE_SHARE, _CODE_REST = 0.27, 0.6
"""Maximum shares of all tokens, and of what the facts leave, that code may take; the smaller one applies."""
_LAST = 1 << 40
"""Position after all other lines of a section."""
_ROOMY = 600
"""Tokens from which a summary has all headings of its form."""
_LEAST = 4
"""Minimum tokens of a line."""
_MOST = 6_000
"""Maximum number of candidate lines to compare. If there are more, the most valuable and most recent are kept."""


def page_of(request: SummaryRequest, count: Callable[[str], int]) -> str:
    """Return the text of a summary: its headings with their lines, and the lines that it quotes as well."""
    count = cache(count)  # a line is weighed several times but encoded once
    page = page_for(request)
    page = replace(page, state=_state(page, request, count))
    page = replace(page, lines=beside(page, request, count))
    items = _items(request, page)
    page = replace(page, known=frozenset(item.section for item in items))
    if page.form.facts_first and page.lines:
        page = make_way(page, items, request.budget, count)
    room = room_for_lines(page, request.budget, count)
    chosen = _lines(request, page, items, room, count) if room >= 12 else []
    return _written(page, chosen, request, count)


def _items(request: SummaryRequest, page: Page) -> list[SummaryItem]:
    """Return every line that may appear under a heading, weighed for the page's form."""
    messages, form, quotes = request.messages, page.form, request.slot.quotes
    said = candidates(messages, request.keywords, quotes, answered=request.answered, overcome=request.overcome)
    items = beside_end(_distinct([*before_last_request(messages, quotes), *said]), page.since)
    items = with_corrections(_suiting([*items, *tier_items(messages, request.slot.form)], form), messages)
    if IMMEDIATE in sections_in(form):
        items += last_words(messages, at_end=bool(page.since))
    if form.facts_first:
        items = _ended_by(items, newest_calls(messages))
    items = not_in_state(items, page.state)
    if form.facts_first:
        items = _urgent(items, form)
    return [*items, *(code_items(messages) if ACTIVE_CODE in sections_in(form) else ())]


def _written(page: Page, chosen: list[PageLine], request: SummaryRequest, count: Callable[[str], int]) -> str:
    """Return the page with as many chosen lines as fit, followed by quoted lines that do not repeat them. If not
    even the headings fit, return a shorter page; empty if none fits."""
    while True:
        there = set(map(id, standing([line.item for line in chosen])))
        chosen = [line for line in chosen if id(line.item) in there]
        excess = count(render(page, chosen)) - request.budget
        if excess <= 0:
            page = described(page, chosen, -excess, request.budget, count)
            left = not_said(request.slot.lines, [line.item for line in chosen], page)
            unsaid = replace(request, slot=replace(request.slot, lines=left))
            return render(replace(page, lines=fitting_lines(page, chosen, unsaid, count)), chosen)
        if not chosen:
            break
        chosen = chosen[: max(0, len(chosen) - 1 - excess // 40)]
    if request.draft is not None:
        return ""
    # titles of pieces, the note and what followed matter less than which messages the summary replaces
    bare = replace(page, parts=(), since="")
    shorter = (replace(page, parts=()), bare, replace(bare, header=request.header))
    return next((text for less in shorter if count(text := render(less, ())) <= request.budget), "")


def page_for(request: SummaryRequest) -> Page:
    """Return the page of a summary, before its lines are chosen."""
    form, draft = form_of(request.slot.form, request.slot.tier), request.draft
    head = "\n".join(filter(None, (request.header, request.slot.note)))
    if form.name == "session" and request.round > 1:
        rounds = "round" if request.round == 2 else "rounds"
        head += f"\nThis summary incorporates context from {request.round - 1} previous compaction {rounds}."
    if draft is not None:
        form = drafted(form)
        head += f"\n{written_by(draft.model)}"
    parts = tuple(part for part, _ in request.parts)
    # headings without lines are about an agent's work, and say nothing if there was none
    roomy = request.budget >= _ROOMY and any(message.role == "assistant" for message in request.messages)
    since = since_last_request(request) if form.ends_with_request else ""
    return Page(
        form,
        head,
        request.slot.quotes,
        parts,
        roomy=roomy,
        draft=draft or NO_DRAFT,
        since=since,
        asked_before=request.asked_before,
        goes_on=request.answered,
        talk=people_talk(request.messages),
    )


def _state(page: Page, request: SummaryRequest, count: Callable[[str], int]) -> tuple[StateLine, ...]:
    """Return the state lines that fit. Changed files are left out if the form puts facts first, since they are among
    the facts."""
    places = frozenset(place for heading in page.form.headings for place in heading.state)
    room = int(room_for_lines(page, request.budget, count) * _STATE_SHARE)
    return state_with_room(request.state, places, room, count, files=not page.form.facts_first)


def beside(page: Page, request: SummaryRequest, count: Callable[[str], int]) -> tuple[Excerpt, ...]:
    """Return the strategy's quoted lines, without those of least value that would take space from the headings and
    the text written under them."""
    written = 0 if request.draft is not None else request.slot.own
    return fitting_lines(page, (), replace(request, budget=request.budget - written), count)


def _lines(
    request: SummaryRequest, page: Page, items: list[SummaryItem], room: int, count: Callable[[str], int]
) -> list[PageLine]:
    """Return the lines to write, with those that must not be left out first."""
    form = page.form
    first: list[SummaryItem] = []
    if form.facts_first:
        code_room = room * _CODE_SHARE
        facts = [item for item in items if item.fact is not None]
        items = [item for item in items if item.fact is None]
        first = _take_facts(facts, int(room * FACT_SHARE), count)
        missing = (
            left_out_before(request.messages) + Counter(i.section for i in facts) - Counter(i.section for i in first)
        )
        if missing:
            first.append(SummaryItem("Commands", left_out(dict(sorted(missing.items()))), (), _LAST))
        room -= cost_of(first, count)
        code = _take_code(items, int(min(code_room, room * _CODE_REST)), count)
        room -= cost_of(code, count)
        first += code
        items = [item for item in items if not item.code]
        foremost: list[SummaryItem] = []
        most = room * _FOREMOST
        for item in _foremost(items, form):
            foremost += cut_to_room(item, min(most, room - cost_of(foremost, count)), count)
        room -= cost_of(foremost, count)
        places = {(item.section, item.order) for item in foremost}
        items = [item for item in items if (item.section, item.order) not in places]
        first += foremost
    chosen = [PageLine(item) for item in first]
    if not form.parts:
        return chosen + [PageLine(item) for item in _choose(items, room, count)]
    written = request.draft.parts if request.draft is not None else ("",) * len(request.parts)
    total_weight = sum(part.weight for (part, _), text in zip(request.parts, written, strict=True) if not text) or 1.0
    left = 0.0
    for index, (part_items, (part, _)) in enumerate(zip(_by_part(request, page, items), request.parts, strict=True)):
        if written[index]:
            continue
        left += room * part.weight / total_weight
        taken = _choose(part_items, int(left), count)
        left -= cost_of(taken, count)
        chosen += [PageLine(item, index) for item in taken]
    return chosen


def _by_part(request: SummaryRequest, page: Page, items: Sequence[SummaryItem]) -> list[list[SummaryItem]]:
    """Return the candidate lines of each part. Lines that belong to no part go to the first one."""
    part_of = {message.number: index for index, (_, messages) in enumerate(request.parts) for message in messages}
    by_part: list[list[SummaryItem]] = [[] for _ in request.parts]
    for item in items:
        if item.fact is None:
            by_part[part_of.get(item.messages[0], 0) if item.messages else 0].append(item)
    if not page.form.facts_first:
        for part_items, (_, messages) in zip(by_part, request.parts, strict=True):
            part_items.extend(not_in_state(fact_items(messages, request.overcome), page.state))
    return [needing_these(part_items) for part_items in by_part]


def _suiting(items: Sequence[SummaryItem], form: Form) -> list[SummaryItem]:
    """Return the lines that the form has a place for, weighed for the form."""
    places, less = sections_in(form), dict(form.less)
    read = {id(item) for item in items if item.fact is not None and item.section == "Files" and item.fact.only_read}
    changed = any(item.fact is not None and item.section == "Files" and id(item) not in read for item in items)
    left_out = read if form.changes_only and changed else ()
    return [
        replace(item, bonus=item.bonus - less.get(item.section, 0.0))
        for item in items
        if item.section in places and id(item) not in left_out
    ]


def _urgent(items: list[SummaryItem], form: Form) -> list[SummaryItem]:
    """Raise the value of what is in progress, and of the newest of the next steps."""
    newest = max((item.order for item in items if item.section == "Next"), default=None)
    apart = IMMEDIATE in sections_in(form)
    result = []
    for item in items:
        if item.section == "Next" and item.order == newest:
            section = IMMEDIATE if apart else item.section
            result.append(replace(item, section=section, bonus=item.bonus + _URGENT))
        else:
            result.append(replace(item, bonus=item.bonus + _URGENT) if item.section == "In progress" else item)
    return result


def _foremost(items: Sequence[SummaryItem], form: Form) -> list[SummaryItem]:
    """Return the most valuable line of each heading, so that no heading is empty if there is something to say."""
    if form.parts:
        return []
    foremost = []
    for heading in form.headings:
        candidates = [item for item in items if item.section in heading.sections and not item.needs]
        if candidates:
            foremost.append(max(candidates, key=lambda item: (WEIGHTS[item.section] + item.bonus, item.order)))
    return foremost


def _take_facts(facts: Sequence[SummaryItem], room: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return all facts if they fit; otherwise first those that change something, then by section, newest first."""
    rank = {"Files": 2, "Errors": 1, "Commands": 3}
    ordered = sorted(
        facts, key=lambda item: (0 if item.fact is not None and item.fact.changes else rank[item.section], -item.order)
    )
    return _with_room(ordered, room, count)


def _take_code(items: Sequence[SummaryItem], room: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return the code that fits: first that of active work, then the newest."""
    code = [item for item in items if item.code]
    return _with_room(sorted(code, key=lambda item: (item.section != ACTIVE_CODE, -item.order)), room, count)


def _with_room(ordered: Sequence[SummaryItem], room: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return the lines that fit, taken in order."""
    taken = []
    for item in ordered:
        cost = count(item.line) + 1
        if cost <= room:
            room -= cost
            taken.append(item)
    return taken


def _ended_by(items: Sequence[SummaryItem], newest: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the items followed by the newest calls, which replace lines of an earlier round on the same call."""
    again = {item.about for item in newest}
    return [*(item for item in items if item.about not in again), *newest]


def _distinct(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the first of equal lines, at most `_MOST` of them by weight."""
    computed = {item.about for item in items if item.fact is not None}
    seen: set[tuple[str, str] | str] = set()
    kept = []
    for item in items:
        about = item.about
        # a file and an error may have the same key, but no other line repeats a fact
        key = (item.section, about) if item.fact is not None else about
        if key not in seen and (item.fact is not None or about not in computed):
            seen.add(key)
            kept.append(item)
    if len(kept) > _MOST:
        heaviest = sorted(
            range(len(kept)), key=lambda index: (-WEIGHTS[kept[index].section] - kept[index].bonus, -index)
        )[:_MOST]
        kept = [kept[index] for index in sorted(heaviest)]
    return kept


def _choose(items: Sequence[SummaryItem], room: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return lines in the order in which they were taken. Lazy greedy selection works because values only fall as
    lines are taken."""
    words = [set(_WORD.findall(item.text.lower())) for item in items]
    frequency = Counter(word for item_words in words for word in item_words)
    rarity = {word: log(1 + len(items) / frequency_of_word) for word, frequency_of_word in frequency.items()}
    totals = [fsum(map(rarity.__getitem__, sorted(item_words))) or 1.0 for item_words in words]
    sizes = [sqrt(8 + len(item.text) / 4) for item in items]
    norm = sqrt(log(1 + len(items))) * 2 or 1.0
    covered: set[str] = set()
    taken_of: Counter[str] = Counter()
    chosen: list[SummaryItem] = []

    def value(index: int) -> float:
        item = items[index]
        # sorted, because a sum of floats must not depend on the order of a set
        fresh = (
            totals[index]
            if words[index].isdisjoint(covered)
            else fsum(map(rarity.__getitem__, sorted(words[index] - covered)))
        )
        news = fresh / totals[index]
        worth = (WEIGHTS[item.section] + item.bonus) * _FADE ** taken_of[item.section] * news * news + fresh / norm
        return worth / sizes[index]

    needed = NeededLines(items)
    taken: set[int] = set()
    heap = [(-value(index), index) for index in range(len(items))]
    heapq.heapify(heap)
    while heap and room > 8:
        before, index = heapq.heappop(heap)
        now = value(index)
        if heap and now < -heap[0][0] - 1e-12 and now < -before - 1e-12:
            heapq.heappush(heap, (-now, index))
            continue
        if now < 0.05:
            break
        if index in taken or len(items[index].text) / 6 > room:
            continue
        group = needed.together(index, taken, most=room // _LEAST)
        cost = cost_of((items[n] for n in group), count)
        cost += 6 * len({items[n].section for n in group if not taken_of[items[n].section]})
        if cost > room or not group:
            continue
        room -= cost
        taken.update(group)
        taken_of.update(items[n].section for n in group)
        covered.update(*(words[n] for n in group))
        chosen += [items[n] for n in group]
    return chosen
