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
from compactor_cli.model.talking import is_between_people
from compactor_cli.summaries.facts import earlier_left_out, left_out_line
from compactor_cli.summaries.items import (
    WEIGHTS,
    NeededLines,
    SummaryItem,
    cut_to_room,
    line_tokens,
    restrict_needs,
    tier_items,
    with_corrections,
    without_incomplete,
)
from compactor_cli.summaries.layout import (
    FACT_SHARE,
    Page,
    PageLine,
    fit_state_lines,
    fitting_lines,
    line_budget,
    render,
    trim_quotes,
    without_last_words,
    without_repeats,
)
from compactor_cli.summaries.outline import ACTIVE_CODE, IMMEDIATE, Outline, model_outline, outline_of, sections_in
from compactor_cli.summaries.said_once import not_in_state
from compactor_cli.summaries.sections import candidates, code_items, fact_items, last_words_item
from compactor_cli.summaries.session_end import answered_words, describe_after_request, newest_calls
from compactor_cli.summary_text.excerpts import Excerpt
from compactor_cli.summary_text.headers import written_by
from compactor_cli.text.patterns import compiled_later

_WORD = compiled_later(r"[^\W_][\w./-]{2,}")
_SECTION_DECAY = 0.93
_STATE_SHARE = 0.5
_URGENT_BONUS = 30.0
_MAX_FOREMOST_SHARE = 0.4
_MAX_CODE_SHARE, _MAX_CODE_REST_SHARE = 0.27, 0.6
_LAST_POSITION = 1 << 40
_MIN_ROOMY_TOKENS = 600
_MIN_LINE_TOKENS = 4
_MAX_CANDIDATES = 6_000


def write_page(request: SummaryRequest, count: Callable[[str], int]) -> str:
    """Return the text of a summary: its headings with their lines, and the lines that it quotes as well."""
    count = cache(count)  # a line is weighed several times but encoded once
    page = make_page(request)
    # changed files are among the facts if the form puts these first
    standings = frozenset(standing_name for heading in page.outline.headings for standing_name in heading.state)
    room = int(line_budget(page, request.budget, count) * _STATE_SHARE)
    state = fit_state_lines(request.state, standings, room, count, files=not page.outline.facts_first)
    page = replace(page, state=state)
    page = replace(page, lines=fit_quoted_lines(page, request, count))
    items = _collect_items(request, page)
    page = replace(page, known_sections=frozenset(item.section for item in items))
    if page.outline.facts_first and page.lines:
        page = trim_quotes(page, items, request.budget, count)
    room = line_budget(page, request.budget, count)
    chosen = _choose_lines(request, page, items, room, count) if room >= 12 else []
    return _render_fitting(page, chosen, request, count)


def _collect_items(request: SummaryRequest, page: Page) -> list[SummaryItem]:
    """Return every line that may appear under a heading, weighed for the page's form."""
    messages, outline, quotes = request.messages, page.outline, request.slot.quotes
    candidate_items = candidates(
        messages, request.keywords, quotes, answered=request.is_answered, resolved=request.resolved
    )
    items = without_last_words(_remove_duplicates([*answered_words(messages, quotes), *candidate_items]), page.since)
    items = with_corrections(_fit_outline([*items, *tier_items(messages, request.slot.outline)], outline))
    if IMMEDIATE in sections_in(outline):
        items += last_words_item(messages, at_end=bool(page.since))
    if outline.facts_first:
        newest = newest_calls(messages)
        call_keys = {item.key for item in newest}
        items = [*(item for item in items if item.key not in call_keys), *newest]  # they replace earlier rounds' lines
    items = not_in_state(items, page.state)
    if outline.facts_first:
        items = _boost_urgent(items, outline)
    return [*items, *(code_items(messages) if ACTIVE_CODE in sections_in(outline) else ())]


