"""Shares of a room that depend on its size: in a small one, one exchange or one request takes much of it."""

INSTRUCTIONS_SHARE = 0.1
"""Share of a room for standing instructions that a harness put in."""
LARGE_REQUEST, SMALL_REQUEST = 0.4, 60
"""Share of a room, and tokens in any case, up to which the last request is kept whole."""
_SMALL, _LARGE = 400, 800
"""Tokens up to which a room is small, and from which on it is large."""


def share_of(room: int, small: float, large: float) -> float:
    """Return the tokens of a share: `small` of a small room, `large` of a large one, in proportion between the two."""
    size = (min(max(room, _SMALL), _LARGE) - _SMALL) / (_LARGE - _SMALL)
    return room * (small + size * (large - small))
