"""Candidates for the lines of a summary: verbatim spans and computed facts, by section."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence, Set
from itertools import chain

from msgspec.structs import replace

from compactor_cli.features.after_request import answers_before_turns, calls_in_text
from compactor_cli.features.work.endings import is_declined
from compactor_cli.features.work.masked_calls import CallMasker
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.model.message import Message
from compactor_cli.model.pairing import PartIndex
from compactor_cli.model.plan import Quote
from compactor_cli.summaries.facts import LEFT_OUT, collect_facts, file_results, line_of_row, parse_fact
from compactor_cli.summaries.items import SummaryItem, add_needs, is_statement, order_of
from compactor_cli.summaries.outline import ACTIVE_CODE, CHANGED_CODE, FACTS, prose_section, section_of
from compactor_cli.summaries.snippets import carried_changes as carried_code
from compactor_cli.summaries.snippets import is_label, last_changes, shown_last
from compactor_cli.summaries.statement_choice import (
    MAX_LINE_CHARS,
    all_statements,
    answer_statements,
    clip,
    closing_sentences,
    find_withdrawn,
    has_limit,
    is_binding,
    is_decision,
    is_few_words,
    is_informative,
    is_undone,
    is_uninformative,
    joined_sentences,
)
from compactor_cli.summary_text.excerpts import harmless, person_named, user_named
from compactor_cli.summary_text.headers import body_start, is_state_heading, is_summary, writer_of
from compactor_cli.summary_text.verbatim import QUOTED, carried, earlier_label, label_of, words_since
from compactor_cli.text.clean import one_line
from compactor_cli.text.kept_sentences import Keywords, sentence_points
from compactor_cli.text.line_prefixes import without_numbers
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import QUESTION_END, split_sentences

_POLITE_PENALTY = 3.0
_NOD_PENALTY, _AGREEMENT_PENALTY = 10.0, 6.0
_RECENCY_BONUS = 1.0
_CARRIED_BONUS, _OLD_BONUS = 6.0, 0.0
_CLOSING_BONUS = 8.0
_CLOSING_TURNS = 2
_MAX_ANSWERED_CHARS = 200
_RULE_BONUS = 8.0
UNANSWERED = "The last request is not answered yet."
REPLIED_AT_END = "The agent's last words on the last request stand at the end."
_ERROR_RECENCY_BONUS = 4.0
_MAX_OUTPUT_LINES = 6
_MAX_CURRENT = 10
_EARLIER_OFFSET = 1_000_000
_OLD_WHERE, _OLDER = compiled_later(r"\[#"), compiled_later(r"\[earlier #[^\]]*\]$")
_OLD_LINE = compiled_later(r"^- (?:\[ \] )?(.*)$")


def candidates(
    messages: Sequence[Message],
    keywords: frozenset[str],
    quotes: Sequence[Quote] = (),
    *,
    answered: bool = False,
    resolved: Set[int] = frozenset(),
) -> list[SummaryItem]:
    """Return every candidate line for a summary of these messages, except for what it repeats in full."""
    items: list[SummaryItem] = []
    matcher = Keywords(keywords)
    masker = CallMasker(messages)
    files = file_results(messages, masker.pairing)
    repeated = {quote.message for quote in quotes}
    quoted_texts = {quote.text for quote in quotes}
    earlier: list[tuple[str, str]] = []
    after_request, last_answer = False, ""
    for message in messages:
        if message.origin == "summary":
            lines = list(_carried_items(message, quoted_texts))
            items += [item for item in lines if parse_fact(item.section, item.text) is None]
            earlier += [(item.section, item.text) for item in lines]
        elif message.index in repeated:
            after_request = True
            continue
        elif message.origin == "request":
            items += _request_items(message, matcher, last_answer)
        elif message.role == "assistant":
            items += _agent_items(message, matcher, after_request=after_request)
            last_answer = message.text("text").strip() or last_answer
        after_request = message.origin == "request"
        items += _output_items(message, keywords, files, resolved, masker)
    if messages and messages[-1].origin == "request" and not answered:
        items.append(SummaryItem("Next", UNANSWERED, (messages[-1].number,), order_of(messages[-1], 999)))
    current = _current_messages(messages)
    numbers = {message.number for message in current}
    items = [_refile(item, numbers) for item in _without_withdrawn(items)]
    if any(item.section == "Done" and item.bonus >= 0 for item in items):
        items = [item for item in items if item.section != "Done" or item.bonus >= 0]
    progress = next((item for item in reversed(items) if item.section == "Done"), None)
    if progress and not answered and not numbers.isdisjoint(progress.messages):
        items[items.index(progress)] = replace(progress, section="In progress", bonus=0.0)
        current = [message for message in current if message.number > progress.messages[0]]
    items = _with_closing_bonus([_with_recency_bonus(item, messages) for item in items], messages)
    items += _last_thought(current)
    items += _fact_items(messages, masker, earlier, resolved)
    return items


def _without_withdrawn(items: Sequence[SummaryItem]) -> Iterator[SummaryItem]:
    """Yield the lines without requests that a later one replaced; if only maybe, the line needs the later one."""
    indices = [index for index, item in enumerate(items) if item.section in ("Goal", "Constraints") and item.messages]
    withdrawn, maybe = find_withdrawn([(items[index].messages[0], items[index].text.strip('"')) for index in indices])
    result = list(items)
    for index, other in sorted(maybe.items()):
        add_needs(result, indices[index], [indices[other]])
    dropped = {indices[index] for index in withdrawn}
    yield from (item for index, item in enumerate(result) if index not in dropped)


def _refile(item: SummaryItem, current_numbers: Set[int]) -> SummaryItem:
    """Return an item in the section that fits it: what the agent says is unfinished is not done."""
    if item.section != "Done" or not is_undone(item.text):
        return item
    is_current = not current_numbers.isdisjoint(item.messages)
    return replace(item, section="In progress") if is_current else replace(item, bonus=item.bonus - _POLITE_PENALTY)


def _with_recency_bonus(item: SummaryItem, messages: Sequence[Message]) -> SummaryItem:
    """Return an error of an output, or a statement of the agent, with a bonus for being newer."""
    max_bonus = {"Errors": _ERROR_RECENCY_BONUS, "Done": _RECENCY_BONUS}.get(item.section, 0.0)
    if not max_bonus or not item.messages:
        return item
    first, last = messages[0].number, messages[-1].number
    return replace(item, bonus=item.bonus + max_bonus * (item.messages[0] - first) / max(1, last - first))


def _with_closing_bonus(items: Sequence[SummaryItem], messages: Sequence[Message]) -> list[SummaryItem]:
    """Return the lines, with a bonus for what the agent said last before each of the newest requests."""
    numbers = {message.index: message.number for message in messages}
    ends = {numbers[answer] for answer, _ in answers_before_turns(messages)[-_CLOSING_TURNS:]}
    closing = [item for item in items if is_statement(item) and item.bonus >= 0 and not ends.isdisjoint(item.messages)]
    last = {item.messages[0]: item.order for item in closing}.values()
    closing_ids = {id(item) for item in closing if item.order in last}
    return [replace(item, bonus=item.bonus + _CLOSING_BONUS) if id(item) in closing_ids else item for item in items]


def fact_items(messages: Sequence[Message], resolved: Set[int] = frozenset()) -> list[SummaryItem]:
    """Return the facts computed from calls and results, and those in earlier summaries among the messages."""
    summaries = [message for message in messages if message.origin == "summary"]
    earlier = [(item.section, item.text) for message in summaries for item in _carried_items(message, set())]
    return list(_fact_items(messages, CallMasker(messages), earlier, resolved))


def code_items(messages: Sequence[Message]) -> list[SummaryItem]:
    """Return the last change of each file, the newest as active work, and the code that the agent showed last."""
    changed, shown = last_changes(messages), shown_last(messages)
    known = KnownPaths((snippet.path for snippet in changed), min_parts=2)
    names = {snippet.path for snippet in changed}
    items = [
        SummaryItem(
            CHANGED_CODE,
            f"{'earlier' if old.is_outdated else 'last'} change of `{old.path}` [earlier #{old.number}]",
            (),
            order - _EARLIER_OFFSET,
            code=old.block,
        )
        for order, old in enumerate(carried_code(messages))
        if known.find(old.path) not in names
    ]
    for snippet in changed:
        newest = snippet is changed[-1]
        section, what = (ACTIVE_CODE, "newest change of") if newest else (CHANGED_CODE, "last change of")
        text = f"{'earlier change of' if snippet.is_outdated else what} `{one_line(snippet.path, MAX_LINE_CHARS)}`"
        items.append(SummaryItem(section, text, (snippet.message,), snippet.message * 1000, code=snippet.block))
    if shown is not None:
        items.append(
            SummaryItem(ACTIVE_CODE, "code shown last", (shown.message,), shown.message * 1000 + 1, code=shown.block)
        )
    return items


def last_words_item(messages: Sequence[Message], *, at_end: bool) -> list[SummaryItem]:
    """Return a line with the end of what the agent said last, or a reference to it `at_end`."""
    last = next((message for message in reversed(messages) if message.origin != "injected"), None)
    if last is None or last.role != "assistant" or last.calls or last.origin == "summary":
        return []
    if last.index in calls_in_text(messages):
        return []
    last_text = last.text("text")
    closing = joined_sentences(closing_sentences(last_text), last_text)
    text = REPLIED_AT_END if at_end else f'the agent said last: "{clip(closing)}"'
    return [SummaryItem("Next", text, (last.number,), order_of(last, 999))] if closing else []


def _current_messages(messages: Sequence[Message]) -> Sequence[Message]:
    """Return the messages that tell the current state of the work: the newest ones after the last request."""
    request = next((index for index in range(len(messages) - 1, -1, -1) if messages[index].origin == "request"), -1)
    return messages[max(request + 1, len(messages) - _MAX_CURRENT) :]


def _last_thought(messages: Sequence[Message]) -> list[SummaryItem]:
    """Return the end of the agent's last thinking, since some agents state their findings nowhere else."""
    for message in reversed(messages):
        if message.role == "assistant" and (thought := message.text("thinking").strip()):
            closing = clip(joined_sentences(closing_sentences(thought), thought))
            text = f'the agent thought last: "{closing}"'
            return [SummaryItem("In progress", text, (message.number,), order_of(message, 0))] if closing else []
    return []


