"""A text as the smallest pieces that can be quoted alone: lines taken together, sentences, members of JSON.

Short neighbouring lines make one unit, as long prose is cut between sentences. JSON is cut between the members
of an object or list, so that no unit begins in one object and ends in another.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from itertools import islice, pairwise

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.text.clauses import split_clauses
from compactor_cli.text.escapes import Place
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.points import ends_none

_TOGETHER = 80
"""Characters up to which neighbouring lines are taken together."""
_LONG = 150
"""Characters above which a dense line is cut."""
_MEMBERS = 80
"""Characters up to which members of JSON are taken together, and above which one is taken apart."""
_OBJECT = 120
"""Characters up to which an object in a list stays whole."""
_INDENT = 80
"""Blanks at most between an object and what stands before it."""
_FIRST, _SHORT, _PATH = 3, 60, 140
"""Which of the first members of an object can say which one it is, and characters of it at most: of a member, and of
the path of a file."""
_LONG_PROSE = 220
_UNBROKEN = 2_000
"""Characters without a break from which on they are data that nobody reads, and are cut by force."""
_SHORTEST, _TOLD = 20, 60
"""Characters of a long first argument that say which call it is: at least before a blank, and at most."""
_BREAKS = ("},", "],", ", ", ",", ";", " ")
"""Where dense text is cut, the best place first."""
_STRUCTURE = compiled_later(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)
_OPENED = compiled_later(r"\s*[\[(][\w -]{1,20}[:=][ ]?$")
"""A bracket with a key at the end of a piece, such as `[url: `: it goes with its value."""
_SENTENCE_END = compiled_later(r"""[.!?;](?:\*\*|[*_"')\]])? """)
_LONG_ARGUMENT = compiled_later(r'"[\w-]+"\s*:\s*"([^"\\\n]*(?:\\[^n][^"\\\n]*)*)')
"""A member of JSON that is a text, up to the end of its first line."""
_FOUND = compiled_later(r"[\w@~.][\w@./+-]*[./][\w@./+-]*[:-]\d+[:-]|/[\w@./+ -]+[:-]\d+[:-]")
"""The path of a file and the number of a line, which searches put before what they found."""
_KEY = compiled_later(r'"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:)')
_RANK = compiled_later(r'"[^"\\]*"\s*:\s*\d{1,4}')
_ADDRESS = compiled_later(r'[^{}\[\]]*?("[^"\\]*"\s*:\s*"https?://[^"\\\s]{1,140}")')
_TOKEN = compiled_later(r"[!-~]+")
"""What has no blank in it."""
_LINE_NUMBER = compiled_later(r"[ \t]*L?\d+(?:→|\t|-|(?: ?\||:)(?=[ \t]*[^\s\d]))")
"""The number of a line of a file, before what stands on it."""
_SPACE = " \t\r\n"


def line_units(text: str, *, apart: bool = False, noise: frozenset[int] = frozenset()) -> Iterator[tuple[int, int]]:
    """Yield where units of a text that is no JSON begin and end, without the blanks around them. `apart`: no lines are
    taken together. `noise`: numbers of lines that are taken together with their like only."""
    start = end = -1
    offset, noisy = 0, False
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        size = len(bare)
        begin = offset if size == len(line) else offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
        was_noisy, noisy = noisy, number in noise
        if bare and start >= 0 and not apart and begin + size - start <= _TOGETHER and was_noisy == noisy:
            end = begin + size
            continue
        if start >= 0:
            yield start, end
        start = -1
        if size > _LONG and not _is_found(bare):
            yield from _pieces(bare, begin)
        elif bare:
            start, end = begin, begin + size
    if start >= 0:
        yield start, end


def _is_found(line: str) -> bool:
    """Return whether a line is what a search found in a file: it is as long as what stands behind the path is."""
    place = _FOUND.match(line) if len(line) <= _LONG_PROSE else None
    return place is not None and len(line) - place.end() <= _LONG


def has_words(line: str) -> bool:
    """Return whether a line has a letter or a digit besides the number that stands before it."""
    number = _LINE_NUMBER.match(line)
    return any(map(str.isalnum, line[number.end() :] if number else line))


def clause_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences, in pieces where they are long."""
    for clause in split_clauses(text):
        if len(clause.text) > 2 * _LONG_PROSE:
            yield from _pieces(clause.text, clause.start)
        else:
            yield clause.start, clause.end


def _pieces(line: str, offset: int) -> Iterator[tuple[int, int]]:
    """Yield a long line in pieces."""
    prose = line.count(" ") > len(line) / 9
    if prose and len(line) <= _LONG_PROSE:
        yield offset, offset + len(line)
        return
    cuts = [0, *(_sentence_cuts(line) if prose else _dense_cuts(line, 0, len(line), _LONG)), len(line)]
    for start, end in pairwise(cuts):
        cuts_inside = _dense_cuts(line, start, end, _LONG_PROSE) if end - start > _LONG_PROSE else ()
        for first, last in pairwise([start, *cuts_inside, end]):
            bare = line[first:last].strip()
            if bare:
                begin = first + line[first:last].index(bare[0])
                yield offset + begin, offset + begin + len(bare)


def _sentence_cuts(line: str) -> Iterator[int]:
    """Yield the ends of sentences, with short ones left together."""
    start = 0
    for match in _SENTENCE_END.finditer(line):
        if match.end() - start > 41 and not (match[0] == ". " and ends_none(line, match.start())):
            start = match.end()
            yield start


def _dense_cuts(line: str, start: int, end: int, longest: int) -> Iterator[int]:
    """Yield where to cut text so that pieces are no longer than `longest` characters, or longer where a long name, a
    key or a number would be cut in two: half of one passes for another."""
    while end - start > longest:
        far = min(end, start + _LONG_PROSE)
        cut = _break_before(line, start + longest // 3, start + longest)
        cut = cut or _break_behind(line, start + longest, far) or _token_end(line, start, far, end)
        opened = _OPENED.search(line, max(start + 1, cut - _SHORT), cut)
        cut = opened.start() if opened else cut
        if cut < end:
            yield cut
        start = cut


def _token_end(line: str, start: int, place: int, end: int) -> int:
    """Return where what stands at a place ends, where that is a key, a number or another run of letters and signs, no
    part of which was cut off at `start`; else the place."""
    if place == end or (start and _TOKEN.match(line, start - 1, start + 1) and line[start - 1] not in ",;"):
        return place
    most = min(end, place + _UNBROKEN)
    token = _TOKEN.match(line, place - 1, most)
    return token.end() if token and place < token.end() and (token.end() < most or most == end) else place


def _break_before(line: str, start: int, end: int) -> int:
    for mark in _BREAKS:
        place = line.rfind(mark, start, end)
        if place >= 0:
            return place + len(mark)
    return 0


def _break_behind(line: str, start: int, end: int) -> int:
    places = [place + 1 for mark in ", ;" if (place := line.find(mark, start, end)) >= 0]
    return min(places, default=0)


# -- JSON


Span = tuple[int, int]
"""Where a piece of a text begins and ends."""


class JsonMember(Struct, frozen=True, gc=False):
    """Members of JSON, side by side or a piece of a long one."""

    start: int
    end: int
    begin: int
    """Where it begins with its key, and with the lists and objects whose first member it is."""
    depth: int
    """How many lists and objects are open there."""
    leads: tuple[Span, ...] = ()
    """What says which object it is a member of, where it is not the first: the first short member of an object in a
    list, and the key of an object in it."""
    usual: bool = False
    """It is told to be usual, and stands with such members only."""


def json_members(
    text: str,
    *,
    named: bool = False,
    usual: Callable[[str], bool] | None = None,
    shown: str = "",
    place: Place | None = None,
) -> list[JsonMember]:
    """Return the members of JSON: neighbours of the same object or list are taken together while they are short, a
    long one is taken apart. Nothing for text that is no JSON as far as its brackets tell. `named`: its first member
    says what it is, as in the arguments of a call. `usual`: whether a member, with its key, is taken together with
    its like only, the first one aside. `shown` and `place`: the text as it is read, and where characters of the
    other stand there; members are told by that."""
    ends = _closed(text) if text.lstrip(_SPACE)[:1] in ("{", "[") else None
    first = len(text) - len(text.lstrip(_SPACE))
    if ends is None or ends.get(first) is None or text[ends[first] + 1 :].strip():
        return []
    result: list[JsonMember] = []
    root = JsonMember(first, ends[first] + 1, first, 0)
    if root.end - root.start <= _MEMBERS:  # most calls
        return [_placed(root, place) if place else root]
    waiting = [(root, 0, _call_leads(text, root, ends) if named else ())]
    while waiting:
        outer, level, leads = waiting.pop()
        size = outer.end - outer.start
        is_whole = size <= _MEMBERS or (size <= _OBJECT and _is_listed(text, outer.start))
        if is_whole or text[outer.start] not in "{[":
            told = _placed(outer, place) if place else outer
            key = _own_key(text, outer) if text[outer.start] in "{[" else -1
            first = told.start if key < 0 else place(key) if place else key
            spans = _value(shown or text, first, told.end)
            shown_before = _placed(replace(outer, leads=leads), place).leads if place else leads
            pieces = [JsonMember(start, end, start, level + 1, shown_before, outer.usual) for start, end in spans]
            if named and level == 1:
                pieces = [*pieces[:1], *_begun(shown or text, pieces)]
            result += _led(pieces, told)
        else:
            runs = _together(text, outer.start, ends, None if level else usual)
            inside = [
                JsonMember(start, end, begin, level + 1, leads, outer.usual or is_usual)
                for start, end, begin, is_usual in runs
            ]
            inner_leads = [_leads(text, m, ends) if text[m.start] in "{[" else leads for m in inside]
            members = zip(_led(inside, outer, text), inner_leads, strict=True)
            waiting += reversed([(member, level + 1, inner) for member, inner in members])
    return result


def _is_listed(text: str, start: int) -> bool:
    """Return whether an object begins there that is a member of a list."""
    return text[start] == "{" and text[max(0, start - _INDENT) : start].rstrip(_SPACE)[-1:] in ("[", ",")


def outer_spans(text: str) -> Iterator[Span]:
    """Yield where the members of an object that a text is begin and end, each with its key. Nothing for other texts."""
    first = len(text) - len(text.lstrip(_SPACE))
    ends = _closed(text) if text[first : first + 1] == "{" else None
    if ends is not None and not text[ends[first] + 1 :].strip():
        yield from ((start, end) for start, end, _ in _children(text, first, ends))


def _placed(member: JsonMember, place: Place) -> JsonMember:
    """Return a member with all its places as they are in the text that is read."""
    leads = tuple((place(start), place(end)) for start, end in member.leads)
    return JsonMember(place(member.start), place(member.end), place(member.begin), member.depth, leads, member.usual)


def _leads(text: str, member: JsonMember, ends: dict[int, int], longest: int = _SHORT) -> tuple[Span, ...]:
    """Return the spans of what says which object the members in `member` stand in, when it is one."""
    if text[member.start] != "{":
        return ()
    if member.begin < member.start:
        return *member.leads[-1:], (member.begin, member.start)
    for number, (start, end, inner) in enumerate(islice(_children(text, member.start, ends), _FIRST)):
        if inner < 0 and end - start <= longest:  # a rank says less than the address behind it
            address = _ADDRESS.match(text, end, ends[member.start]) if _RANK.fullmatch(text, start, end) else None
            return (address.span(1) if address else (start, end),)
        if number == 0 and inner >= 0 and (within := _first_of(text, inner, ends, longest)):
            return (within,)
    return ()


def _first_of(text: str, opening: int, ends: dict[int, int], longest: int) -> Span | None:
    """Return the span of the first member of an object in an object that says which one that is, as the labels of a
    measured value do."""
    for start, end, inner in islice(_children(text, opening, ends), 1 if text[opening] == "{" else 0):
        return (start, end) if inner < 0 and end - start <= longest else None
    return None


def _call_leads(text: str, call: JsonMember, ends: dict[int, int]) -> tuple[Span, ...]:
    """Return the span of what says which call it is: the first words of its first argument, where that is a long text,
    such as a command, or else a short argument."""
    if text[call.start] == "{":
        for start, end, _ in islice(_children(text, call.start, ends), 1):
            if end - start > _PATH and (begins := _beginning(text, start, end)):
                return (begins,)
    return _leads(text, call, ends, _PATH)


def _beginning(text: str, start: int, end: int) -> Span | None:
    """Return the span of the first words of a member that is a long text, without its key."""
    argument = _LONG_ARGUMENT.match(text, start, end)
    begin, close = argument.span(1) if argument else (0, 0)
    if close - begin > _TOLD:
        space = text.rfind(" ", begin + _SHORTEST, begin + _TOLD)
        close = space if space > 0 else begin + _TOLD - (text[begin + _TOLD - 1] == "\\")
    return (begin, close) if close > begin else None


def _begun(text: str, pieces: list[JsonMember]) -> Iterator[JsonMember]:
    """Yield the pieces of a long argument behind its first one, each with the first words of it: they say what the
    argument is, as the first argument says what the call is."""
    begins = _beginning(text, pieces[0].start, pieces[0].end) if len(pieces) > 1 else None
    for piece in pieces[1:]:
        known = begins is None or begins in piece.leads
        yield piece if known else replace(piece, leads=(*piece.leads, begins))


def _led(members: list[JsonMember], outer: JsonMember, text: str = "") -> list[JsonMember]:
    """Begin the first of the members where the list or object around them begins. The key of that says what it is a
    member of where it is shown alone, as it does for the others."""
    if not members:
        return []
    key = _own_key(text, outer)
    leads = (*outer.leads[-1:], (key, outer.start)) if key >= 0 else outer.leads
    return [replace(members[0], begin=outer.begin, depth=outer.depth, leads=leads), *members[1:]]


def _own_key(text: str, member: JsonMember) -> int:
    """Return where the key of a member begins, of those right before it the last; -1 where it has none, or a long
    one."""
    first = max(member.begin, member.start - _SHORT)
    keys = [found.start() for found in _KEY.finditer(text, first, member.start)]
    return keys[-1] if keys and text[first : member.start].rstrip(_SPACE).endswith(":") else -1


@lru_cache(maxsize=2)  # the arguments of a call are asked for twice, one after the other
def _closed(text: str) -> dict[int, int] | None:
    """Return opening bracket -> closing bracket, without those in strings; None when they do not pair."""
    ends: dict[int, int] = {}
    stack: list[int] = []
    for match in _STRUCTURE.finditer(text):
        mark = match[0]
        if mark in "{[":
            stack.append(match.start())
        elif mark in "}]":
            if not stack or text[stack[-1]] + mark not in ("{}", "[]"):
                return None
            ends[stack.pop()] = match.start()
    return None if stack else ends


def _together(
    text: str, opening: int, ends: dict[int, int], usual: Callable[[str], bool] | None = None
) -> Iterator[tuple[int, int, int, bool]]:
    """Yield (start, end, where it begins, whether it is usual) inside a list or object: runs of short members that are
    all usual or all not, and each long value alone, without its key when it is to be taken apart further."""
    begun, last, were_usual = -1, -1, False
    for number, (start, end, inner) in enumerate(_children(text, opening, ends)):
        is_usual = usual is not None and number > 0 and usual(text[start:end])
        if begun >= 0 and end - begun <= _MEMBERS and is_usual == were_usual:
            last = end
            continue
        if begun >= 0:
            yield begun, last, begun, were_usual
        begun, were_usual = -1, is_usual
        if end - start <= _MEMBERS or inner < 0:
            begun, last = start, end
        else:
            yield inner, end, start, is_usual
    if begun >= 0:
        yield begun, last, begun, were_usual


def _children(text: str, opening: int, ends: dict[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, start of the bracketed value or -1) of each member."""
    offset, close = opening + 1, ends[opening]
    start, inner = offset, -1
    while offset <= close:
        match = _STRUCTURE.search(text, offset, close)
        if match is None or match[0] == ",":
            end = match.start() if match else close
            bare = text[start:end].strip(_SPACE)
            if bare:
                begin = text.index(bare[0], start)
                yield begin, begin + len(bare), inner
            offset = start = end + 1
            inner = -1
        elif match[0] in "{[":
            inner = match.start()
            offset = ends[inner] + 1
        else:
            offset = match.end()


def _value(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a member, in pieces where it is a long string."""
    if end - start <= 2 * _LONG:
        yield start, end
        return
    offset = start
    for line in text[start:end].split("\n"):
        bare = line.strip()
        if bare:
            first = offset + line.index(bare[0])
            yield from _pieces(bare, first) if len(bare) > _LONG else [(first, first + len(bare))]
        offset += len(line) + 1
