"""References that make a statement depend on earlier text, and checks of statements in which they were resolved."""

from __future__ import annotations

import re
from collections.abc import Callable

from compactor_cli.text.identifiers import identifiers, quoted_strings

_REFERENCE = re.compile(
    r"\b(?:it|its|itself|that|this|these|those|they|them|their|theirs|he|him|his|she|her|hers|there|here|above|below"
    r"|(?:have|use|take|want|need|prefer|make|write|try) one|th(?:e|is|at) ones?|the (?:former|latter|same"
    r"|other(?: one)?|(?:first|second|last) one)|aforementioned|as (?:before|mentioned|said|discussed)|(?:you|we"
    r"|I) (?:just )?did|(?:do|did|does|done|doing) so|dies(?:e[mnrs]?)?|jene[mnrs]?|dort|davon|damit|dafür|daran|darauf"
    r"|darin|darüber|dadurch|deshalb|ersteres?|letzteres?|cela|ça|ceci|celui-(?:ci|là)|celle-(?:ci|là)|ceux-(?:ci|là)"
    r"|eso|esto|aquello|isso|isto|aquilo)\b|它|这个|那个|这样|那样|他们|她们|それ|これ|あれ|その|この",
    re.IGNORECASE,
)
_NO_REFERENCE = re.compile(
    r"\bthere(?:'s|’s| (?:is|are|was|were|has|have|will|should|must|may|can))\b|\b(?:so|such|now|provided|given) that\b"
    r"|\b(?:agree|assume|believe|check|claim|decide|ensure|expect|fear|feel|find|found|guarantee|hope|know|knew|learn"
    r"|made sure|make sure|mean|meant|note|remember|require|said|say|see|show|state|sure|tell|think|thought|told|want"
    r"|wish)(?:e?d|s)? that\b",
    re.IGNORECASE,
)
"""Uses of the same words that refer to nothing; they are removed before the search for references."""
_LEADING_REFERENCE = re.compile(
    r"\W*(?:(?:it|its|that|this|these|those|they|them|their|he|him|his|she|her|cela|ça|ceci|eso|esto|isso|isto"
    r"|the (?:former|latter))\b|它|这个|那个|それ|これ|あれ)",
    re.IGNORECASE,
)
_NEGATION = re.compile(
    r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|avoid\w*|nicht|nie|niemals|ohne|kein\w*|pas"
    r"|jamais|sans|nunca|sin|não|sem|нет|не|без)\b|n['’]t\b|不|没|別|ない",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*(?!\w)")
"""Numbers, but not the digits in names: RS256 is a name that contains no number."""
_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_SENTENCE_START = re.compile(r"(?:^|[.!?:;]\s|[(\"“„'‘]\s*)\W*$")
_SPEAKER_NAMES = frozenset(("user", "users", "assistant", "i"))
_LONGER, _ROOM = 3, 80
"""A resolved statement may have at most `_LONGER` times the characters of the original, plus `_ROOM`."""
_STEM_CHARS = 4
"""Letters that identify a word independently of its ending."""
_NO_BLANKS = "\u2e80"
"""From this character on, scripts have no blanks between words."""
_Check = Callable[[str, str, str], str]


def refers_back(text: str) -> bool:
    """Return whether a statement has a pronoun or another reference that may depend on earlier text."""
    return _REFERENCE.search(_NO_REFERENCE.sub(" ", text)) is not None


def resolution_fault(resolved: str, original: str, context: str) -> str:
    """Return why a resolved statement is unusable, in words for the model and for people; empty if it is usable."""
    return next((why for check in _CHECKS if (why := check(resolved, original, context))), "")


def _shape_fault(resolved: str, original: str, _: str) -> str:
    if not resolved:
        return "the statement is empty"
    if len(resolved.splitlines()) > 1:
        return "the statement has more than one line"
    if len(resolved) > _LONGER * len(original) + _ROOM:
        return "the statement is far longer than the original"
    if 2 * len(resolved) < len(original):
        return "less than half of the statement is left"
    return "the statement still begins with a pronoun" if _LEADING_REFERENCE.match(resolved) else ""


def _lost_facts(resolved: str, original: str, context: str) -> str:
    """Return a message about facts of the original that are missing."""
    missing = [fact for fact in _facts(original, original + "\n" + context) if not _contains_fact(resolved, fact)]
    if missing:
        return f"{_fact_list(missing)} of the original is missing"
    if len(_NEGATION.findall(resolved)) < len(_NEGATION.findall(original)):
        return "a negation of the original is missing"
    resolved_stems = {word[:_STEM_CHARS] for word in _content_words(resolved)}
    words = [word for word in _content_words(original) if not _REFERENCE.fullmatch(word)]
    if 2 * sum(word[:_STEM_CHARS] in resolved_stems for word in words) < len(words):
        return "it says something else than the original"
    return ""


def _new_facts(resolved: str, original: str, context: str) -> str:
    """Return a message about facts that nobody stated."""
    sources = f"{original}\n{context}"
    added = [fact for fact in _facts(resolved, sources) if not _contains_fact(sources, fact)]
    if added:
        return f"{_fact_list(added)} occurs neither in the original nor in the messages before it"
    if _NEGATION.search(resolved) and not _NEGATION.search(sources):
        return "a negation was added"
    stated = {word[:_STEM_CHARS] for word in _content_words(sources)}
    words = [word for word in _content_words(resolved) if word not in _SPEAKER_NAMES]
    if 2 * sum(word[:_STEM_CHARS] not in stated for word in words) > len(words):
        return "most of its words occur neither in the original nor in the messages before it"
    return ""


_CHECKS: tuple[_Check, ...] = (_shape_fault, _lost_facts, _new_facts)


def _facts(text: str, named_in: str) -> list[str]:
    """Return the numbers, identifiers, quoted strings and names of a text, in order. A word at the beginning of a
    sentence counts as a name only if it looks like one, or is one elsewhere in `named_in`."""
    names = []
    elsewhere: set[str] = set()
    for match in _WORD.finditer(named_in):
        if match[0][0].isupper() and not _begins_sentence(named_in, match.start()):
            elsewhere.add(match[0])
    for match in _WORD.finditer(text):
        word = match[0]
        if not word[0].isupper() or word.lower() in _SPEAKER_NAMES or _NEGATION.search(word):
            continue
        inner = sum(map(str.isupper, word)) > 1
        if inner or word in elsewhere or not _begins_sentence(text, match.start()):
            names.append(word)
    facts = {*_NUMBER.findall(text), *identifiers(text), *quoted_strings(text), *names}
    return sorted(facts, key=lambda fact: (text.find(fact), fact))


def _begins_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - 12) : position].rpartition("\n")[2]
    return not position or _SENTENCE_START.search(before) is not None


def _contains_fact(text: str, fact: str) -> bool:
    """Return whether a text contains a fact as a whole word, ignoring case, genitive and plural."""
    core = re.sub(r"(?:['’]s|s)$", "", fact) if fact.isascii() and len(fact) > 3 else fact
    return re.search(rf"(?<!\w){re.escape(core)}(?:['’]s|s|es)?(?!\w)", text, re.IGNORECASE) is not None


def _content_words(text: str) -> list[str]:
    """Return the words long enough to carry meaning, in scripts with blanks between words."""
    return [word for word in map(str.lower, _WORD.findall(text)) if len(word) >= _STEM_CHARS and word[0] < _NO_BLANKS]


def _fact_list(facts: list[str]) -> str:
    more = f" and {len(facts) - 3} more" if len(facts) > 3 else ""
    return ", ".join(f"{fact[:40]!r}" for fact in facts[:3]) + more