def _carried_items(message: Message, repeated: set[str]) -> Iterator[SummaryItem]:
    """Yield the lines carried over from an earlier summary; their numbers refer to messages of that round."""
    title = "Earlier summary"
    text = message.text("text")
    if not is_summary(text):
        for order, sentence in enumerate(split_sentences(text)):
            yield SummaryItem(title, clip(sentence), (message.number,), order)
        return
    turns = carried(text)
    requests = [words for words in (turns.first, turns.last) if words and words not in repeated]
    for order, sentence in enumerate(chain.from_iterable(map(all_statements, requests))):
        yield SummaryItem("Goal", f'"{clip(sentence)}"', (), order - 2 * _EARLIER_OFFSET, bonus=6)
    label, last_words = words_since(turns.since)
    if last_words:
        said_last = f'the agent said last: "{clip(last_words)}" [{earlier_label(label)}]'
        yield SummaryItem("Earlier summary", said_last, (), -1, bonus=6)
    by_model = bool(writer_of(text))
    start = body_start(turns.rest) if by_model else 0
    in_state = False
    for order, line in enumerate(turns.rest[start:].partition(QUOTED)[0].splitlines()):
        in_state = is_state_heading(line) or (in_state and line.startswith("- "))
        if in_state:
            continue
        if line.startswith("### "):
            title = line[4:]
            continue
        content = _old_line(line, by_model)
        if not content or content.startswith(LEFT_OUT) or is_label(content):
            continue
        section = prose_section(title) if by_model and title not in FACTS else section_of(title, content)
        # what was next, or in progress, was so only in that round
        done = "Done" if by_model or content.startswith('"') else ""
        finished = {"Immediate": "Earlier summary", "Next": "Earlier summary", "In progress": done}
        section = finished.get(section, section)
        if section and not content.startswith((UNANSWERED, REPLIED_AT_END)):
            bonus = _OLD_BONUS if section == "Done" and content.startswith('"') else _CARRIED_BONUS
            shown = _OLD_WHERE.sub("[earlier #", content if section in FACTS else _OLDER.sub("[earlier]", content))
            yield SummaryItem(section, shown, (), order - _EARLIER_OFFSET, bonus)


