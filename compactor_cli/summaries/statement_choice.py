"""Choose what a text says that is worth repeating: its statements; from answers, without announcements, questions
and nods."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from compactor_cli.strategies.shared.binding import is_directive
from compactor_cli.text.clauses import Clause
from compactor_cli.text.clean import cut_to_width
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.line_prefixes import has_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import QUESTION_END, Sentence, split_sentences, split_statements
from compactor_cli.text.subjects import later_on_subject, stems

_DECISION_WORDS = compiled_later(
    r"\b(?:decided|decision|concluded|agreed|determined|settled on|going with|went with|opted|chose|chosen)\b",
    re.IGNORECASE,
    ("deci", "concluded", "agreed", "determined", "settled on", "going with", "went with", "opted", "chose"),
)
_HEDGES = compiled_later(
    r"\b(?:should|might|may|could|would|maybe|perhaps|probably|possibly|likely|seems?|not (?:yet )?decided)\b",
    re.IGNORECASE,
    (
        *("should", "might", "may", "could", "would", "perhaps", "probably", "possibly", "likely", "seem"),
        *("not decided", "not yet decided"),
    ),
)
_LIMIT_WORDS = compiled_later(
    r"\b(must|never|always|only|don't|do not|without|should not|"
    r"shouldn't|keep|avoid|required?|has to|at most|at least)\b",
    re.IGNORECASE,
    (
        *("must", "never", "always", "only", "don't", "do not", "without", "should", "keep", "avoid", "require"),
        *("has to", "at most", "at least"),
    ),
)
_ANNOUNCEMENT = compiled_later(
    r"\b(?:next|todo|to do|remaining|later|let me|let's|(?:i|we)(?:'ll| will| should| shall)|going to|now i|"
    r"(?:i|we) (?:\w+ )?(?:have|want) to|i(?:'m| am) (?:\w+ly |now |also )?(?!seeing|getting)\w+ing|needs? to|"
    r"would like)\b|\bneeded\W*$",
    re.IGNORECASE,
)
_UNDONE = compiled_later(
    r"^\W*(?:blocked|pending|stuck|unfinished|todo|waiting (?:for|on)|not (?:yet )?(?:done|finished|ready))\b|"
    r"\b(?:is|are|remains?|still|stays?)\s+(?:\w+\s+)?"
    r"(?:blocked|pending|stuck|unfinished|incomplete|failing|waiting (?:for|on)|"
    r"not (?:yet )?(?:done|finished|ready))\b",
    re.IGNORECASE,
    (
        *("blocked", "pending", "stuck", "unfinished", "todo", "waiting", "incomplete", "failing"),
        *("not yet", "not done", "not finished", "not ready"),
    ),
)
_NEGATIONS = compiled_later(r"\b(?:nothing|none|no longer|no \w+)\b", re.IGNORECASE)
_POLITENESS = compiled_later(
    r"\W*(?:(?:you(?:'re| are)|that(?:'s| is)) (?:\w+ly )?(?:right|correct|welcome)|(?:that )?makes (?:\w+ )?sense|"
    r"(?:good|great|excellent|fair|nice) (?:catch|point|question|idea|call|enough|work|job)|sounds good|got it|"
    r"i (?:see|understand)|thank(?:s| you)(?: (?:very|so) much)?(?: for [^.!?,;:]{1,40})?|"
    r"i(?:'d| would| can|'ll| will)(?: be)? (?:happy |glad )?(?:to )?help(?: you)?(?: with (?:that|this|it))?)\W*",
    re.IGNORECASE,
    (
        *("you're ", "you are ", "that's ", "that is ", "makes ", "good ", "great ", "excellent ", "fair ", "nice "),
        *("sounds good", "got it", "i see", "i understand", "thank", "help"),
    ),
)
"""A sentence that only says that the user was understood, or is polite."""
_MIN_WITHDRAWN_SHARE = 0.6
_DIGITS = compiled_later(r"\d+")
_MIN_INFORMATIVE_WORDS = 9
_MIN_STATEMENT_WORDS = 2
_MAX_NOD_WORDS = 3
CLOSING_SENTENCES = 2
MAX_LINE_CHARS = 400
_ITEM_SEPARATOR = " … "
_MAX_LEAD_CHARS, _MAX_LIST_CHARS = 100, 300


def answer_statements(text: str) -> list[str]:
    """Return the statements of an answer, sentence by sentence; list items follow their introduction. Announcements
    are left out, because nobody can tell whether they were carried out, and so are questions and nods."""
    return _join_lists([s for s in split_statements(text) if not (_announces(s.lead) or _is_empty_talk(s.text))])


def all_statements(text: str) -> list[str]:
    """Return the sentences of a text; list items follow their introduction, because it may say that they are not to
    be done."""
    return _join_lists(split_statements(text)) or split_sentences(text)  # a line with a colon may be all there is


def closing_sentences(text: str) -> list[str]:
    """Return the sentences at the end of the agent's text: what the work has led to, or what the agent asks."""
    return all_statements(text)[-CLOSING_SENTENCES:]


def joined_sentences(sentences: Sequence[str], text: str) -> str:
    """Return sentences of a text on one line, with a gap sign where something between them is left out, such as
    code."""
    joined, end = "", -1
    for sentence, shown in zip(sentences, drop_repeated_leads(sentences), strict=True):
        place = text.find(sentence, max(end, 0))
        is_gap = place >= 0 <= end and has_words(text[end:place])
        joined += f"{_ITEM_SEPARATOR if is_gap else ' ' if joined else ''}{shown}"
        end = place + len(sentence) if place >= 0 else -1
    return joined


