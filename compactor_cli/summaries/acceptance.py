"""Decide whether a model's answer is accepted as a summary, and split it by its headings: it must have the form that
was asked for, and its names and quotes must occur in the messages that it is about."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import ModelAnswer
from compactor_cli.model.message import Message
from compactor_cli.text.clean import plain
from compactor_cli.text.identifiers import identifiers, unescape

_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+(?P<marked>.+?)\s*#*|\*\*(?P<bold>[^*]+)\*\*:?)\s*$")
_BULLETS = ("- ", "* ", "• ")
_INLINE_HEADING = re.compile(r"^\s{0,3}(?:\d+[.)]\s*)?\*\*(?P<title>[^*]+)\*\*:?(?P<rest>.*)$")
_LIST_NUMBER = re.compile(r"^\d+[.)]\s*")
_TOOL_CALL = re.compile(
    r"<\|?/?(?:tool_call|function_calls?|invoke)|\A\s*\{\s*\"(?:name|tool|function|tool_calls)\"\s*:"
)
_MARKS = re.compile(r"</?(?:message|call|result|summary)\b", re.IGNORECASE)
_EMPTY_BODIES = frozenset(("", "none", "n/a", "nothing", "-", "not applicable", "nothing to report"))
_MAX_PREAMBLE_CHARS = 200
_FENCE = re.compile(r"\A[^`]{0,200}```[a-z]*\n(.*)\n```\Z", re.DOTALL)
_REASONING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL | re.IGNORECASE)
_TODO_TITLE = re.compile(r"pending|next|open|unresolved|active|current", re.IGNORECASE)
_ASKING_WORDS = re.compile(
    r"\b(?:next|pending|to-?do|run|execute|install|open|send|delete|must|should|need)\b", re.IGNORECASE
)
_COMMAND_START = re.compile(r"(?:[A-Z_][A-Z0-9_]*=\S* )?[a-z.~/$][\w.+/~-]* (?!:)")
_COMMAND_SIGNS = re.compile(r"[|;&<>$`=]|\s(?:-|\S*[./])")
_FETCHING_WORDS = re.compile(r"\b(?:curl|wget|download|fetch|visit|browse)\b", re.IGNORECASE)
_COMMAND = re.compile(r"`([^`\n]+ [^`\n]+)`|(https?://[^\s)>\]`\"']+)")
_MAX_NAMES = 3
_QUOTE = re.compile(r"`([^`\n]*)`|\"([^\"\n]*)\"|“([^”\n]*)”")
_BLANKS = re.compile(r"\s+")
_ELLIPSIS = re.compile(r"…|\.\.\.+")
_END_CHARS = " .,;:!?'"
_MIN_QUOTE_CHARS = 3
_WORD_PAIR = re.compile(r"[a-z]+/[a-z]+|[A-Z]+/[A-Z]+")
_COUNTED = re.compile(r"100%|\d+(?:st|nd|rd|th)|\d+-[a-z]+|[a-z]+-\d+|\d+(?:\.\d+)?/\d+(?:\.\d+)?")
"""Numbers in words that the summary may coin: a 20-line helper, the 3rd attempt, 48/48."""
_LINE_SUFFIX = re.compile(r"(?::\d+(?:[:-]\d+)?|#L\d+(?:-L?\d+)?)$")
_CALL_SUFFIX = re.compile(r"\([^()]*\)$")
_MEMBER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*\.(?:\w{5,}|\w*[_A-Z]\w*)")


class SummaryRules(Struct, frozen=True):
    """The requirements for a summary."""

    titles: tuple[str, ...]
    """Headings; if empty, the summary is bullets without headings."""
    optional: frozenset[str]
    limit: int
    replaced_tokens: int
    source: Grounding


class JudgedAnswer(Struct, frozen=True):
    """The sections of an accepted answer by heading, or the reason for rejecting it."""

    sections: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    failed: bool = False
    """Whether there was no answer at all; the request has already been retried."""

    @property
    def text(self) -> str:
        return "\n".join(f"### {title}\n{body}" if title else body for title, body in self.sections)


def judge_answer(answer: ModelAnswer, rules: SummaryRules, count: Callable[[str], int]) -> JudgedAnswer:
    """Return the sections of an answer, or the reason why it is rejected."""
    text = _REASONING.sub("", plain(answer.text)).strip()
    reason = _form_fault(answer, text, rules.source)
    if reason:
        return JudgedAnswer(reason=reason)
    fenced = _FENCE.match(text)
    verdict = _split_sections(fenced.group(1) if fenced else text, rules.titles)
    if verdict.reason:
        return verdict
    missing = [title for title in rules.titles if title not in {*rules.optional, *dict(verdict.sections)}]
    if missing:
        return JudgedAnswer(reason=f'the heading "{missing[0]}" is missing')
    kept = tuple((title, body) for title, body in verdict.sections if body)
    if not kept:
        return JudgedAnswer(reason="there is nothing under its headings")
    tokens = count(replace(verdict, sections=kept).text)
    if tokens > rules.limit:
        return JudgedAnswer(reason=f"it has {tokens:,} tokens; at most {rules.limit:,} are allowed")
    if tokens >= rules.replaced_tokens:
        return JudgedAnswer(reason=f"it is not smaller than the {rules.replaced_tokens:,} tokens that it stands for")
    return _check_grounding(kept, rules.source)


def _form_fault(answer: ModelAnswer, text: str, source: Grounding) -> str:
    """Return what is wrong with an answer's form, regardless of its contents."""
    if answer.finish == "tool" or _TOOL_CALL.search(text):
        return "it calls a tool"
    if not text:
        return "it is empty"
    if answer.finish != "stop":
        return "it was cut off" if answer.finish == "length" else "it did not come to its end"
    has_marks = any(not source.contains(mark[0]) for mark in _MARKS.finditer(text))
    return "it repeats the marks around the messages" if has_marks else ""