def _render_fitting(page: Page, chosen: list[PageLine], request: SummaryRequest, count: Callable[[str], int]) -> str:
    """Return the page with the chosen and quoted lines that fit, or a shorter one; empty if none fits."""
    while True:
        complete_ids = set(map(id, without_incomplete([line.item for line in chosen])))
        chosen = [line for line in chosen if id(line.item) in complete_ids]
        excess = count(render(page, chosen)) - request.budget
        if excess <= 0:
            unsaid_lines = without_repeats(request.slot.lines, [line.item for line in chosen], page)
            fitting = fitting_lines(page, chosen, unsaid_lines, request.budget, count)
            return render(replace(page, lines=fitting), chosen)
        if not chosen:
            break
        chosen = chosen[: max(0, len(chosen) - 1 - excess // 40)]
    if request.draft is not None:
        return ""
    # titles of pieces, the note and what followed matter less than which messages the summary replaces
    shortest = replace(page, parts=(), since="")
    shorter = (replace(page, parts=()), shortest, replace(shortest, header=request.header))
    return next((text for shorter_page in shorter if count(text := render(shorter_page, ())) <= request.budget), "")


def make_page(request: SummaryRequest) -> Page:
    """Return the page of a summary, before its lines are chosen."""
    outline, draft = outline_of(request.slot.outline, request.slot.tier), request.draft
    header = "\n".join(filter(None, (request.header, request.slot.note)))
    if outline.name == "session" and request.round > 1:
        rounds = "round" if request.round == 2 else "rounds"
        header += f"\nThis summary incorporates context from {request.round - 1} previous compaction {rounds}."
    if draft is not None:
        outline = model_outline(outline)
        header += f"\n{written_by(draft.model)}"
    parts = tuple(part for part, _ in request.parts)
    # headings without lines are about an agent's work, and say nothing if there was none
    roomy = request.budget >= _MIN_ROOMY_TOKENS and any(message.role == "assistant" for message in request.messages)
    since = describe_after_request(request) if outline.ends_with_request else ""
    return Page(
        outline,
        header,
        request.slot.quotes,
        parts,
        has_room=roomy,
        draft=draft or NO_DRAFT,
        since=since,
        follows_request=request.follows_request,
        continues=request.is_answered,
        talk=any(heading.quotes for heading in outline.headings) and is_between_people(request.messages),
    )


def fit_quoted_lines(page: Page, request: SummaryRequest, count: Callable[[str], int]) -> tuple[Excerpt, ...]:
    """Return the strategy's quoted lines that leave enough room for the headings."""
    reserved_tokens = 0 if request.draft is not None else request.slot.reserved_tokens
    return fitting_lines(page, (), request.slot.lines, request.budget - reserved_tokens, count)


def _choose_lines(
    request: SummaryRequest, page: Page, items: list[SummaryItem], room: int, count: Callable[[str], int]
) -> list[PageLine]:
    """Return the lines to write, with those that must not be left out first."""
    outline = page.outline
    first_items: list[SummaryItem] = []
    if outline.facts_first:
        code_room = room * _MAX_CODE_SHARE
        facts = [item for item in items if item.fact is not None]
        items = [item for item in items if item.fact is None]
        first_items = _take_facts(facts, int(room * FACT_SHARE), count)
        missing_counts = (
            earlier_left_out(request.messages)
            + Counter(i.section for i in facts)
            - Counter(i.section for i in first_items)
        )
        if missing_counts:
            first_items.append(
                SummaryItem("Commands", left_out_line(dict(sorted(missing_counts.items()))), (), _LAST_POSITION)
            )
        room -= line_tokens(first_items, count)
        blocks = sorted(
            (item for item in items if item.code), key=lambda item: (item.section != ACTIVE_CODE, -item.order)
        )
        code = _take_fitting(blocks, int(min(code_room, room * _MAX_CODE_REST_SHARE)), count)
        room -= line_tokens(code, count)
        first_items += code
        items = [item for item in items if not item.code]
        best_items: list[SummaryItem] = []
        most = room * _MAX_FOREMOST_SHARE
        for item in _best_lines(items, outline):
            best_items += cut_to_room(item, min(most, room - line_tokens(best_items, count)), count)
        room -= line_tokens(best_items, count)
        places = {(item.section, item.order) for item in best_items}
        items = [item for item in items if (item.section, item.order) not in places]
        first_items += best_items
    chosen = [PageLine(item) for item in first_items]
    if not outline.parts:
        return chosen + [PageLine(item) for item in _choose(items, room, count)]
    model_parts = request.draft.parts if request.draft is not None else ("",) * len(request.parts)
    total_weight = (
        sum(part.weight for (part, _), text in zip(request.parts, model_parts, strict=True) if not text) or 1.0
    )
    tokens_left = 0.0
    for index, (part_items, (part, _)) in enumerate(
        zip(_items_by_part(request, page, items), request.parts, strict=True)
    ):
        if model_parts[index]:
            continue
        tokens_left += room * part.weight / total_weight
        taken = _choose(part_items, int(tokens_left), count)
        tokens_left -= line_tokens(taken, count)
        chosen += [PageLine(item, index) for item in taken]
    return chosen


def _items_by_part(request: SummaryRequest, page: Page, items: Sequence[SummaryItem]) -> list[list[SummaryItem]]:
    """Return the candidate lines of each part. Lines that belong to no part go to the first one."""
    part_of = {message.number: index for index, (_, messages) in enumerate(request.parts) for message in messages}
    by_part: list[list[SummaryItem]] = [[] for _ in request.parts]
    for item in items:
        if item.fact is None:
            by_part[part_of.get(item.messages[0], 0) if item.messages else 0].append(item)
    if not page.outline.facts_first:
        for part_items, (_, messages) in zip(by_part, request.parts, strict=True):
            part_items.extend(not_in_state(fact_items(messages, request.resolved), page.state))
    return [restrict_needs(part_items) for part_items in by_part]


def _fit_outline(items: Sequence[SummaryItem], outline: Outline) -> list[SummaryItem]:
    """Return the lines that the form has a place for, weighed for the form."""
    places, reductions = sections_in(outline), dict(outline.reductions)
    read_only = {
        id(item) for item in items if item.fact is not None and item.section == "Files" and item.fact.only_read
    }
    has_changes = any(item.fact is not None and item.section == "Files" and id(item) not in read_only for item in items)
    skipped = read_only if outline.changes_only and has_changes else ()
    return [
        replace(item, bonus=item.bonus - reductions.get(item.section, 0.0))
        for item in items
        if item.section in places and id(item) not in skipped
    ]


def _boost_urgent(items: list[SummaryItem], outline: Outline) -> list[SummaryItem]:
    """Raise the value of what is in progress, and of the newest of the next steps."""
    newest_order = max((item.order for item in items if item.section == "Next"), default=None)
    has_immediate = IMMEDIATE in sections_in(outline)
    result = []
    for item in items:
        if item.section == "Next" and item.order == newest_order:
            section = IMMEDIATE if has_immediate else item.section
            result.append(replace(item, section=section, bonus=item.bonus + _URGENT_BONUS))
        else:
            result.append(replace(item, bonus=item.bonus + _URGENT_BONUS) if item.section == "In progress" else item)
    return result


def _best_lines(items: Sequence[SummaryItem], outline: Outline) -> list[SummaryItem]:
    """Return the most valuable line of each heading, so that no heading is empty if there is something to say."""
    if outline.parts:
        return []
    best = []
    for heading in outline.headings:
        candidates = [item for item in items if item.section in heading.sections and not item.needs]
        if candidates:
            best.append(max(candidates, key=lambda item: (WEIGHTS[item.section] + item.bonus, item.order)))
    return best


def _take_facts(facts: Sequence[SummaryItem], room: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return all facts if they fit; otherwise first those that change something, then by section, newest first."""
    rank = {"Files": 2, "Errors": 1, "Commands": 3}
    ordered = sorted(
        facts,
        key=lambda item: (0 if item.fact is not None and item.fact.is_change else rank[item.section], -item.order),
    )
    return _take_fitting(ordered, room, count)


def _take_fitting(ordered: Sequence[SummaryItem], tokens_left: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return the lines that fit, taken in order."""
    fitting = []
    for item in ordered:
        cost = count(item.line) + 1
        if cost <= tokens_left:
            tokens_left -= cost
            fitting.append(item)
    return fitting


def _remove_duplicates(items: Sequence[SummaryItem]) -> list[SummaryItem]:
    """Return the first of equal lines, at most `_MAX_CANDIDATES` of them by weight."""
    computed = {item.key for item in items if item.fact is not None}
    seen: set[tuple[str, str] | str] = set()
    kept = []
    for item in items:
        key_text = item.key
        # a file and an error may have the same key, but no other line repeats a fact
        key = (item.section, key_text) if item.fact is not None else key_text
        if key not in seen and (item.fact is not None or key_text not in computed):
            seen.add(key)
            kept.append(item)
    if len(kept) > _MAX_CANDIDATES:
        heaviest = sorted(
            range(len(kept)), key=lambda index: (-WEIGHTS[kept[index].section] - kept[index].bonus, -index)
        )[:_MAX_CANDIDATES]
        kept = [kept[index] for index in sorted(heaviest)]
    return kept


def _choose(items: Sequence[SummaryItem], tokens_left: int, count: Callable[[str], int]) -> list[SummaryItem]:
    """Return lines in the order in which they were taken, by lazy greedy selection: values only fall."""
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
        new_rarity = (
            totals[index]
            if words[index].isdisjoint(covered)
            else fsum(map(rarity.__getitem__, sorted(words[index] - covered)))
        )
        new_share = new_rarity / totals[index]
        weighted_value = (WEIGHTS[item.section] + item.bonus) * _SECTION_DECAY ** taken_of[
            item.section
        ] * new_share * new_share + new_rarity / norm
        return weighted_value / sizes[index]

    needed = NeededLines(items)
    taken: set[int] = set()
    heap = [(-value(index), index) for index in range(len(items))]
    heapq.heapify(heap)
    while heap and tokens_left > 8:
        old_value, index = heapq.heappop(heap)
        new_value = value(index)
        if heap and new_value < -heap[0][0] - 1e-12 and new_value < -old_value - 1e-12:
            heapq.heappush(heap, (-new_value, index))
            continue
        if new_value < 0.05:
            break
        if index in taken or len(items[index].text) / 6 > tokens_left:
            continue
        group = needed.required_group(index, taken, max_lines=tokens_left // _MIN_LINE_TOKENS)
        cost = line_tokens((items[n] for n in group), count)
        cost += 6 * len({items[n].section for n in group if not taken_of[items[n].section]})
        if cost > tokens_left or not group:
            continue
        tokens_left -= cost
        taken.update(group)
        taken_of.update(items[n].section for n in group)
        covered.update(*(words[n] for n in group))
        chosen += [items[n] for n in group]
    return chosen
