"""Choose what a text says that is worth repeating: its statements; from answers, without announcements, questions
and nods."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby

from compactor_cli.strategies.shared.binding import orders
from compactor_cli.text.clauses import Clause
from compactor_cli.text.identifiers import identifiers
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import ASKS, Sentence, sentences, statements
from compactor_cli.text.subjects import later_on_subject, stems, subject_terms

_FIRM = compiled_later(
    r"\b(?:decided|decision|concluded|agreed|determined|settled on|going with|went with|opted|chose|chosen)\b",
    re.IGNORECASE,
    (
        "decided",
        "decision",
        "concluded",
        "agreed",
        "determined",
        "settled on",
        "going with",
        "went with",
        "opted",
        "chose",
    ),
)
_HEDGES = compiled_later(
    r"\b(?:should|might|may|could|would|maybe|perhaps|probably|possibly|likely|seems?|not (?:yet )?decided)\b",
    re.IGNORECASE,
    (
        *("should", "might", "may", "could", "would", "perhaps", "probably", "possibly", "likely", "seem"),
        *("not decided", "not yet decided"),
    ),
)
"""Words that mark a guess or a proposal, which is not a decision."""
_LIMITS = compiled_later(
    r"\b(must|never|always|only|don't|do not|without|should not|"
    r"shouldn't|keep|avoid|required?|has to|at most|at least)\b",
    re.IGNORECASE,
    (
        *("must", "never", "always", "only", "don't", "do not", "without", "should", "keep", "avoid", "require"),
        *("has to", "at most", "at least"),
    ),
)
_ANNOUNCES = compiled_later(
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
_NOTHING = compiled_later(r"\b(?:nothing|none|no longer|no \w+)\b", re.IGNORECASE)
"""Words that negate that something is unfinished."""
_AGREES = compiled_later(
    r"\W*(?:(?:you(?:'re| are)|that(?:'s| is)) (?:absolutely |completely |totally |entirely |quite |exactly )?"
    r"(?:right|correct)|(?:that )?makes (?:\w+ )?sense|"
    r"(?:good|great|excellent|fair|nice) (?:catch|point|question|idea|call|enough|work|job)|sounds good|got it|"
    r"i (?:see|understand))\W*",
    re.IGNORECASE,
    (
        *("you're ", "you are ", "that's ", "that is ", "makes ", "good ", "great ", "excellent ", "fair ", "nice "),
        *("sounds good", "got it", "i see", "i understand"),
    ),
)
"""A sentence that only says that the user was understood."""
_AGAIN, _MATTER = 0.8, 4
"""Share of a sentence's words that a later message must contain to repeat it, and minimum number of words for the
comparison."""
_MOST = 0.6
"""Share of the words of a user's sentence that a later one must contain to possibly withdraw it."""
_LATEST = 8
"""Number of newest sentences with a word to compare."""
_DIGITS = compiled_later(r"\d+")
_FEW = 9
"""Number of words from which a sentence is informative even if it names nothing."""
_STATEMENT = 2
"""Words of the shortest statement, such as "Tests pass."."""
_NOD = 3
"""Maximum words of a nod."""
_SAID_LAST = 2
"""Number of sentences at the end of an agent's text that say what the work has led to."""
LONG_LINE = 400
"""Maximum characters of a quoted span; a longer sentence is cut and marked."""
_BETWEEN = " … "
"""Separates a list's introduction and its items."""
_LEAD_WIDTH, _LIST_WIDTH = 100, 300
"""Maximum characters of a list's introduction, and of a line with some of its items."""


def told_statements(text: str) -> list[str]:
    """Return the statements of an answer, sentence by sentence; list items follow their introduction. Announcements
    are left out, because nobody can tell whether they were carried out, and so are questions and nods."""
    return _put_together([it for it in statements(text) if not (_announces(it.lead) or _leads_nowhere(it.text))])


def all_statements(text: str) -> list[str]:
    """Return the sentences of a text; list items follow their introduction, because it may say that they are not to
    be done."""
    return _put_together(statements(text)) or sentences(text)  # a line with a colon may be all there is


def last_said(text: str) -> list[str]:
    """Return the sentences at the end of the agent's text: what the work has led to, or what the agent asks."""
    return all_statements(text)[-_SAID_LAST:]