def _split_sections(text: str, titles: Sequence[str]) -> JudgedAnswer:
    """Return the texts under the requested headings, in the requested order."""
    if not titles:
        return JudgedAnswer((("", _clean_body(text)),))
    known = {_title_key(title): title for title in titles}
    bodies: dict[str, list[str]] = {}
    preamble: list[str] = []
    current = preamble
    for line in text.splitlines():
        title, remainder = _heading(line, known)
        if title:
            current = bodies.setdefault(title, [])
            current += [remainder] if remainder else []
        elif not (current is preamble and _HEADING.match(line)):
            current.append(line)
    if bodies and len("\n".join(preamble).strip()) > _MAX_PREAMBLE_CHARS:
        return JudgedAnswer(reason="there is text before its first heading")
    return JudgedAnswer(tuple((title, _clean_body("\n".join(bodies[title]))) for title in titles if title in bodies))


def _heading(line: str, known: Mapping[str, str]) -> tuple[str, str]:
    """Return the requested heading that a line contains, and the rest of the line."""
    title = known.get(_title_key(line.strip().lstrip("#")), "")
    if title and not line.lstrip().startswith(_BULLETS):
        return title, ""
    match = _INLINE_HEADING.match(line)
    return (known.get(_title_key(match["title"]), ""), match["rest"].strip()) if match else ("", "")


def _title_key(title: str) -> str:
    """Return a heading without its number and punctuation, which models vary."""
    name = _LIST_NUMBER.sub("", title.strip().strip("*")).replace("&", " and ")
    return " ".join(re.sub(r"[^\w\s]", " ", name).casefold().split())


def _clean_body(text: str) -> str:
    """Return a text without headings and empty lines; empty if it only says that there is nothing."""
    lines = []
    for line in text.splitlines():
        heading = _HEADING.match(line)
        cleaned = f"**{(heading['marked'] or heading['bold']).strip('*')}**" if heading else line.rstrip()
        if cleaned.strip():
            lines.append(cleaned)
    body = "\n".join(lines)
    return "" if re.sub(r"[\s.()*_-]+", " ", body).strip().casefold() in _EMPTY_BODIES else body


def _check_grounding(sections: tuple[tuple[str, str], ...], source: Grounding) -> JudgedAnswer:
    """Return the sections if everything in them occurs in the source."""
    foreign = ungrounded("\n".join(body for _, body in sections), source)
    if foreign:
        listed = ", ".join(foreign[:_MAX_NAMES])
        return JudgedAnswer(reason=f"it names what does not occur in the messages: {listed}")
    for title, body in sections:
        for line in body.splitlines():
            planted = _planted_order(line, source, to_do=_TODO_TITLE.search(title) is not None)
            if planted:
                return JudgedAnswer(reason=f"it asks for what only the output of a tool says: {planted}")
    return JudgedAnswer(sections)


