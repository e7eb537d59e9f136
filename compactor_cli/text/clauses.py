"""A text as its sentences with their places, code and pasted text included: nothing but blanks is between them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from compactor_cli.text.patterns import compiled_later

_END = compiled_later(r"""[.!?…]+["')\]”’»]*\s+(?![a-zà-öø-ÿ])|[。！？；]+[」』”]*\s*""")
"""Between two sentences of a line: what goes on in small letters was an abbreviation."""
_FENCE = compiled_later(r"\s*(?:```|~~~)")
_TAG = compiled_later(r"\s*<(/?)([A-Za-z][\w-]*)[^<>]*>\s*$")
_PASTED_LINE = compiled_later(r"\s*(?:[|>#]|\d+[→:|]|[-=_*]{3,}|at \S+\(|[{}\[\]])|(?: {4}|\t)")
_LIST = compiled_later(r"\s*(?:[-*+•]|\d+[.)])\s")
_LONG = 1_200
"""Characters from which on a text may hold something that was pasted."""
_LONGEST, _PIECE = 1_000, 200
"""Characters of a sentence from which on it is none, and of the pieces that it falls into."""
_RUN = 8
"""Lines without a break that are rather pasted than typed."""
_LEAD = 4
"""Lines at the start of such a run that may say what follows."""

Place = Literal["asked", "middle", "pasted"]


class Clause(Struct, frozen=True):
    """One sentence, or one line of code: `start` and `end` are characters of the whole text."""

    text: str
    start: int
    end: int
    place: Place = "asked"
    """In a long text: `pasted` in code, tables, headings and long runs of lines; `middle` between the first and
    the last paragraph of the others."""


def split_clauses(text: str) -> list[Clause]:
    """The sentences of a text in order."""
    lines = list(_lines(text))
    bare_lines = [line for _, line in lines]
    places: list[Place] = _places(bare_lines) if len(text) >= _LONG else ["asked" for _ in lines]
    found: list[Clause] = []
    for (start, line), place in zip(lines, places, strict=True):
        at = 0
        ends = [*(match.end() for match in _END.finditer(line)), len(line)] if place != "pasted" else [len(line)]
        for end in ends:
            piece = line[at:end]
            bare = piece.strip()
            if bare:
                begin = start + at + len(piece) - len(piece.lstrip())
                found += _pieces(Clause(bare, begin, begin + len(bare), place))
            at = end
    return found


def _pieces(clause: Clause) -> Iterator[Clause]:
    """Yield what is too long for a sentence in pieces, cut between words; only its ends are not pasted."""
    if len(clause.text) <= _LONGEST:
        yield clause
        return
    at = 0
    while at < len(clause.text):
        end = clause.text.rfind(" ", at + 1, at + _PIECE)
        end = end if end > 0 else at + _PIECE
        text = clause.text[at:end].strip()
        begin = clause.start + at + len(clause.text[at:end]) - len(clause.text[at:end].lstrip())
        place: Place = clause.place if at == 0 or end >= len(clause.text) - 1 else "pasted"
        if text:
            yield Clause(text, begin, begin + len(text), place)
        at = end


def _lines(text: str) -> Iterator[tuple[int, str]]:
    at = 0
    for line in text.split("\n"):
        yield at, line
        at += len(line) + 1


def _places(lines: list[str]) -> list[Place]:
    """Return where each line of a long text stands: in something pasted, or in what is said about it."""
    pasted = [bool(_PASTED_LINE.match(line)) for line in lines]
    fenced, tag = False, ""
    for at, line in enumerate(lines):
        fence, mark = _FENCE.match(line), _TAG.match(line)
        if mark and not fenced and not mark.group(1) and not tag:
            tag = mark.group(2)
        pasted[at] = pasted[at] or fenced or fence is not None or bool(tag)
        if fence:
            fenced = not fenced
        if mark and mark.group(1) and mark.group(2) == tag:
            tag = ""
    for first, last in _runs(lines):
        listed = sum(bool(_LIST.match(line)) for line in lines[first:last])
        if last - first >= _RUN or listed >= _RUN:
            begin, end = _pasted_lines(lines, first, last, pasted)
            pasted[begin:end] = [True] * (end - begin)
    said = [run for run in _runs(lines) if not all(pasted[run[0] : run[1]])]
    places: list[Place] = ["pasted" if is_pasted else "middle" for is_pasted in pasted]
    for first, last in {said[0], said[-1]} if said else ():
        for at in range(first, last):
            places[at] = "asked" if not pasted[at] else "pasted"
    return places


def _pasted_lines(lines: list[str], first: int, last: int, pasted: list[bool]) -> tuple[int, int]:
    """Return which lines of a run are pasted: not those up to a colon that say what follows, nor a question at the
    end."""
    begin, end = first, last
    for at in range(first, min(first + _LEAD, last)):
        if pasted[at]:
            break
        if lines[at].rstrip().endswith((":", "：")):
            begin = at + 1
            break
    if not pasted[last - 1] and lines[last - 1].rstrip().endswith(("?", "？")):
        end = last - 1
    return begin, end


def _runs(lines: list[str]) -> list[tuple[int, int]]:
    """Stretches of lines between empty ones."""
    found: list[tuple[int, int]] = []
    begin = None
    for at, line in enumerate([*lines, ""]):
        if line.strip():
            begin = at if begin is None else begin
        elif begin is not None:
            found.append((begin, at))
            begin = None
    return found
