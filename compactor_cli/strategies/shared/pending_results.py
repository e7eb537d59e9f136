"""Lines of the results that the agent answers next: new ones, those that hold what was asked for, and the most
valuable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Sequence
from itertools import groupby, islice, pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.endings import begins_as_failed, refuses_edit
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.strategies.shared.selection import Selector
from compactor_cli.text.json_values import begins_as_json
from compactor_cli.text.line_prefixes import is_numbered
from compactor_cli.text.noise import is_prompt
from compactor_cli.text.odd_rows import odd_rows
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.page_trees import is_prose, is_tree, node_of
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import count_words

_RESULTS = 0.2
"""Share of the room for lines of these results."""
_END = 3
"""Number of lines at the end of a result that count as new."""
_ROOM = 300
"""Tokens for results from which on some are set aside for lines between chosen ones."""
_LAST_RESULTS, _LAST_WHOLE = (0.5, _RESULTS), (0.6, 0.3)
"""Shares of a small and of a large room for results at the very end of the session, and for those of them that stay
whole. In a few hundred tokens, most of the room is for what has to be answered next."""
_FOR_HOLES, _HOLE = 0.15, 4
"""Share of the tokens for results that lines between chosen ones may take, and the maximum number of such lines in a
row."""
_WHOLE, _SHORT = (0.35, 0.3), 400
"""Shares of a small and of a large room for results that stay whole, and the maximum tokens of one of them."""
_ASKED = (_RESULTS, _RESULTS / 4)
"""Shares of a small and of a large room for lines that hold what a result was asked for."""
_PROSE = 0.2
"""Share of the room for prose of pages: without it, links and fields are worth little."""
_MEMBER = compiled_later(r'\s*"[^"\\]+"\s*:\s*"')
"""The beginning of a member of a JSON object whose value is a string."""
_VALUE = compiled_later(r'("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)\s*(:)?')
"""A JSON string or number, and whether it is a key."""
_NAME = compiled_later(r"[\w.-]*\w")
"""A word, or a name of several words."""
_SENTENCE = 12
"""Number of words from which on a string counts as a statement."""
_BEFORE = 20
"""Maximum number of earlier results to search for lines that are shown again."""


def take_pending(
    pending: Sequence[int],
    lines: SessionLines,
    selector: Selector,
    asked_for: Callable[[int], Iterable[int]],
    size: int,
    small: int = 0,
    *,
    ends: bool = False,
) -> int:
    """Take lines of the pending results and return the tokens taken.

    Results that fit are taken whole. From the others come the rows that differ from all others, the lines that hold
    what was asked for, and the most valuable ones; what earlier results also say comes last. `asked_for`: returns the
    lines of a piece that hold what was asked for. `size`: tokens of the whole room. `small`: tokens up to which a
    result stays in any case. `ends`: the session ends with these results, and the room is not large."""
    telling = [line for line in pending if not is_prompt(lines.text(line))]
    known = len(selector.taken)
    again = seen_before(telling, lines)
    share, whole = (_LAST_RESULTS, _LAST_WHOLE) if ends else ((_RESULTS, _RESULTS), _WHOLE)
    room = int(share_of(size, *share)) - _take_whole(telling, again, lines, selector, share_of(size, *whole), small)
    sentences = [line for line in telling if _says(lines.text(line))]
    for line in sentences if ends else ():
        room -= selector.take(line) if selector.cost(line) <= room // 2 else 0
    for line in rows_with_news(telling, lines, selector.cost) if ends else ():
        room -= selector.take(line) if selector.cost(line) <= room else 0
    _take_prose([line for line in telling if line not in again], lines, selector, int(_PROSE * size))
    left = min(int(share_of(size, *_ASKED)), room)
    room -= left
    first = {lines.piece_of[line]: line for line in reversed(telling)}
    for piece in dict.fromkeys(lines.piece_of[line] for line in pending):
        for line in _odd(piece, lines):
            room -= selector.take(line) if selector.cost(line) <= room else 0
        begins = [first[piece]] if piece in first and _begins_as_failed(lines.session.pieces[piece].text) else []
        for line in (*begins, *asked_for(piece)):
            if selector.cost(line) <= left:
                left -= selector.take(line)
    left += room
    for line in sentences:
        if selector.cost(line) <= left // 2:
            left -= selector.take(line)
    apart = int(left * _FOR_HOLES) if left >= _ROOM and any(lines.scope(line) >= 0 for line in pending) else 0
    left = apart + selector.fill((line for line in pending if line not in again), left - apart)
    if apart:
        for hole in holes(telling, lines, selector.taken):
            if sum(map(selector.cost, hole)) <= left:
                left -= sum(map(selector.take, hole))
        left = selector.fill((line for line in pending if line not in again), left)
    selector.fill(again, left)
    return sum(choice.cost for choice in islice(selector.taken.values(), known, None))


def _take_whole(
    telling: Sequence[int], again: Container[int], lines: SessionLines, selector: Selector, room: float, small: int
) -> int:
    """Take results that fit into `room` as a whole, the smallest first. Longer results are taken without the lines that
    earlier results show. Return the tokens of those that would be cut otherwise.

    If some rows were missing, a reader of the others would think that they do not exist."""
    of_piece: dict[int, list[int]] = {}
    for line in telling:
        of_piece.setdefault(lines.piece_of[line], []).append(line)
    sized: list[tuple[int, list[int]]] = []
    for result in of_piece.values():
        new = [line for line in result if line not in again]
        tokens = sum(map(selector.tokens, result))
        sized.append((tokens, result) if tokens <= small else (sum(map(selector.tokens, new)), new))
    taken = cut = 0
    for tokens, result in sorted(sized):
        if tokens > min(_SHORT, room - taken):
            break
        taken += sum(map(selector.take, result))
        cut += tokens if tokens > small else 0
    return cut


def _take_prose(telling: Sequence[int], lines: SessionLines, selector: Selector, room: int) -> None:
    """Take the sentences of pages in order, each text as a whole, in `room` tokens."""
    for place, text in groupby(telling, key=lambda line: _text_of_page(line, lines)):
        told = [*text]
        if place and sum(map(selector.cost, told)) <= room:
            room -= sum(map(selector.take, told))


def _says(text: str) -> bool:
    """Return whether a line is a member of a record that holds sentences. Mails, tickets and pages say things in few
    names."""
    return _MEMBER.match(text) is not None and count_words(text) >= _SENTENCE


def _text_of_page(line: int, lines: SessionLines) -> tuple[int, ...]:
    """Return which prose text of a page a line belongs to: the number of its piece, and where the text begins. Return
    an empty tuple for other lines."""
    text, start = lines.piece(line).text, lines.starts[line]
    begin, end = text.rfind("\n", 0, start) + 1, text.find("\n", start)
    is_one = is_tree(text) and is_prose(text[begin : end if end >= 0 else len(text)])
    return (lines.piece_of[line], begin) if is_one else ()


def holes(telling: Sequence[int], lines: SessionLines, taken: Container[int]) -> list[Sequence[int]]:
    """Return the runs of few lines between two taken lines, the shortest first. Without a condition and what it leads
    to, a statement of code says the opposite of what it does."""
    found: list[Sequence[int]] = []
    known = [at for at, line in enumerate(telling) if line in taken]
    for first, last in pairwise(known):
        between = telling[first + 1 : last]
        same = lines.piece_of[telling[first]] == lines.piece_of[telling[last]]
        if 0 < len(between) <= _HOLE and same and lines.scope(telling[last]) >= 0:
            found.append(between)
    return sorted(found, key=len)


def _odd(piece: int, lines: SessionLines) -> list[int]:
    """Return the rows of a result that differ from all others in something that the others have in common."""
    own = lines.of_piece(piece)
    return [own[index] for index in odd_rows([*map(lines.text, own)])]


def _begins_as_failed(said: str) -> bool:
    """Return whether the beginning of a result says that the call failed or changed nothing."""
    return begins_as_failed(said) or refuses_edit(said)


def seen_before(telling: Sequence[int], lines: SessionLines) -> frozenset[int]:
    """Return which lines of the newest results also occur in one of the results before, such as a page around a change.
    Errors do not count, as they occurred again. Nor do the last lines, except on pages: there, tools say how things
    stand."""
    first = lines.piece_of[telling[0]] if telling else 0
    before = [piece for piece in lines.session.pieces[:first] if not piece.speech and not piece.call][-_BEFORE:]
    texts = (piece.text for piece in before if not is_numbered(piece.text))  # files read again may have been lost
    known = {bare for text in texts for bare in _bare_lines(text, tree=is_tree(text))}
    for number in dict.fromkeys(lines.piece_of[line] for line in telling) if known else ():
        known -= {line.strip() for line in result_errors(lines.session.pieces[number].text, None)}
    trees = {line for line in telling if is_tree(lines.piece(line).text)}
    told = {line: _bare_lines(lines.text(line), tree=line in trees) for line in (*telling[:-_END], *sorted(trees))}
    return frozenset(line for line, text in told.items() if known.issuperset(text))


def _bare_lines(text: str, *, tree: bool) -> list[str]:
    """Return the lines of a text, in a tree of a page without the prefix of each, such as the number of its node."""
    return [(tree and node_of(line)) or line.strip() for line in text.split("\n")]


def rows_with_news(telling: Sequence[int], lines: SessionLines, cost: Callable[[int], int]) -> list[int]:
    """Return the lines of JSON results with new values, the ones with most new values for their tokens first.

    A value is new if it occurs neither before nor in any other row; the first value, which says what the row is about,
    does not count. Of checks that are all `ok` except one, this finds that one. `cost`: returns the tokens of a
    line."""
    found: list[tuple[float, int]] = []
    results = {
        number: lines.session.pieces[number].text for number in dict.fromkeys(map(lines.piece_of.__getitem__, telling))
    }
    pieces = lines.session.pieces[: min(results, default=0)]
    known = {word.lower() for piece in pieces for word in _NAME.findall(piece.text)} if results else set()
    for number, text in results.items():
        times = Counter(_values(text)) if begins_as_json(text) else Counter[str]()
        for line in (line for line in telling if times and lines.piece_of[line] == number):
            values = _values(lines.text(line))
            once = (value for value in values[1:] or values if times[value] == 1)
            news = sum(not known.issuperset(map(str.lower, _NAME.findall(value))) for value in once)
            if news:
                found.append((-news / cost(line), line))
    return [line for _, line in sorted(found)]


def _values(text: str) -> list[str]:
    """Return the strings and numbers in a piece of JSON that are not keys."""
    return [value for value, is_key in _VALUE.findall(text) if not is_key]