def _planted_order(line: str, source: Grounding, *, to_do: bool) -> str:
    """Return what a line asks for although only tool output, which may be planted, says it."""
    orders = []
    words = _COMMAND.sub("", line)
    asks = _ASKING_WORDS.search(words) is not None
    for match in _COMMAND.finditer(line) if to_do or asks else ():
        command = (match.group(1) or match.group(2).rstrip(".,;:!?")).strip()
        if match.group(2) or (_COMMAND_START.match(command) and (asks or _COMMAND_SIGNS.search(command))):
            orders.append(command)
    if _FETCHING_WORDS.search(words):
        orders += sorted(identifiers(words))
    return next((order for order in orders if not source.was_said(order)), "")


class Grounding(Struct, frozen=True, dict=True):
    """The sources of a summary."""

    messages: Sequence[Message]
    earlier: tuple[str, ...] = ()

    def contains(self, words: str) -> bool:
        """Return whether the words occur, ignoring case and differences in white space."""
        return _normalize(words) in self._all_text

    def was_said(self, words: str) -> bool:
        """Return whether the user or the assistant said the words, in prose or in a call."""
        return _normalize(words) in self._said_text

    @cached_property
    def _all_text(self) -> str:
        return _normalize_all([*self.earlier, *(part.text for message in self.messages for part in message.parts)])

    @cached_property
    def _said_text(self) -> str:
        texts = (
            part.text
            for message in self.messages
            if message.origin != "injected"
            for part in message.parts
            if part.kind == "tool_call" or (part.kind == "text" and message.role != "tool")
        )
        return _normalize_all([*self.earlier, *texts])


def ungrounded(text: str, source: Grounding) -> list[str]:
    """Return the quotes and identifiers of a text that do not occur in its source, in a fixed order."""
    foreign = [quote for quote in _quotes(text) if not _quote_occurs(quote, source)]
    covered = " ".join(foreign)
    names = sorted(name for name in identifiers(text) if name not in covered and not _name_occurs(name, source))
    return [*dict.fromkeys(foreign), *names]


def _quotes(text: str) -> Iterable[str]:
    for match in _QUOTE.finditer(text):
        quote = next(group for group in match.groups() if group is not None).strip(_END_CHARS)
        if len(quote) >= _MIN_QUOTE_CHARS and not quote.isalpha():
            yield quote


def _quote_occurs(quote: str, source: Grounding) -> bool:
    """Return whether a quote occurs, in pieces if it has an ellipsis, or as a name in another spelling."""
    pieces = [piece.strip(_END_CHARS) for piece in _ELLIPSIS.split(quote)]
    if all(source.contains(piece) for piece in pieces if len(piece) >= _MIN_QUOTE_CHARS):
        return True
    return " " not in quote and _name_occurs(quote, source)


def _name_occurs(name: str, source: Grounding) -> bool:
    """Return whether a name occurs, or is formed from one that does, such as a plural, a call or a member."""
    for spelling in dict.fromkeys((name, _LINE_SUFFIX.sub("", _CALL_SUFFIX.sub("", name)).removeprefix("./"))):
        if (
            source.contains(spelling)
            or (spelling.endswith("s") and source.contains(spelling[:-1]))
            or _WORD_PAIR.fullmatch(spelling)
            or _COUNTED.fullmatch(spelling)
        ):
            return True
        if _MEMBER.fullmatch(spelling):
            return all(map(source.contains, spelling.split(".")))
        if spelling.startswith(("/", "~")):
            slashes = (index for index, letter in enumerate(spelling) if letter == "/" and index)
            if any(source.contains(spelling[:index]) and source.contains(spelling[index + 1 :]) for index in slashes):
                return True
    return False


def _normalize(text: str) -> str:
    return _BLANKS.sub(" ", text).strip().lower()


def _normalize_all(texts: Iterable[str]) -> str:
    return _normalize("\n".join(unescape(text) for text in texts))