def _old_line(line: str, by_model: bool) -> str:
    """Return an earlier summary's line without its bullet; plain lines count only if a model wrote the summary."""
    match = _OLD_LINE.match(line.strip() if by_model else line)
    if match:
        return match.group(1)
    if line.startswith("| `"):
        return line_of_row(line)
    return line.strip() if by_model and not line.startswith(("|", "```", "(")) else ""


def _request_items(message: Message, keywords: Keywords, answer: str) -> Iterator[SummaryItem]:
    """Yield a request's sentences. A nod needs the nearest other sentence, or else comes with the end of `answer`."""
    lines = all_statements(message.text("text"))
    substantial = [order for order, sentence in enumerate(lines) if is_informative(sentence)]
    person = f" {name}" if (name := person_named(message.speaker)) else ""
    label = label_of(message.number, user_named(message.speaker))
    texts = [f'"{clip(sentence)}"{person}' for sentence in lines]
    answer_end = closing_sentences(answer) if answer and not substantial else []
    if answer_end and is_few_words(" ".join(lines)) and not any(map(QUESTION_END.search, answer_end)):
        return  # "Good."
    answered = one_line(joined_sentences(answer_end, answer), _MAX_ANSWERED_CHARS)
    for order, sentence in enumerate(lines):
        is_rule = is_binding(sentence)
        section = "Constraints" if is_rule or has_limit(sentence) else "Goal"
        # the first sentence that asks for something, which "Good." before it does not
        bonus = sentence_points(sentence, keywords) / 10 + (4 if order == (substantial or [0])[0] else 0)
        needs: tuple[str, ...] = ()
        text = texts[order]
        if is_rule:
            bonus += _RULE_BONUS
        elif order not in substantial:
            bonus -= _AGREEMENT_PENALTY if answered else _NOD_PENALTY
            nearest = min(substantial, key=lambda other: abs(other - order), default=-1)
            needs = (SummaryItem("Goal", texts[nearest], (), 0).key,) if substantial else ()
            text = f'{text} answers: "{harmless(answered)}"' if answered else text
        item = SummaryItem(section, text, (message.number,), order_of(message, order), bonus, needs=needs)
        with_label = replace(item, label=label, sentence=clip(sentence), sentence_count=len(lines))
        yield with_label if text == texts[order] else item