def leads_once(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in sequence. If neighbouring lines contain items of the same list, the introduction is not
    repeated."""
    before = ""
    for line in lines:
        lead, between, items = line.partition(_BETWEEN)
        yield f"{_BETWEEN.lstrip()}{items}" if between and lead == before else line
        before = lead if between else ""


def is_decision(sentence: str) -> bool:
    """Return whether a sentence says what was decided, and is neither a guess nor a proposal."""
    return _FIRM.search(sentence) is not None and not _HEDGES.search(_plain(sentence))


def binds(sentence: str) -> bool:
    """Return whether a sentence of the user orders or forbids something."""
    return orders(Clause(sentence, 0, len(sentence)))


def limits(sentence: str) -> bool:
    """Return whether a sentence contains a word that demands or limits something."""
    return _LIMITS.search(sentence) is not None


def clip(sentence: str) -> str:
    """Return a sentence, cut if it is too long for a line."""
    return sentence if len(sentence) <= LONG_LINE else sentence[: LONG_LINE - 1].rstrip() + "…"


def overtaken(asked: Sequence[tuple[int, str]]) -> tuple[set[int], dict[int, int]]:
    """Return the indices of the user's sentences that a later message withdrew. Also return, for sentences that may
    have been withdrawn at least in part, the newest later sentence that does so. Each sentence is given with its
    message's number.

    A later sentence withdraws one if it covers everything the earlier one is about. Nods and questions withdraw
    nothing. A rule holds until a different rule replaces it, but must not appear without later sentences about it:
    "Never restart it." is over with "Restart it now."
    """
    terms = [stems(text) for _, text in asked]
    numbers = [set(_DIGITS.findall(text)) for _, text in asked]
    gone: dict[int, int] = {}
    perhaps: dict[int, int] = {}
    for at, others in enumerate(later_on_subject([text for _, text in asked])):
        message, text = asked[at]
        is_rule = binds(text)
        for other in others:
            later, said = asked[other]
            most = len(terms[at] & terms[other]) >= _MOST * len(terms[at])
            if later == message or ASKS.search(said) or not (tells(said) or (is_rule and most)):
                continue
            if terms[at] <= terms[other] and numbers[at] <= numbers[other] and (not is_rule or binds(said)):
                gone[at] = other
            elif most or is_rule or limits(text):
                perhaps[at] = other

    def stays(other: int) -> int:
        while other in gone:
            other = gone[other]
        return other

    return set(gone), {at: stays(other) for at, other in perhaps.items() if at not in gone}


def said_again(said: Sequence[tuple[int, str]]) -> set[int]:
    """Return the indices of the sentences that a later message repeats, in one sentence or two, in the same or other
    words. The repetition contains all names and numbers, and nearly all words. Each sentence is given with its
    message's number."""
    terms = [stems(text) for _, text in said]
    named = [{*_DIGITS.findall(text), *(t for t in subject_terms(text) if not t.isalpha())} for _, text in said]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for at, own_terms in enumerate(terms):
        for term in own_terms:
            holders[term].append(at)

    def says(other: int, at: int, missing: int) -> bool:
        unnamed = named[at] - named[other]
        near = (n for n in (other - 1, other + 1) if 0 <= n < len(said) and said[n][0] == said[other][0])
        beside = [n for n in near if unnamed <= named[n]]
        if unnamed and not beside:  # true of most sentences
            return False
        left = terms[at] - terms[other]
        return (not unnamed and len(left) <= missing) or any(len(left - terms[n]) <= missing for n in beside)

    again: set[int] = set()
    for at, ((message, _), own_terms) in enumerate(zip(said, terms, strict=True)):
        missing = int(len(own_terms) * (1 - _AGAIN))
        rarest = sorted(own_terms, key=lambda term: (len(holders[term]), term))[: missing + 1]  # it contains one
        later = sorted({n for term in rarest for n in holders[term][-_LATEST:] if said[n][0] > message})
        if len(own_terms) >= _MATTER and any(says(other, at, missing) for other in later):
            again.add(at)
    return again


def is_undone(sentence: str) -> bool:
    """Return whether a sentence says that something is unfinished."""
    return _UNDONE.search(sentence) is not None and not _NOTHING.search(sentence)


def says_little(sentence: str) -> bool:
    """Return whether a sentence is short and names nothing, as courtesies are ("Please hold on for a moment.")."""
    words = sentence.split()
    short = len(words) < _FEW if sentence.isascii() else len(sentence) < 2 * _FEW
    return short and not any(sign.isdigit() or sign in "`\"'/_@" for sign in sentence) and not identifiers(sentence)


def is_few_words(sentence: str) -> bool:
    """Return whether a sentence is at most three words that name nothing, such as "Makes sense."."""
    few = len(sentence.split()) <= _NOD if sentence.isascii() else len(sentence) < 4 * _NOD
    return few and says_little(sentence)


def tells(sentence: str) -> bool:
    """Return whether a sentence is more than a nod: at least five words, or similarly long, or naming something."""
    words = sentence.split()
    long = len(sentence) >= (30 if sentence.isascii() else 12)
    return len(words) > 4 or long or bool(identifiers(sentence))


def _leads_nowhere(sentence: str) -> bool:
    agrees = _AGREES.fullmatch(_plain(sentence)) is not None
    return agrees or _announces(sentence) or ASKS.search(sentence) is not None or _is_nod(sentence)


def _announces(sentence: str) -> bool:
    return _ANNOUNCES.search(_plain(sentence)) is not None


def _plain(sentence: str) -> str:
    return sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def _put_together(said: Sequence[Sentence]) -> list[str]:
    groups = groupby(said, key=lambda sentence: sentence.lead)
    return list(chain.from_iterable(_together(list(group)) for _, group in groups))


def _together(items: Sequence[Sentence]) -> Iterator[str]:
    """Yield sentences. Items of a list are combined after their introduction, as many as fit on a line."""
    lead = items[0].lead
    if not lead:
        yield from (sentence.text for sentence in items)
        return
    shown = lead if len(lead) <= _LEAD_WIDTH else f"… {lead[-_LEAD_WIDTH:].partition(' ')[2]}"
    line = shown
    for sentence in items:
        if line != shown and len(line) + len(sentence.text) > _LIST_WIDTH:
            yield line
            line = shown
        line += f"{_BETWEEN}{sentence.text}"
    yield line


def _is_nod(sentence: str) -> bool:
    """Return whether a sentence is a single word that names nothing: "Huge.", "Yes!"."""
    words = sum(any(map(str.isalnum, word)) for word in sentence.split())
    return sentence.isascii() and words < _STATEMENT and says_little(sentence)
