"""Results that say what they say as a whole only."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.whole_results import whole_results
from tests.features.sessions import Told
from tests.pipeline.sessions import assistant, result, user
from tests.strategies.asked import given_of

FILES = [f"src/pier_{n}/gate.py" for n in range(9)]
WHERE = [f"{path}:{n}: gate.level" for n, path in enumerate(FILES)]


@pytest.mark.parametrize(
    ("found", "whole"),
    [
        (FILES, FILES),
        (["Found 9 files", *FILES], ["Found 9 files", *FILES]),
        (["./pier/", "pier one/a-b.test.tsx", "Makefile.am"], ["./pier/", "pier one/a-b.test.tsx", "Makefile.am"]),
        (FILES[:2], None),
        (WHERE, None),
        ([*FILES, *(f"pier {n} is not read" for n in range(4))], None),
        ([f"src/pier_{n}.py" for n in range(41)], None),
    ],
)
def test_a_list_of_files_that_were_found_is_one_wherever_it_stands(found: list[str], whole: list[str] | None) -> None:
    said = "\n".join(found)
    inputs = given_of([user("Rename the piers."), assistant(None, "g"), result("g", said), assistant("I see.")])
    told = Told(user("Rename the piers."), assistant(None, "g"), result("g", said), assistant("I see."))
    lists = whole_results(inputs.groups, told.messages, told.lines, in_place=())
    assert ["\n".join(map(told.lines.text, lines)).split("\n") for lines in lists] == ([whole] if whole else [])
