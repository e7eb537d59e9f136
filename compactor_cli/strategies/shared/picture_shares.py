"""Pictures that requests come with: they leave room to words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from compactor_cli.model.group import Group
from compactor_cli.model.plan import Decision, Edit
from compactor_cli.model.planning import FIRST_REQUEST, LAST_REQUEST, PlanInput
from compactor_cli.strategies.shared.renditions import Cut, Renderer

_NEWEST_SHARE, _SHARE = 0.7, 0.3
"""Shares of the room for pictures of the newest request, which asks of them, and for those of the first one: what they
were looked at for has been said since."""


def marks_of_pictures(
    inputs: PlanInput, renderer: Renderer, groups: Iterable[Group], room: int, words: int
) -> dict[int, list[Edit]]:
    """Return of the requests among some groups the marks for pictures that have no room in their share of it. They may
    take more where half of all else has room beside them. `words`: tokens of all of it, pictures included."""
    asking = [g for g in groups if inputs.protected[g.index] in (FIRST_REQUEST, LAST_REQUEST)]
    newest = max((g.index for g in asking), default=-1)
    marks = {group.index: renderer.shortened(group, Cut(images=True), "").edits[::-1] for group in asking}
    words -= sum(_tokens(renderer, edit) for edits in marks.values() for edit in edits)
    beside, left_out = room - words / 2, {}
    for index, edits in sorted(marks.items(), reverse=True):
        share = room * (_NEWEST_SHARE if index == newest else _SHARE)
        left_out[index] = list(_without_room(renderer, edits, max(share, beside)))
        beside -= sum(_tokens(renderer, edit) for edit in edits if edit not in left_out[index])
    return left_out


def _without_room(renderer: Renderer, marks: Iterable[Edit], room: float) -> Iterator[Edit]:
    """Yield the marks of all pictures but the first ones of them that have room."""
    for mark in marks:
        room -= _tokens(renderer, mark)
        if room < 0:
            yield mark


def _tokens(renderer: Renderer, mark: Edit) -> int:
    return renderer.messages[mark.message].parts[mark.part].tokens


def with_marks(renderer: Renderer, decision: Decision, marks: Iterable[Edit]) -> Decision:
    """Return a decision with the marks of pictures besides what it cuts."""
    cut = {(edit.message, edit.part) for edit in decision.edits}
    more = [mark for mark in marks if (mark.message, mark.part) not in cut]
    if not more:
        return decision
    saved = sum(_tokens(renderer, mark) - mark.tokens for mark in more)
    edits = tuple(sorted([*decision.edits, *more]))
    return decision._replace(rendition="shortened", tokens=decision.tokens - saved, edits=edits)
