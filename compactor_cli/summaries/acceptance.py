"""Whether a model's answer may stand as a summary, and what stands under each of its headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import ModelAnswer
from compactor_cli.summaries.grounding import Grounding, ungrounded
from compactor_cli.text.clean import plain
from compactor_cli.text.identifiers import identifiers

_HEADING = re.compile(r"^\s{0,3}(?:#{1,6}\s+(?P<marked>.+?)\s*#*|\*\*(?P<bold>[^*]+)\*\*:?)\s*$")
_BULLETS = ("- ", "* ", "• ")
_INLINE = re.compile(r"^\s{0,3}(?:\d+[.)]\s*)?\*\*(?P<title>[^*]+)\*\*:?(?P<rest>.*)$")
_NUMBER = re.compile(r"^\d+[.)]\s*")
_TOOL = re.compile(r"<\|?/?(?:tool_call|function_calls?|invoke)|\A\s*\{\s*\"(?:name|tool|function|tool_calls)\"\s*:")
_MARKS = re.compile(r"</?(?:message|call|result|summary)\b", re.IGNORECASE)
_NOTHING = frozenset(("", "none", "n/a", "nothing", "-", "not applicable", "nothing to report"))
_PREAMBLE = 200
"""Characters before the first heading ("Here is the summary:") that are passed over."""
_FENCE = re.compile(r"\A[^`]{0,200}```[a-z]*\n(.*)\n```\Z", re.DOTALL)
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>\s*", re.DOTALL | re.IGNORECASE)
"""What some servers let through of a model's reasoning."""
_NEXT = re.compile(r"pending|next|open|unresolved|active|current", re.IGNORECASE)
"""Headings of what is to be done."""
_ASKS = re.compile(r"\b(?:next|pending|to-?do|run|execute|install|open|send|delete|must|should|need)\b", re.IGNORECASE)
"""Words of a line that may tell somebody to do something."""
_PROGRAM = re.compile(r"(?:[A-Z_][A-Z0-9_]*=\S* )?[a-z.~/$][\w.+/~-]* (?!:)")
_SHELL = re.compile(r"[|;&<>$`=]|\s(?:-|\S*[./])")
"""Of a quote that begins like a command: an option, a path, an address, or a sign of the shell."""
_FETCHES = re.compile(r"\b(?:curl|wget|download|fetch|visit|browse)\b", re.IGNORECASE)
_COMMAND = re.compile(r"`([^`\n]+ [^`\n]+)`|(https?://[^\s)>\]`\"']+)")
_NAMED = 3
"""Of what occurs nowhere, so many are named in the reason."""


class SummaryRules(Struct, frozen=True):
    """What a summary must be."""

    titles: tuple[str, ...]
    """Headings; none: bullets without headings."""
    optional: frozenset[str]
    limit: int
    """Tokens that it may have."""
    replaced: int
    """Tokens of what it stands for."""
    source: Grounding


class Judged(Struct, frozen=True):
    """An accepted answer by its headings (one without a heading when none were wanted), or why it is not."""

    sections: tuple[tuple[str, str], ...] = ()
    reason: str = ""
    failed: bool = False
    """There was no answer at all: asking again has been tried."""

    @property
    def text(self) -> str:
        return "\n".join(f"### {title}\n{body}" if title else body for title, body in self.sections)


def judge(answer: ModelAnswer, wanted: SummaryRules, count: Callable[[str], int]) -> Judged:
    """The sections of an answer, or the reason why it cannot stand."""
    text = _THOUGHT.sub("", plain(answer.text)).strip()
    reason = _formal(answer, text, wanted.source)
    if reason:
        return Judged(reason=reason)
    fenced = _FENCE.match(text)
    found = _sections(fenced.group(1) if fenced else text, wanted.titles)
    if found.reason:
        return found
    missing = [t for t in wanted.titles if t not in wanted.optional and t not in dict(found.sections)]
    if missing:
        return Judged(reason=f'the heading "{missing[0]}" is missing')
    kept = tuple((title, body) for title, body in found.sections if body)
    if not kept:
        return Judged(reason="there is nothing under its headings")
    tokens = count(replace(found, sections=kept).text)
    if tokens > wanted.limit:
        return Judged(reason=f"it has {tokens:,} tokens; at most {wanted.limit:,} are allowed")
    if tokens >= wanted.replaced:
        return Judged(reason=f"it is not smaller than the {wanted.replaced:,} tokens that it stands for")
    return _grounded(kept, wanted.source)


