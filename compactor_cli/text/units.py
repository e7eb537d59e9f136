"""Split a text into the smallest pieces that can be quoted alone: groups of lines, sentences, members of JSON.

Short neighbouring lines form one unit, and long prose is split between sentences. JSON is split between the members
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
from compactor_cli.text.escapes import PositionMap
from compactor_cli.text.patterns import compiled_later

_MAX_JOINED = 80
"""Maximum length of neighbouring lines that form one unit."""
_MAX_DENSE = 150
"""Maximum length of a dense line that stays whole."""
_MAX_MEMBER_CHARS = 80
"""Maximum length of JSON members that form one unit; longer members are split."""
_MAX_OBJECT_CHARS = 120
"""Maximum length of an object in a list that stays whole."""
_MAX_GAP_CHARS = 80
"""Maximum whitespace between an object and what precedes it."""
_SEARCHED_MEMBERS, _MAX_KEY, _MAX_PATH = 3, 60, 140
"""How many of an object's first members may identify it, and their maximum length: for a member, and for a file
path."""
_MAX_PROSE_CHARS = 220
_MIN_DATA_CHARS = 2_000
"""Minimum length of unbroken text that counts as unreadable data and is split by force."""
_MIN_LEAD_CHARS, _MAX_LEAD_CHARS = 20, 60
"""Characters of a long first argument that identify the call: the minimum before a space, and the maximum."""
_BREAKS = ("},", "],", ", ", ",", ";", " ")
"""Where dense text is split, best place first."""
_STRUCTURE = compiled_later(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)
_OPEN_BRACKET = compiled_later(r"\s*[\[(][\w -]{1,20}[:=][ ]?$")
"""A bracket with a key at the end of a piece, such as `[url: `; it belongs to its value."""
_SENTENCE_END = compiled_later(r"""(?:(?<!\b\d)(?<!\b\d\d)\.(?=\S{0,2} [^a-zà-öø-ÿ])|[!?;])(?:\*\*|[*_"')\]])? """)
"""The end of a sentence in a long line; neither after a day nor before lower case: `am 15. Juli`, `e.g. one`."""
_LONG_ARGUMENT = compiled_later(r'"[\w-]+"\s*:\s*"([^"\\\n]*(?:\\[^n][^"\\\n]*)*)')
"""A JSON member that is a string, up to the end of its first line."""
_SEARCH_PREFIX = compiled_later(r"[\w@~.][\w@./+-]*[./][\w@./+-]*[:-]\d+[:-]|/[\w@./+ -]+[:-]\d+[:-]")
"""The path and the line number that searches put before a match."""
_KEY = compiled_later(r'"[^"\\]*(?:\\.[^"\\]*)*"(?=\s*:)')
_RANK = compiled_later(r'"[^"\\]*"\s*:\s*\d{1,4}')
_KIND = compiled_later(r'"(?:@?type|kind|object|class|category|resource|__typename)"\s*:\s*"[^"\\]{1,40}"')
_NAME = compiled_later(r'"(?:name|title|label|id|key|number|slug|subject|summary)"\s*:')
_URL_MEMBER = compiled_later(r'[^{}\[\]]*?("[^"\\]*"\s*:\s*"https?://[^"\\\s]{1,140}")')
_TOKEN = compiled_later(r"[!-~]+")
"""Text without whitespace."""
_WHITESPACE = " \t\r\n"


def line_units(text: str, *, apart: bool = False, noise: frozenset[int] = frozenset()) -> Iterator[tuple[int, int]]:
    """Yield the spans of the units of a text that is not JSON, without surrounding whitespace. `apart`: keep all
    lines separate. `noise`: numbers of lines that are joined only with each other."""
    start = end = -1
    offset, noisy = 0, False
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        size = len(bare)
        begin = offset if size == len(line) else offset + len(line) - len(line.lstrip())
        offset += len(line) + 1
        was_noisy, noisy = noisy, number in noise
        if bare and start >= 0 and not apart and begin + size - start <= _MAX_JOINED and was_noisy == noisy:
            end = begin + size
            continue
        if start >= 0:
            yield start, end
        start = -1
        if size > _MAX_DENSE and not _is_search_match(bare):
            yield from _split_line(bare, begin)
        elif bare:
            start, end = begin, begin + size
    if start >= 0:
        yield start, end


def _is_search_match(line: str) -> bool:
    """Return whether a line is a match of a search in a file; its length counts only after the path."""
    place = _SEARCH_PREFIX.match(line) if len(line) <= _MAX_PROSE_CHARS else None
    return place is not None and len(line) - place.end() <= _MAX_DENSE


def clause_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of sentences; long ones are split."""
    for clause in split_clauses(text):
        if len(clause.text) > 2 * _MAX_PROSE_CHARS:
            yield from _split_line(clause.text, clause.start)
        else:
            yield clause.start, clause.end


def _split_line(line: str, offset: int) -> Iterator[tuple[int, int]]:
    """Yield the spans of a long line's pieces."""
    prose = line.count(" ") > len(line) / 9
    if prose and len(line) <= _MAX_PROSE_CHARS:
        yield offset, offset + len(line)
        return
    cuts = [0, *(_sentence_cuts(line) if prose else _dense_cuts(line, 0, len(line), _MAX_DENSE)), len(line)]
    for start, end in pairwise(cuts):
        cuts_inside = _dense_cuts(line, start, end, _MAX_PROSE_CHARS) if end - start > _MAX_PROSE_CHARS else ()
        for first, last in pairwise([start, *cuts_inside, end]):
            bare = line[first:last].strip()
            if bare:
                begin = first + line[first:last].index(bare[0])
                yield offset + begin, offset + begin + len(bare)


def _sentence_cuts(line: str) -> Iterator[int]:
    """Yield the ends of sentences; short ones stay together."""
    start = 0
    for match in _SENTENCE_END.finditer(line):
        if match.end() - start > 41:
            start = match.end()
            yield start


def _dense_cuts(line: str, start: int, end: int, max_chars: int) -> Iterator[int]:
    """Yield where to split text into pieces of at most `max_chars` characters. Pieces may be longer to keep a long
    name, a key or a number whole, because half of one looks like another."""
    while end - start > max_chars:
        limit = min(end, start + _MAX_PROSE_CHARS)
        cut = _break_before(line, start + max_chars // 3, start + max_chars)
        cut = cut or _break_after(line, start + max_chars, limit) or _token_end(line, start, limit, end)
        opened = _OPEN_BRACKET.search(line, max(start + 1, cut - _MAX_KEY), cut)
        cut = opened.start() if opened else cut
        if cut < end:
            yield cut
        start = cut


def _token_end(line: str, start: int, position: int, end: int) -> int:
    """Return the end of the key, number or other unbroken text at a position, unless a part of it was cut off at
    `start`; otherwise the position."""
    if position == end or (start and _TOKEN.match(line, start - 1, start + 1) and line[start - 1] not in ",;"):
        return position
    limit = min(end, position + _MIN_DATA_CHARS)
    token = _TOKEN.match(line, position - 1, limit)
    return token.end() if token and position < token.end() and (token.end() < limit or limit == end) else position


def _break_before(line: str, start: int, end: int) -> int:
    for mark in _BREAKS:
        position = line.rfind(mark, start, end)
        if position >= 0:
            return position + len(mark)
    return 0


def _break_after(line: str, start: int, end: int) -> int:
    positions = [position + 1 for mark in ", ;" if (position := line.find(mark, start, end)) >= 0]
    return min(positions, default=0)


# -- JSON


Span = tuple[int, int]
"""Start and end of a piece of a text."""


class JsonMember(Struct, frozen=True, gc=False):
    """JSON members next to each other, or a piece of a long one."""

    start: int
    end: int
    begin: int
    """Start including its key, and including the lists and objects whose first member it is."""
    depth: int
    """Number of lists and objects that are open there."""
    leads: tuple[Span, ...] = ()
    """What identifies the object that it is a member of, unless it is the first member: the first short member of an
    object in a list, and the key of an object within it."""
    usual: bool = False
    """Whether it counts as usual; it is joined only with other usual members."""


def json_members(
    text: str,
    *,
    named: bool = False,
    usual: Callable[[str], bool] | None = None,
    shown: str = "",
    place: PositionMap | None = None,
) -> list[JsonMember]:
    """Return the members of JSON; short neighbours in the same object or list are joined, and long ones are split.
    Return none if the brackets show that the text is not JSON.

    `named`: the first member identifies the object, as in the arguments of a call. `usual`: whether a member, with
    its key, is joined only with others like it; the first member is exempt. `shown` and `place`: the text as it is
    read, and a map of positions to it; the positions of members then refer to `shown`."""
    ends = _bracket_ends(text) if text.lstrip(_WHITESPACE)[:1] in ("{", "[") else None
    first = len(text) - len(text.lstrip(_WHITESPACE))
    if ends is None or ends.get(first) is None or text[ends[first] + 1 :].strip():
        return []
    result: list[JsonMember] = []
    root = JsonMember(first, ends[first] + 1, first, 0)
    if root.end - root.start <= _MAX_MEMBER_CHARS:  # as in most calls
        return [_mapped(root, place) if place else root]
    pending = [(root, 0, _call_leads(text, root, ends) if named else ())]
    while pending:
        outer, level, leads = pending.pop()
        size = outer.end - outer.start
        is_whole = size <= _MAX_MEMBER_CHARS or (size <= _MAX_OBJECT_CHARS and _is_listed(text, outer.start))
        if is_whole or text[outer.start] not in "{[":
            mapped = _mapped(outer, place) if place else outer
            key = _own_key(text, outer) if text[outer.start] in "{[" else -1
            first = mapped.start if key < 0 else place(key) if place else key
            spans = _split_value(shown or text, first, mapped.end)
            shown_before = _mapped(replace(outer, leads=leads), place).leads if place else leads
            pieces = [JsonMember(start, end, start, level + 1, shown_before, outer.usual) for start, end in spans]
            if named and level == 1:
                pieces = [*pieces[:1], *_begun(shown or text, pieces)]
            result += _with_outer_start(pieces, mapped)
        else:
            member_runs = _member_runs(text, outer.start, ends, None if level else usual)
            inner_members = [
                JsonMember(start, end, begin, level + 1, leads, outer.usual or is_usual)
                for start, end, begin, is_usual in member_runs
            ]
            inner_leads = [_leads(text, m, ends) if text[m.start] in "{[" else leads for m in inner_members]
            members = zip(_with_outer_start(inner_members, outer, text), inner_leads, strict=True)
            pending += reversed([(member, level + 1, inner) for member, inner in members])
    return result


def _is_listed(text: str, start: int) -> bool:
    """Return whether an object that is an element of a list begins here."""
    return text[start] == "{" and text[max(0, start - _MAX_GAP_CHARS) : start].rstrip(_WHITESPACE)[-1:] in ("[", ",")


def outer_spans(text: str) -> Iterator[Span]:
    """Yield the spans of the members of an object, each with its key. Yield nothing if the text is not an object."""
    first = len(text) - len(text.lstrip(_WHITESPACE))
    ends = _bracket_ends(text) if text[first : first + 1] == "{" else None
    if ends is not None and not text[ends[first] + 1 :].strip():
        yield from ((start, end) for start, end, _ in _iter_members(text, first, ends))


def _mapped(member: JsonMember, place: PositionMap) -> JsonMember:
    """Return a member with all its positions mapped to the text as it is read."""
    leads = tuple((place(start), place(end)) for start, end in member.leads)
    return JsonMember(place(member.start), place(member.end), place(member.begin), member.depth, leads, member.usual)


def _leads(text: str, member: JsonMember, ends: dict[int, int], max_chars: int = _MAX_KEY) -> tuple[Span, ...]:
    """Return the spans that identify the object containing the members of `member`, if it is an object."""
    if text[member.start] != "{":
        return ()
    if member.begin < member.start:
        return *member.leads[-1:], (member.begin, member.start)
    members = [*islice(_iter_members(text, member.start, ends), _SEARCHED_MEMBERS)]
    if members and _KIND.fullmatch(text, *members[0][:2]):  # a kind is less informative than a name after it
        members.sort(key=lambda member: _NAME.match(text, *member[:2]) is None)
    for number, (start, end, inner) in enumerate(members):
        if inner < 0 and end - start <= max_chars:  # a rank is less informative than the address after it
            address = _URL_MEMBER.match(text, end, ends[member.start]) if _RANK.fullmatch(text, start, end) else None
            return (address.span(1) if address else (start, end),)
        if number == 0 and inner >= 0 and (nested := _first_of(text, inner, ends, max_chars)):
            return (nested,)
    return ()


def _first_of(text: str, opening: int, ends: dict[int, int], max_chars: int) -> Span | None:
    """Return the span of the first member of a nested object that identifies the outer one, as the labels of a
    measured value do."""
    for start, end, inner in islice(_iter_members(text, opening, ends), 1 if text[opening] == "{" else 0):
        return (start, end) if inner < 0 and end - start <= max_chars else None
    return None


def _call_leads(text: str, call: JsonMember, ends: dict[int, int]) -> tuple[Span, ...]:
    """Return the span that identifies a call: the first words of its first argument if that is a long text, such as
    a command, or else a short argument."""
    if text[call.start] == "{":
        for start, end, _ in islice(_iter_members(text, call.start, ends), 1):
            if end - start > _MAX_PATH and (begins := _first_words(text, start, end)):
                return (begins,)
    return _leads(text, call, ends, _MAX_PATH)


def _first_words(text: str, start: int, end: int) -> Span | None:
    """Return the span of the first words of a member that is a long text, without its key."""
    argument = _LONG_ARGUMENT.match(text, start, end)
    begin, close = argument.span(1) if argument else (0, 0)
    if close - begin > _MAX_LEAD_CHARS:
        space = text.rfind(" ", begin + _MIN_LEAD_CHARS, begin + _MAX_LEAD_CHARS)
        close = space if space > 0 else begin + _MAX_LEAD_CHARS - (text[begin + _MAX_LEAD_CHARS - 1] == "\\")
    return (begin, close) if close > begin else None


def _begun(text: str, pieces: list[JsonMember]) -> Iterator[JsonMember]:
    """Yield the pieces of a long argument after its first piece, each with the argument's first words as context.
    They identify the argument as the first argument identifies the call."""
    words = _first_words(text, pieces[0].start, pieces[0].end) if len(pieces) > 1 else None
    for piece in pieces[1:]:
        known = words is None or words in piece.leads
        yield piece if known else replace(piece, leads=(*piece.leads, words))


def _with_outer_start(members: list[JsonMember], outer: JsonMember, text: str = "") -> list[JsonMember]:
    """Let the first member begin where the list or object around it begins. If it is shown alone, the key of that
    gives its context, as for the other members."""
    if not members:
        return []
    key = _own_key(text, outer)
    leads = (*outer.leads[-1:], (key, outer.start)) if key >= 0 else outer.leads
    return [replace(members[0], begin=outer.begin, depth=outer.depth, leads=leads), *members[1:]]


def _own_key(text: str, member: JsonMember) -> int:
    """Return the start of a member's own key, the last of several directly before it; -1 if it has none, or a long
    one."""
    start = max(member.begin, member.start - _MAX_KEY)
    keys = [found.start() for found in _KEY.finditer(text, start, member.start)]
    return keys[-1] if keys and text[start : member.start].rstrip(_WHITESPACE).endswith(":") else -1


@lru_cache(maxsize=2)  # the arguments of a call are looked up twice in a row
def _bracket_ends(text: str) -> dict[int, int] | None:
    """Return opening bracket -> closing bracket, ignoring strings; None if they do not match."""
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


def _member_runs(
    text: str, opening: int, ends: dict[int, int], usual: Callable[[str], bool] | None = None
) -> Iterator[tuple[int, int, int, bool]]:
    """Yield (start, end, start including the key, whether it is usual) inside a list or object: runs of short
    members that are all usual or all not, and each long value separately. A long value that will be split further
    comes without its key."""
    run_start, run_end, were_usual = -1, -1, False
    for number, (start, end, inner) in enumerate(_iter_members(text, opening, ends)):
        is_usual = usual is not None and number > 0 and usual(text[start:end])
        if run_start >= 0 and end - run_start <= _MAX_MEMBER_CHARS and is_usual == were_usual:
            run_end = end
            continue
        if run_start >= 0:
            yield run_start, run_end, run_start, were_usual
        run_start, were_usual = -1, is_usual
        if end - start <= _MAX_MEMBER_CHARS or inner < 0:
            run_start, run_end = start, end
        else:
            yield inner, end, start, is_usual
    if run_start >= 0:
        yield run_start, run_end, run_start, were_usual


def _iter_members(text: str, opening: int, ends: dict[int, int]) -> Iterator[tuple[int, int, int]]:
    """Yield (start, end, start of the bracketed value or -1) of each member."""
    offset, close = opening + 1, ends[opening]
    start, inner = offset, -1
    while offset <= close:
        match = _STRUCTURE.search(text, offset, close)
        if match is None or match[0] == ",":
            end = match.start() if match else close
            bare = text[start:end].strip(_WHITESPACE)
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


def _split_value(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the span of a member; a long string is split."""
    if end - start <= 2 * _MAX_DENSE:
        yield start, end
        return
    offset = start
    for line in text[start:end].split("\n"):
        bare = line.strip()
        if bare:
            begin = offset + line.index(bare[0])
            yield from _split_line(bare, begin) if len(bare) > _MAX_DENSE else [(begin, begin + len(bare))]
        offset += len(line) + 1
