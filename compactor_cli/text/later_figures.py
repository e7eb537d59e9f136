"""Find later statements about the same figures: a correction repeats what it corrects."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from compactor_cli.text.patterns import compiled_later

_WORD = compiled_later(r"\w+(?:[.,:/@%-]\w+)*")
"""A word; one with a digit is a figure, or a name with a figure: `3,177.7`, `13:32`, `L3`, `v7`."""
_MAX_MESSAGES, _MAX_STATEMENTS = 3, 8
"""Maximum number of messages, and of statements, with a rare figure."""
_INSIGNIFICANT = compiled_later(r"\d{1,2}|(?:19|20)\d\d")
"""A figure that means nothing by itself: a small number, or a year."""


def later_on_figures(texts: Sequence[tuple[int, str]]) -> list[tuple[int, ...]]:
    """Return, for each statement of one speaker, the statement of the newest later message that repeats most of its
    figures, at least half, and so may correct it. `texts`: (number of the message, text)."""
    figures = [figures_of(text) if any(map(str.isdigit, text)) else frozenset[str]() for _, text in texts]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for index, own_figures in enumerate(figures):
        for figure in own_figures:
            holders[figure].append(index)
    rare = {
        figure
        for figure, indices in holders.items()
        if len(indices) <= _MAX_STATEMENTS and 1 < len({texts[index][0] for index in indices}) <= _MAX_MESSAGES
    }
    later: list[tuple[int, ...]] = []
    for index, own_figures in enumerate(figures):
        candidates = {other for figure in own_figures & rare for other in holders[figure] if other > index}
        repeating = [
            (texts[other][0], len(common), -other)
            for other in candidates
            if texts[other][0] != texts[index][0]
            and 2 * len(common := figures[other] & own_figures & rare) >= len(own_figures)
            and any(len(figure) > 1 if len(common) > 1 else not _INSIGNIFICANT.fullmatch(figure) for figure in common)
        ]
        # a conclusion from the statement before it goes with that
        is_concluded = own_figures and index and texts[index - 1][0] == texts[index][0]
        inherited = later[-1] if is_concluded and own_figures <= figures[index - 1] else ()
        later.append((-max(repeating)[2],) if repeating else inherited)
    return later


def figures_of(text: str) -> frozenset[str]:
    """Return the numbers of a text, and the names that contain one."""
    return frozenset(word for word in _WORD.findall(text.lower()) if any(map(str.isdigit, word)))
