"""Results that say what they say as a whole only."""

from __future__ import annotations

import pytest

from compactor_cli.strategies.adaptive.required import whole_results
from tests.features.sessions import Told
from tests.pipeline.sessions import assistant, result, user
from tests.strategies.asked import plan_inputs

FILES = [f"src/pier_{n}/gate.py" for n in range(9)]
WHERE = [f"{path}:{n}: gate.level" for n, path in enumerate(FILES)]
LISTS = [
    FILES,
    ["Found 9 files", *FILES],
    ["./pier/", "pier one/a b.test.tsx", "Makefile.am"],
    [f"/home/me/pier_{n}/gate.py" for n in range(9)],
    ["~/pier/a.py", "C:\\pier\\a.py", "app/[id]/(gate)/page.tsx"],
]
OTHERS = [
    FILES[:2],
    WHERE,
    [*FILES, *(f"pier {n} is not read" for n in range(4))],
    [f"src/pier_{n}.py" for n in range(41)],
    [f"{n}.5" for n in range(40)],
    ["10.0.0.7", "v1.2.3", "com.acme.Gate", "a.py"],
    ["12/13/2024", "13/13/2024", "14/13/2024"],
    [f"see and/or mend pier {n}" for n in range(9)],
    [f"https://pier.example/{n}" for n in range(9)],
]


@pytest.mark.parametrize("found", [*LISTS, *OTHERS], ids=lambda found: found[0])
def test_a_list_of_files_that_were_found_is_one_wherever_it_stands(found: list[str]) -> None:
    said = "\n".join(found)
    inputs = plan_inputs([user("Rename the piers."), assistant(None, "g"), result("g", said), assistant("I see.")])
    told = Told(user("Rename the piers."), assistant(None, "g"), result("g", said), assistant("I see."))
    lists = whole_results(inputs.groups, told.messages, told.lines, in_place=())
    assert ["\n".join(map(told.lines.text, lines)).split("\n") for lines in lists] == (
        [found] if found in LISTS else []
    )
