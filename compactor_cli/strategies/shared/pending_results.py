"""Lines of the results that the agent answers next: new ones, those that hold what was asked for, and the most
valuable."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from itertools import islice, pairwise

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.work.endings import begins_as_failed, edited_nothing
from compactor_cli.strategies.shared.rooms import share_of
from compactor_cli.strategies.shared.selection import Selector
from compactor_cli.text.line_prefixes import is_numbered
from compactor_cli.text.noise import is_prompt
from compactor_cli.text.outcomes import result_errors
from compactor_cli.text.page_trees import is_page_tree, node_in_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.sentences import count_words

_RESULT_SHARE = 0.2
"""Share of the room for lines of these results."""
_END_LINES = 3
"""Number of lines at the end of a result that count as new."""
_MIN_HOLE_ROOM = 300
"""Tokens for results from which on some are set aside for lines between chosen ones."""
_LAST_RESULT_SHARES, _LAST_WHOLE_SHARES = (0.5, _RESULT_SHARE), (0.6, 0.3)
"""Shares of a small and of a large room for results at the very end of the session, and for those of them that stay
whole. In a few hundred tokens, most of the room is for what has to be answered next."""
_HOLE_SHARE, _MAX_HOLE_LINES = 0.15, 4
"""Share of the tokens for results that lines between chosen ones may take, and the maximum number of such lines in a
row."""
_WHOLE_SHARES, _MAX_WHOLE_TOKENS = (0.35, 0.3), 400
"""Shares of a small and of a large room for results that stay whole, and the maximum tokens of one of them."""
_RELEVANT_SHARES = (_RESULT_SHARE, _RESULT_SHARE / 4)
"""Shares of a small and of a large room for lines that hold what a result was asked for."""
_MEMBER = compiled_later(r'\s*"[^"\\]+"\s*:\s*"')
"""The beginning of a member of a JSON object whose value is a string."""
_MIN_STATEMENT_WORDS = 12
"""Number of words from which on a string counts as a statement."""
_MAX_EARLIER_RESULTS = 20
"""Maximum number of earlier results to search for lines that are shown again."""


def take_pending(
    pending: Sequence[int],
    lines: SessionLines,
    selector: Selector,
    relevant_lines: Callable[[int], Iterable[int]],
    total_room: int,
    small: int = 0,
    *,
    at_end: bool = False,
) -> int:
    """Take lines of the pending results and return the tokens taken.

    Results that fit are taken whole. From the others come the lines that hold what was asked for, and the most
    valuable ones; what earlier results also say comes last. `relevant_lines`: returns the lines of a piece that hold
    what was asked for. `total_room`: tokens of the whole room. `small`: tokens up to which a result stays in any case.
    `at_end`: the session ends with these results, and the room is not large."""
    telling = [line for line in pending if not is_prompt(lines.text(line))]
    taken_before = len(selector.taken)
    repeated = repeated_lines(telling, lines)
    share, whole = (
        (_LAST_RESULT_SHARES, _LAST_WHOLE_SHARES) if at_end else ((_RESULT_SHARE, _RESULT_SHARE), _WHOLE_SHARES)
    )
    room = int(share_of(total_room, *share)) - _take_whole(
        telling, repeated, lines, selector, share_of(total_room, *whole), small
    )
    sentences = [line for line in telling if _is_statement(lines.text(line))]
    for line in sentences if at_end else ():
        room -= selector.take(line) if selector.cost(line) <= room // 2 else 0
    budget = min(int(share_of(total_room, *_RELEVANT_SHARES)), room)
    room -= budget
    first = {lines.piece_of[line]: line for line in reversed(telling)}
    for piece in dict.fromkeys(lines.piece_of[line] for line in pending):
        text = lines.session.pieces[piece].text
        has_failed = piece in first and (begins_as_failed(text) or edited_nothing(text))
        first_lines = [first[piece]] if has_failed else []
        for line in (*first_lines, *relevant_lines(piece)):
            if selector.cost(line) <= budget:
                budget -= selector.take(line)
    budget += room
    for line in sentences:
        if selector.cost(line) <= budget // 2:
            budget -= selector.take(line)
    reserved = (
        int(budget * _HOLE_SHARE) if budget >= _MIN_HOLE_ROOM and any(lines.scope(line) >= 0 for line in pending) else 0
    )
    budget = reserved + selector.fill((line for line in pending if line not in repeated), budget - reserved)
    if reserved:
        for hole in find_holes(telling, lines, selector.taken):
            if sum(map(selector.cost, hole)) <= budget:
                budget -= sum(map(selector.take, hole))
        budget = selector.fill((line for line in pending if line not in repeated), budget)
    selector.fill(repeated, budget)
    return sum(choice.cost for choice in islice(selector.taken.values(), taken_before, None))


def _take_whole(
    telling: Sequence[int], repeated: Container[int], lines: SessionLines, selector: Selector, room: float, small: int
) -> int:
    """Take results that fit into `room` as a whole, the smallest first. Longer results are taken without the lines that
    earlier results show. Return the tokens of those that would be cut otherwise.

    If some rows were missing, a reader of the others would think that they do not exist."""
    lines_by_piece: dict[int, list[int]] = {}
    for line in telling:
        lines_by_piece.setdefault(lines.piece_of[line], []).append(line)
    sized: list[tuple[int, list[int]]] = []
    for result in lines_by_piece.values():
        new_lines = [line for line in result if line not in repeated]
        tokens = sum(map(selector.tokens, result))
        sized.append((tokens, result) if tokens <= small else (sum(map(selector.tokens, new_lines)), new_lines))
    taken_tokens = cut_tokens = 0
    for tokens, result in sorted(sized):
        if tokens > min(_MAX_WHOLE_TOKENS, room - taken_tokens):
            break
        taken_tokens += sum(map(selector.take, result))
        cut_tokens += tokens if tokens > small else 0
    return cut_tokens


def _is_statement(text: str) -> bool:
    """Return whether a line is a member of a record that holds sentences. Mails, tickets and pages say things in few
    names."""
    return _MEMBER.match(text) is not None and count_words(text) >= _MIN_STATEMENT_WORDS


def find_holes(telling: Sequence[int], lines: SessionLines, taken: Container[int]) -> list[Sequence[int]]:
    """Return the runs of few lines between two taken lines, the shortest first. Without a condition and what it leads
    to, a statement of code says the opposite of what it does."""
    found_holes: list[Sequence[int]] = []
    taken_indices = [index for index, line in enumerate(telling) if line in taken]
    for first, last in pairwise(taken_indices):
        between = telling[first + 1 : last]
        in_same_piece = lines.piece_of[telling[first]] == lines.piece_of[telling[last]]
        if 0 < len(between) <= _MAX_HOLE_LINES and in_same_piece and lines.scope(telling[last]) >= 0:
            found_holes.append(between)
    return sorted(found_holes, key=len)


def repeated_lines(telling: Sequence[int], lines: SessionLines) -> frozenset[int]:
    """Return which lines of the newest results also occur in one of the results before, such as a page around a change.
    Errors do not count, as they occurred again. Nor do the last lines, except on pages: there, tools say how things
    stand."""
    first = lines.piece_of[telling[0]] if telling else 0
    before = [piece for piece in lines.session.pieces[:first] if not piece.is_speech and not piece.is_call][
        -_MAX_EARLIER_RESULTS:
    ]
    texts = (piece.text for piece in before if not is_numbered(piece.text))  # files read again may have been lost
    known_lines = {plain_line for text in texts for plain_line in _plain_lines(text, tree=is_page_tree(text))}
    for number in dict.fromkeys(lines.piece_of[line] for line in telling) if known_lines else ():
        known_lines -= {line.strip() for line in result_errors(lines.session.pieces[number].text, None)}
    tree_lines = {line for line in telling if is_page_tree(lines.piece_at(line).text)}
    plain_lines = {
        line: _plain_lines(lines.text(line), tree=line in tree_lines)
        for line in (*telling[:-_END_LINES], *sorted(tree_lines))
    }
    return frozenset(line for line, text in plain_lines.items() if known_lines.issuperset(text))


def _plain_lines(text: str, *, tree: bool) -> list[str]:
    """Return the lines of a text, in a tree of a page without the prefix of each, such as the number of its node."""
    return [(tree and node_in_line(line)) or line.strip() for line in text.split("\n")]
