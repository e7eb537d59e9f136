"""What of the computed state has room in a summary with headings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence

from msgspec.structs import replace

from compactor_cli.summaries.layout import standing
from compactor_cli.summaries.outline import Standing
from compactor_cli.summary_text.state_block import rest_line, unlisted_counts
from compactor_cli.summary_text.state_line import Kind, StateLine

_BULLET, _FIRST = 3, 9
"""Tokens of a line of the state beside its text, and of the first one, below its heading."""
_COUNTS_REST = 100
"""Tokens of room from which on the state says what it has no room for."""


def state_with_room(
    state: Sequence[StateLine],
    places: Collection[Standing],
    room: int,
    count: Callable[[str], int],
    *,
    files: bool = False,
) -> tuple[StateLine, ...]:
    """Return the lines that have room, in the order of worth; where not all have, those with long details without
    these. The last line counts the others. `places`: how the facts stand that headings are for. `files`: those of
    files, too, which else are told elsewhere."""
    told = [line for line in state if (files or line.kind != "file") and standing(line) in places]
    told = [line for line in told if not unlisted_counts(line.text)]
    if sum(count(line.text) + _BULLET for line in told) > room:
        told = [replace(line, text=line.brief or line.text) for line in told]
    left_out: Counter[Kind] = Counter()
    for line in state:
        left_out += unlisted_counts(line.text)
    if not files:
        del left_out["file"]
    taken: list[StateLine] = []
    left = room
    for line in told:
        cost = count(line.text) + (_BULLET if taken else _FIRST)
        if cost <= left:
            left -= cost
            taken.append(line)
        else:
            left_out[line.kind] += 1
    if left_out and "done" in places and room >= _COUNTS_REST:
        taken.append(rest_line(taken, left_out, left, lambda text: count(text) + _BULLET))
    return tuple(taken)
