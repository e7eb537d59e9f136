"""What `make test` draws of many cases. Everything runs with `pytest --everything`, as in `make test-all`.

The draw goes by names: the same cases each time and on every machine, and a new case moves few others. A test that is
asked for by its name (`FILE::TEST`, `-k`) is not drawn from.
"""

from __future__ import annotations

import contextlib
import hashlib
import math
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

BY_PARAMETER = {"strategy": 4, "fresh_url": 2, "path": 3}
"""One in so many cases runs of a test that has them for each strategy, each kind of database, or many files, where no
mark says something else."""

ALGORITHM = Path(__file__).parent.parent / "docs" / "algorithm.md"

_drawing = True


def draw_all():
    """Let all of it run."""
    global _drawing  # noqa: PLW0603  # the option is known before a test is, and by no fixture where tests are made
    _drawing = False


def add_option(parser):
    """The option, which two folders of tests have."""
    with contextlib.suppress(ValueError):  # the other folder was there before
        parser.addoption("--everything", action="store_true", help="Run all cases instead of drawing from the many.")


def configure(config):
    """Draw, unless everything is asked for, or a test by its name."""
    named = config.option.keyword or any("::" in str(argument) for argument in config.args)
    if named or config.getoption("--everything"):
        draw_all()


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


def number_of(examples, share=12, fewest=4):
    """How many examples of a property run: one in `share`, but a few of each."""
    return max(min(examples, fewest), examples // share) if _drawing else examples


def _place(name):
    return hashlib.sha256(name.encode()).hexdigest()


def undrawn(items):
    """The cases that do not run: of tests with the mark `everything` all, of the tests of a file with the mark
    `one_test_in(n)` all but one in n, and of tests with the mark `drawn(n)` or a parameter of BY_PARAMETER all cases
    but one in n."""
    if not _drawing:
        return []
    cases = defaultdict(list)
    left = []
    for item in items:
        if item.get_closest_marker("everything"):
            left.append(item)
        else:
            cases[item.nodeid.partition("[")[0]].append(item)
    for test in _not_their_turn(cases):
        left += cases.pop(test)
    for found in cases.values():
        left += _by_turns(found)[math.ceil(len(found) / _one_in(found[0])) :]
    return left


def _not_their_turn(cases):
    """The names of tests of which others of their file run. What shows a part of the seeds has its turn always; a test
    with a mark of its own is drawn among those with the same."""
    tests = defaultdict(list)
    for test, (item, *_) in cases.items():
        mark = item.get_closest_marker("one_test_in")
        if mark and test.removeprefix("tests/") not in _of_the_seeds():
            tests[test.partition("::")[0], mark.args[0]].append(test)
    return [test for (_, n), alike in tests.items() for test in sorted(alike, key=_place)[math.ceil(len(alike) / n) :]]


@cache
def _of_the_seeds():
    """The tests that docs/algorithm.md names, as `FOLDER/FILE::TEST`."""
    return frozenset(re.findall(r"`([\w/]+\.py::\w+)`", ALGORITHM.read_text(encoding="utf-8")))


def _by_turns(items):
    """Items by their names, of files of each folder of real sessions (mostly a format) the first, then the second."""
    taken: Counter[str] = Counter()
    ranked = []
    for place, item in sorted(((_place(item.nodeid), item) for item in items), key=lambda one: one[0]):
        folder = _folder(_parameters(item).get("path"))
        ranked.append((taken[folder], place, item))
        taken[folder] += 1
    return [item for *_, item in sorted(ranked, key=lambda one: one[:2])]


def _folder(path):
    """The folder of real sessions that a file is in, however deep."""
    parts = path.parts if isinstance(path, Path) else ()
    return parts[parts.index("transcripts") + 1] if "transcripts" in parts else ""


def _parameters(item):
    return item.callspec.params if hasattr(item, "callspec") else {}


def _one_in(item):
    """Of how many cases of a test one runs."""
    mark = item.get_closest_marker("drawn")
    if mark:
        return mark.args[0]
    return max((BY_PARAMETER.get(name, 1) for name in _parameters(item)), default=1)
