"""What `make test` draws of many cases. Everything runs with `pytest --everything`, as in `make test-all`.

The draw goes by names: the same cases each time and on every machine, and a new case moves few others. A test that is
asked for by its name (`FILE::TEST`, `-k`) is not drawn from.
"""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict

_drawing = True


def draw_all():
    """Let all of it run."""
    global _drawing  # noqa: PLW0603  # the option is known before a test is, and by no fixture where tests are made
    _drawing = False


def is_drawing():
    return _drawing


def draw(items, number, name):
    """So many of the items, in their order, by a name that stands for the case; all of them with --everything."""
    items = list(items)
    if not _drawing:
        return items
    chosen = sorted(items, key=lambda item: _place(f"{name} {item}"))[:number]
    return [item for item in items if item in chosen]


def every(step):
    """The step of a loop over many: 1 with --everything."""
    return step if _drawing else 1


def number_of(examples, share=8, fewest=5):
    """How many examples of a property run: one in `share`, but a few of each."""
    return max(min(examples, fewest), examples // share) if _drawing else examples


def _place(name):
    return hashlib.sha256(name.encode()).hexdigest()


def undrawn(items):
    """Of the tests with the mark `drawn(n)`, the cases that do not run: of each test, one in n does."""
    if not _drawing:
        return []
    cases = defaultdict(list)
    for item in items:
        if item.get_closest_marker("drawn"):
            cases[item.nodeid.partition("[")[0]].append(item)
    left = []
    for found in cases.values():
        (one_in,) = found[0].get_closest_marker("drawn").args
        found.sort(key=lambda item: _place(item.nodeid))
        left += found[math.ceil(len(found) / one_in) :]
    return left