def _agent_items(message: Message, keywords: Keywords, *, after_request: bool) -> Iterator[SummaryItem]:
    """Yield what the agent says, without a nod directly after a request."""
    text = message.text("text")
    statements = answer_statements(text)
    if after_request and statements and is_few_words(statements[0]) and text.lstrip().startswith(statements[0]):
        statements = statements[1:]
    for order, sentence in enumerate(statements):
        section = "Decisions" if is_decision(sentence) else "Done"
        is_exclamation = sentence.endswith("!") and is_few_words(sentence)
        is_polite = section == "Done" and (is_exclamation or (len(statements) > 1 and is_uninformative(sentence)))
        bonus = sentence_points(sentence, keywords) / 10 - _POLITE_PENALTY * is_polite
        yield SummaryItem(section, f'"{clip(sentence)}"', (message.number,), order_of(message, order), bonus)


def _output_items(
    message: Message, keywords: frozenset[str], files: Collection[PartIndex], resolved: Set[int], masker: CallMasker
) -> Iterator[SummaryItem]:
    """Yield lines of tool output that mention kept keywords, and error lines unless they are resolved."""
    for position, part in enumerate(message.parts):
        if part.kind != "tool_result" and not (part.kind == "text" and message.role == "tool"):
            continue
        is_resolved = message.index in resolved or is_declined(part.text)
        errors = [] if is_resolved else result_errors(part.text, part.failed, limit=3)
        is_file = (message.index, position) in files
        if is_file and not part.failed:
            errors = [line for line in errors[:1] if part.text.lstrip().startswith(line.strip())]
        for order, line in enumerate(errors):
            text = f"`{one_line(masker.mask(line, message.number, code=is_file), MAX_LINE_CHARS)}`"
            yield SummaryItem("Errors", text, (message.number,), order_of(message, order), 3.0 - order)
        for order, line in enumerate(_telling_lines(part.text, keywords)):
            shown = without_numbers(line, "").lstrip()
            text = f"`{one_line(masker.mask(shown, message.number, code=is_file), MAX_LINE_CHARS)}`"
            yield SummaryItem("Details", text, (message.number,), order_of(message, order + 10), 2.0)


def _telling_lines(text: str, keywords: frozenset[str]) -> list[str]:
    lines: list[str] = []
    if keywords.isdisjoint(text[:60_000].replace('"', " ").split()):
        return lines
    for line in text[:60_000].splitlines():
        if 8 < len(line) < MAX_LINE_CHARS and not keywords.isdisjoint(line.replace('"', " ").split()):
            lines.append(line)
            if len(lines) == _MAX_OUTPUT_LINES:
                break
    return lines


def _fact_items(
    messages: Sequence[Message], masker: CallMasker, earlier: Sequence[tuple[str, str]], resolved: Set[int]
) -> Iterator[SummaryItem]:
    for order, fact in enumerate(collect_facts(messages, masker, earlier, resolved)):
        is_over = fact.only_read or fact.passed_since
        bonus = {"Files": 0.0 if is_over else 5.0, "Errors": 0.0 if is_over else 6.0}.get(fact.section, 0.0)
        position = fact.messages[0] * 1000 + order if fact.section == "Errors" and fact.messages else order
        if fact.earlier_numbers:
            position, bonus = order - _EARLIER_OFFSET, bonus + 6
        yield SummaryItem(fact.section, fact.text, (), position, bonus, fact)