def drop_repeated_leads(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in sequence; neighbouring items of one list do not repeat its introduction."""
    last_lead = ""
    for line in lines:
        lead, separator, items = line.partition(_ITEM_SEPARATOR)
        yield f"{_ITEM_SEPARATOR.lstrip()}{items}" if separator and lead == last_lead else line
        last_lead = lead if separator else ""


def is_decision(sentence: str) -> bool:
    """Return whether a sentence says what was decided, and is neither a guess nor a proposal."""
    return _DECISION_WORDS.search(sentence) is not None and not _HEDGES.search(_plain_quotes(sentence))


def is_binding(sentence: str) -> bool:
    """Return whether a sentence of the user orders or forbids something."""
    return is_directive(Clause(sentence, 0, len(sentence)))


def has_limit(sentence: str) -> bool:
    """Return whether a sentence contains a word that demands or limits something."""
    return _LIMIT_WORDS.search(sentence) is not None


def clip(sentence: str) -> str:
    """Return a sentence, cut if it is too long for a line."""
    return cut_to_width(sentence, MAX_LINE_CHARS)


def find_withdrawn(sentences_of: Sequence[tuple[int, str]]) -> tuple[set[int], dict[int, int]]:
    """Return the indices of the user's sentences that a later message withdrew. Also return, for sentences that may
    have been withdrawn at least in part, the newest later sentence that does so. Each sentence is given with its
    message's number. A later sentence withdraws one if it covers everything the earlier one is about. Nods and
    questions withdraw nothing. A rule holds until a different rule replaces it, but must not appear without later
    sentences about it: "Never restart it." is over with "Restart it now", for example."""
    terms = [stems(text) for _, text in sentences_of]
    numbers = [set(_DIGITS.findall(text)) for _, text in sentences_of]
    withdrawn: dict[int, int] = {}
    maybe_withdrawn: dict[int, int] = {}
    for index, others in enumerate(later_on_subject([text for _, text in sentences_of])):
        message, text = sentences_of[index]
        is_rule = is_binding(text)
        for other in others:
            number, newer = sentences_of[other]
            covers_most = len(terms[index] & terms[other]) >= _MIN_WITHDRAWN_SHARE * len(terms[index])
            if (
                number == message
                or QUESTION_END.search(newer)
                or not (is_informative(newer) or (is_rule and covers_most))
            ):
                continue
            if terms[index] <= terms[other] and numbers[index] <= numbers[other] and (not is_rule or is_binding(newer)):
                withdrawn[index] = other
            elif covers_most or is_rule or has_limit(text):
                maybe_withdrawn[index] = other

    def stays(other: int) -> int:
        while other in withdrawn:
            other = withdrawn[other]
        return other

    return set(withdrawn), {index: stays(other) for index, other in maybe_withdrawn.items() if index not in withdrawn}


def is_undone(sentence: str) -> bool:
    """Return whether a sentence says that something is unfinished."""
    return _UNDONE.search(sentence) is not None and not _NEGATIONS.search(sentence)


def is_uninformative(sentence: str) -> bool:
    """Return whether a sentence is short and names nothing, as courtesies are ("Please hold on for a moment.")."""
    words = sentence.split()
    is_short = len(words) < _MIN_INFORMATIVE_WORDS if sentence.isascii() else len(sentence) < 2 * _MIN_INFORMATIVE_WORDS
    return is_short and not any(sign.isdigit() or sign in "`\"'/_@" for sign in sentence) and not identifiers(sentence)


def is_few_words(sentence: str) -> bool:
    """Return whether a sentence is at most three words that name nothing, such as "Makes sense."."""
    is_short = len(sentence.split()) <= _MAX_NOD_WORDS if sentence.isascii() else len(sentence) < 4 * _MAX_NOD_WORDS
    return is_short and is_uninformative(sentence)


def is_informative(sentence: str) -> bool:
    """Return whether a sentence is more than a nod: at least five words, or similarly long, or naming something."""
    words = sentence.split()
    is_long = len(sentence) >= (30 if sentence.isascii() else 12)
    return len(words) > 4 or is_long or bool(identifiers(sentence))


def _is_empty_talk(sentence: str) -> bool:
    is_polite = _POLITENESS.fullmatch(_plain_quotes(sentence)) is not None
    return is_polite or _announces(sentence) or QUESTION_END.search(sentence) is not None or _is_nod(sentence)


def _announces(sentence: str) -> bool:
    return _ANNOUNCEMENT.search(_plain_quotes(sentence)) is not None


def _plain_quotes(sentence: str) -> str:
    return sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _join_lists(said: Sequence[Sentence]) -> list[str]:
    groups = groupby(said, key=lambda sentence: sentence.lead)
    return list(chain.from_iterable(_join_items(list(group)) for _, group in groups))


def _join_items(items: Sequence[Sentence]) -> Iterator[str]:
    """Yield sentences. Items of a list are combined after their introduction, as many as fit on a line."""
    lead = items[0].lead
    if not lead:
        yield from (sentence.text for sentence in items)
        return
    lead_text = lead if len(lead) <= _MAX_LEAD_CHARS else f"… {lead[-_MAX_LEAD_CHARS:].partition(' ')[2]}"
    line = lead_text
    for sentence in items:
        if line != lead_text and len(line) + len(sentence.text) > _MAX_LIST_CHARS:
            yield line
            line = lead_text
        line += f"{_ITEM_SEPARATOR}{sentence.text}"
    yield line


def _is_nod(sentence: str) -> bool:
    """Return whether a sentence is a single word that names nothing: "Huge.", "Yes!"."""
    words = sum(any(map(str.isalnum, word)) for word in sentence.split())
    return sentence.isascii() and words < _MIN_STATEMENT_WORDS and is_uninformative(sentence)
