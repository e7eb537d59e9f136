"""Draw the cases that `make test` runs. All cases run with `pytest --everything`, as in `make test-all`.

The draw depends on names only: it is the same each time and on every machine, and a new case changes it little. If a
test is selected by name (`FILE::TEST`, `-k`), nothing is drawn and all its cases run.
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
"""Parameter -> n: without a mark, one in n cases runs of a test that has this parameter, such as each strategy, kind of
database, or file."""

ALGORITHM = Path(__file__).parent.parent / "docs" / "algorithm.md"

_drawing = True


def draw_all():
    """Let all cases run."""
    global _drawing  # noqa: PLW0603  # the option is known before any test, and tests are made where no fixture is available
    _drawing = False


def add_option(parser):
    """Add the option `--everything`, which two folders of tests have."""
    with contextlib.suppress(ValueError):  # the other folder has already added it
        parser.addoption("--everything", action="store_true", help="Run all cases instead of drawing from the many.")


def configure(config):
    """Draw cases, unless the user asked for everything or for a test by name."""
    named = config.option.keyword or any("::" in str(argument) for argument in config.args)
    if named or config.getoption("--everything"):
        draw_all()


def is_drawing():
    return _drawing


def draw_items(items, number, name):
    """Return `number` of the items, in their order; all with --everything. `name`: identifies the case, so that cases
    draw different items."""
    items = list(items)
    if not _drawing:
        return items
    chosen = sorted(items, key=lambda item: _place_by_name(f"{name} {item}"))[:number]
    return [item for item in items if item in chosen]


def loop_step(step):
    """Return the step of a loop over many cases: 1 with --everything."""
    return step if _drawing else 1


def example_count(examples, share=12, fewest=4):
    """Return the number of examples of a property to run: one in `share`, but at least `fewest`."""
    return max(min(examples, fewest), examples // share) if _drawing else examples


def _place_by_name(name):
    return hashlib.sha256(name.encode()).hexdigest()


def undrawn_items(items):
    """Return the cases that do not run: all cases of tests marked `everything`; of the tests in a file marked
    `one_test_in(n)`, all but one in n; and of tests marked `drawn(n)` or with a parameter in BY_PARAMETER, all cases
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
    for test in _undrawn_names(cases):
        left += cases.pop(test)
    for found in cases.values():
        left += _in_turns(found)[math.ceil(len(found) / _draw_interval(found[0])) :]
    return left


def _undrawn_names(cases):
    """Return the names of the tests marked `one_test_in` that do not run. Tests that show a part of the seeds always
    run. A test is drawn among those of its file with the same number in the mark."""
    tests = defaultdict(list)
    for test, (item, *_) in cases.items():
        mark = item.get_closest_marker("one_test_in")
        if mark and test.removeprefix("tests/") not in _tests_of_seeds():
            tests[test.partition("::")[0], mark.args[0]].append(test)
    return [
        test
        for (_, n), alike in tests.items()
        for test in sorted(alike, key=_place_by_name)[math.ceil(len(alike) / n) :]
    ]


@cache
def _tests_of_seeds():
    """Return the tests that docs/algorithm.md names, as `FOLDER/FILE::TEST`."""
    return frozenset(re.findall(r"`([\w/]+\.py::\w+)`", ALGORITHM.read_text(encoding="utf-8")))


def _in_turns(items):
    """Return the items in an order given by their names, taking turns between the folders of real sessions, which are
    mostly one format each."""
    taken: Counter[str] = Counter()
    ranked = []
    for place, item in sorted(((_place_by_name(item.nodeid), item) for item in items), key=lambda one: one[0]):
        folder = _session_folder(_parameters(item).get("path"))
        ranked.append((taken[folder], place, item))
        taken[folder] += 1
    return [item for *_, item in sorted(ranked, key=lambda one: one[:2])]


def _session_folder(path):
    """Return the top folder of the real sessions that a file is in; "" for other paths."""
    parts = path.parts if isinstance(path, Path) else ()
    return parts[parts.index("transcripts") + 1] if "transcripts" in parts else ""


def _parameters(item):
    return item.callspec.params if hasattr(item, "callspec") else {}


def _draw_interval(item):
    """Return n if one in n cases of a test runs."""
    mark = item.get_closest_marker("drawn")
    if mark:
        return mark.args[0]
    return max((BY_PARAMETER.get(name, 1) for name in _parameters(item)), default=1)