def _formal(answer: ModelAnswer, text: str, source: Grounding) -> str:
    """Return what is wrong with an answer whatever it says."""
    if answer.finish == "tool" or _TOOL.search(text):
        return "it calls a tool"
    if not text:
        return "it is empty"
    if answer.finish != "stop":
        return "it was cut off" if answer.finish == "length" else "it did not come to its end"
    marked = any(not source.has(mark[0]) for mark in _MARKS.finditer(text))
    return "it repeats the marks around the messages" if marked else ""


def _sections(text: str, titles: Sequence[str]) -> Judged:
    """The texts under the wanted headings, in the order in which they were wanted."""
    if not titles:
        return Judged((("", _body(text)),))
    known = {_key(title): title for title in titles}
    bodies: dict[str, list[str]] = {}
    before: list[str] = []
    under = before
    for line in text.splitlines():
        title, rest = _heading(line, known)
        if title:
            under = bodies.setdefault(title, [])
            under += [rest] if rest else []
        elif not (under is before and _HEADING.match(line)):
            under.append(line)
    if bodies and len("\n".join(before).strip()) > _PREAMBLE:
        return Judged(reason="there is text before its first heading")
    return Judged(tuple((title, _body("\n".join(bodies[title]))) for title in titles if title in bodies))


def _heading(line: str, known: Mapping[str, str]) -> tuple[str, str]:
    """The wanted heading that a line is, and what stands behind it on the same line; empty when it is none."""
    title = known.get(_key(line.strip().lstrip("#")), "")
    if title and not line.lstrip().startswith(_BULLETS):
        return title, ""
    said = _INLINE.match(line)
    return (known.get(_key(said["title"]), ""), said["rest"].strip()) if said else ("", "")


def _key(title: str) -> str:
    """A heading without number and punctuation: models vary those."""
    bare = _NUMBER.sub("", title.strip().strip("*")).replace("&", " and ")
    return " ".join(re.sub(r"[^\w\s]", " ", bare).casefold().split())


def _body(text: str) -> str:
    """Text that can stand under a heading: no headings of its own, no empty lines, and nothing when it says so."""
    lines = []
    for line in text.splitlines():
        heading = _HEADING.match(line)
        said = f"**{(heading['marked'] or heading['bold']).strip('*')}**" if heading else line.rstrip()
        if said.strip():
            lines.append(said)
    body = "\n".join(lines)
    return "" if re.sub(r"[\s.()*_-]+", " ", body).strip().casefold() in _NOTHING else body


def _grounded(sections: tuple[tuple[str, str], ...], source: Grounding) -> Judged:
    """The sections when everything in them occurs in what they summarize."""
    foreign = ungrounded("\n".join(body for _, body in sections), source)
    if foreign:
        named = ", ".join(foreign[:_NAMED])
        return Judged(reason=f"it names what does not occur in the messages: {named}")
    for title, body in sections:
        for line in body.splitlines():
            planted = _planted(line, source, to_do=_NEXT.search(title) is not None)
            if planted:
                return Judged(reason=f"it asks for what only the output of a tool says: {planted}")
    return Judged(sections)


def _planted(line: str, source: Grounding, *, to_do: bool) -> str:
    """Return what a line asks for that neither user nor assistant said: orders are planted in the output of tools."""
    asked = []
    words = _COMMAND.sub("", line)
    tells = _ASKS.search(words) is not None
    for match in _COMMAND.finditer(line) if to_do or tells else ():
        command = (match.group(1) or match.group(2).rstrip(".,;:!?")).strip()
        if match.group(2) or (_PROGRAM.match(command) and (tells or _SHELL.search(command))):
            asked.append(command)
    if _FETCHES.search(words):
        asked += sorted(identifiers(words))
    return next((each for each in asked if not source.was_said(each)), "")
