"""Make statements self-contained: find pronouns and references, replace them by what they refer to (seed 003), and
check that nothing else changed."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from compactor_cli.asking.answers import Question, RejectedError, ask_checked, estimate_tokens, read_json
from compactor_cli.asking.fence import fenced
from compactor_cli.asking.port import LanguageModel, ModelRequest, Turn
from compactor_cli.asking.prompt_files import read_prompt_file as read_prompt
from compactor_cli.model.message import Message
from compactor_cli.text.clean import one_line, plain
from compactor_cli.text.identifiers import identifiers, quoted_strings
from compactor_cli.text.shorten import shorten_prose

_prompt = partial(read_prompt, "compactor_cli.memory")

MAX_TURNS = 6
"""Number of turns before a statement that may show what it refers to (seed 003)."""
_TURN_LIMITS = (1_000, 500, 200)
"""Maximum characters of a turn that are sent; the first limit that fits the model is used."""
_MAX_STATEMENT_CHARS = 500
_ANSWER_TOKENS = 60
"""Tokens of an answer in addition to the statement."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["statement"],
    "properties": {"statement": {"type": "string"}},
}
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


class DependentLine(Struct, frozen=True):
    """A statement to be made self-contained, and the messages before it, in order."""

    text: str
    context: Sequence[Message]
    speaker: str = ""
    lead: str = ""
    """What the same message says before the statement."""


class Resolved(Struct, frozen=True):
    """A statement, self-contained as far as possible."""

    text: str
    original: str
    changed: bool
    reason: str
    """What was done, or why nothing was done, in words for people."""


def statements_of(messages: Sequence[Message], indices: Iterable[int]) -> tuple[DependentLine, ...]:
    """Return a line of at most 500 characters per message, each with the last six turns that contain speech."""
    spoken = [m for m in messages if _is_spoken(m)]
    places = [m.index for m in spoken]
    statements = []
    for message in (messages[i] for i in indices):
        position = bisect_left(places, message.index)
        before = tuple(spoken[max(0, position - MAX_TURNS) : position])
        statements.append(DependentLine(one_line(message.text("text"), _MAX_STATEMENT_CHARS), before, message.role))
    return tuple(statements)


def decontextualize(statements: Sequence[DependentLine], model: LanguageModel) -> tuple[Resolved, ...]:
    """Return the statements in order, resolved where possible. Self-contained statements are not sent. A statement
    stays unchanged if the model fails or resolves it wrongly twice. Raises ModelError if fallback is not allowed."""
    resolved = {
        index: Resolved(statement.text, statement.text, False, why)
        for index, statement in enumerate(statements)
        if (why := _unchanged_reason(statement))
    }
    open_ones = [index for index in range(len(statements)) if index not in resolved]
    questions = [
        Question(_make_request(statements[index], model), partial(_read_statement, statements[index]))
        for index in open_ones
    ]
    unresolved: dict[str, int] = {}
    for index, answer in zip(open_ones, ask_checked(model, questions), strict=True):
        text = statements[index].text
        if answer.value is None:
            unresolved[answer.why] = unresolved.get(answer.why, 0) + 1
            resolved[index] = Resolved(text, text, False, f"not resolved: {answer.why}")
        elif answer.value == text:
            resolved[index] = Resolved(text, text, False, "nothing before it says what it refers to")
        else:
            resolved[index] = Resolved(answer.value, text, True, "references resolved")
    for why, count in unresolved.items():
        model.give_up(f"resolution of {count} statement{'s' * (count > 1)}", why)
    return tuple(resolved[index] for index in range(len(statements)))


def _is_spoken(message: Message) -> bool:
    """Return whether somebody speaks in this turn, as opposed to tool output and injected text."""
    if message.role not in ("user", "assistant") or message.origin not in ("request", "other"):
        return False
    return bool(message.text("text").strip())


def _unchanged_reason(statement: DependentLine) -> str:
    """Return why a statement needs no model; empty if it needs one."""
    if not refers_back(statement.text):
        return "stands alone"
    before = statement.lead or any(map(_is_spoken, statement.context))
    return "" if before else "nothing was said before it"


def _make_request(statement: DependentLine, model: LanguageModel) -> ModelRequest:
    """Return a request with the statement, preceded by as much of the earlier turns as the model can take."""
    system, directive = _prompt("decontextualize"), _prompt("directive")
    fenced_statement = fenced("statement", statement.text, **{"from": statement.speaker})
    answer_tokens = _ANSWER_TOKENS + 3 * estimate_tokens(statement.text)
    context_tokens = model.context_limit - answer_tokens - estimate_tokens(system + directive + fenced_statement)
    turns: list[str] = []
    for cut in _TURN_LIMITS:
        turns = [_turn(message.role, message.text("text"), cut) for message in _context_turns(statement)]
        turns += [_turn(statement.speaker, statement.lead, cut)] if statement.lead else []
        if sum(map(estimate_tokens, turns)) <= context_tokens:
            break
    data = "\n".join((*turns, fenced_statement))
    purpose = f"resolution of “{one_line(statement.text, 40)}”"
    return ModelRequest(purpose, system, (Turn("user", f"{data}\n\n{directive}"),), answer_tokens, _SCHEMA)


def _context_turns(statement: DependentLine) -> list[Message]:
    return [message for message in statement.context if _is_spoken(message)][-MAX_TURNS:]


def _turn(role: str, words: str, cut: int) -> str:
    text = plain(words).strip()
    short = text if len(text) <= cut else shorten_prose(text, len(text), cut, len).text
    return fenced("message", short, **{"from": role})


def _read_statement(statement: DependentLine, text: str) -> str:
    """Return the statement in an answer. Raises RejectedError if its meaning is no longer that of the original."""
    resolved = plain(str(read_json(text, _SCHEMA)["statement"])).strip()
    if " ".join(resolved.split()) == " ".join(statement.text.split()):
        return statement.text
    context = "\n".join([*(plain(m.text("text")) for m in _context_turns(statement)), plain(statement.lead)])
    wrong = resolution_fault(resolved, statement.text, context)
    if wrong:
        raise RejectedError(wrong)
    return resolved


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
