"""Lines that a later call took out of their file: what was read before does not hold any more."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from tests.pipeline.sessions import Json, assistant, compact, result, transcript, user

OLD = "    return max(harbor.levels_of_yesterday)"
NEW = "    return max(harbor.levels_of_today)"
OTHER = "def low_water(harbor, since=HALF_A_DAY):"
SHOWN = f"     8→def high_water(harbor):\n     9→{OLD}\n    10→\n    11→{OTHER}"
PATCH = f"*** Begin Patch\n*** Update File: src/tides.py\n@@\n-{OLD}\n+{NEW}\n*** End Patch"


def edit(id_: str, old: str, new: str, path: str = "src/tides.py") -> tuple[str, str, Json]:
    return id_, "Edit", {"file_path": path, "old_string": old, "new_string": new}


def session(call: tuple[str, str, Any], answer: str = "The file was updated.") -> list[Json]:
    read = ("r", "Read", {"file_path": "src/tides.py"})
    return [
        user("Mend the tides."),
        assistant(None, read),
        result("r", SHOWN),
        assistant(None, call),
        result(call[0], answer),
        assistant("Done."),
    ]


def worth(records: list[Json], text: str) -> float:
    """The bound of the line of the result that holds a text."""
    lines = SessionLines(read_session(transcript(records).messages), lambda _: 0.1)
    return max(lines.bounds[line] for line in lines.of_message(2) if text.strip() in lines.text(line))


@pytest.mark.parametrize(
    ("call", "answer", "holds"),
    [
        (edit("e", OLD, NEW), "The file was updated.", False),
        (edit("e", f"def high_water(harbor):\n{OLD}", f"def high_water(harbor):\n{NEW}"), "Updated.", False),
        (("e", "apply_patch", {"input": PATCH}), "Success. Updated src/tides.py", False),
        (edit("e", OLD, NEW), "Error: String to replace not found in file.", True),
        (edit("e", OLD, NEW, path="src/gates.py"), "The file was updated.", True),
        (edit("e", OLD, f"{NEW}\n{OLD}"), "The file was updated.", True),
        (("e", "Bash", {"command": "grep old src/tides.py"}), OLD, True),
    ],
    ids=["edit", "within", "patch", "failed", "another file", "still there", "no edit"],
)
def test_a_line_is_worth_nothing_when_a_later_call_took_it_out(
    call: tuple[str, str, Json], answer: str, holds: bool
) -> None:
    records = session(call, answer)
    assert (worth(records, OLD) > 0) == holds
    assert worth(records, OTHER) > 0


@pytest.mark.parametrize(
    "again",
    [
        edit("f", NEW, OLD),
        ("f", "Write", {"file_path": "src/tides.py", "content": f"def high_water(harbor):\n{OLD}\n"}),
        ("f", "Bash", {"command": "git checkout src/tides.py"}),
        ("f", "Bash", {"command": "git stash"}),
    ],
)
def test_a_line_that_was_put_in_again_holds(again: tuple[str, str, Json]) -> None:
    records = session(edit("e", OLD, NEW))
    assert worth([*records[:-1], assistant(None, again), result("f", "done"), records[-1]], OLD) > 0
    branch = ("f", "Bash", {"command": "git checkout -b tides"})
    assert worth([*records[:-1], assistant(None, branch), result("f", "done"), records[-1]], OLD) == 0


def test_a_file_of_the_same_name_in_another_folder_is_another_file() -> None:
    for path, holds in (("/w/src/tides.py", False), ("tests/tides.py", True), ("w\\src\\tides.py", False)):
        assert (worth(session(edit("e", OLD, NEW, path=path)), OLD) > 0) == holds, path


def test_of_equal_lines_that_were_not_all_taken_out_none_is_outdated() -> None:
    records = session(edit("e", OLD, NEW))
    records[2] = result("r", f"{SHOWN}\n    12→{OLD}")
    assert worth(records, OLD) > 0


def test_calls_with_the_same_id_are_told_apart() -> None:
    failed, done = "Error: String to replace not found in file.", "The file was updated."
    for first, second, holds in ((failed, failed, True), (failed, done, False)):
        records = session(edit("r", OLD, NEW), first)
        again = [assistant(None, edit("r", OLD, NEW)), result("r", second)]
        assert (worth([*records[:-1], *again, records[-1]], OLD) > 0) == holds


def test_what_is_shown_behind_the_edit_holds() -> None:
    read = assistant(None, ("s", "Bash", {"command": "git show HEAD~1:src/tides.py"}))
    records = session(edit("e", OLD, NEW))
    messages = transcript([*records[:-1], read, result("s", SHOWN), records[-1]]).messages
    lines = SessionLines(read_session(messages), lambda _: 0.1)
    assert any(lines.bounds[line] > 0 for line in lines.of_message(6) if OLD.strip() in lines.text(line))


def test_what_a_search_found_before_the_edit_is_outdated_too() -> None:
    records = session(edit("e", OLD, NEW))
    records[1] = assistant(None, ("r", "Bash", {"command": "grep -rn levels src"}))
    records[2] = result("r", f"src/tides.py:9:{OLD}\nsrc/gates.py:4:{OLD}")
    lines = SessionLines(read_session(transcript(records).messages), lambda _: 0.1)
    (first, *_, last) = lines.of_message(2)
    assert "tides" in lines.text(first)
    assert (lines.bounds[first], lines.bounds[last] > 0) == (0, True)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
def test_an_output_does_not_quote_what_was_replaced_since(strategy: str) -> None:
    listing = "\n".join(f"{n:6}→def harbor_{n}(berth_{n}): return gate_{n * 7}" for n in range(60))
    records = session(edit("e", OLD, NEW))
    records[2] = result("r", f"{SHOWN}\n{listing}")
    more = [part for n in range(6) for part in (assistant(f"Look {n}."), user(f"What of levels_of_yesterday {n}?"))]
    for without in (False, True):
        edited = [*records[:3], *(records[3:5] if not without else []), *more]
        part = compact(edited, strategy=strategy, target_ratio=0.5)
        quoted = OLD.strip() in "\n".join(message.text() for message in part.messages)
        assert quoted == without


def test_what_the_file_held_before_the_edit_still_holds_behind_a_checkout() -> None:
    twice = edit("e", OTHER, f"{OTHER}\n{OLD}")
    records = session(twice)
    back = [assistant(None, ("b", "Bash", {"command": "git checkout src/tides.py"})), result("b", "")]
    assert worth([*records[:-1], *back, records[-1]], OLD) > 0
    there_again = edit("f", NEW, OLD)
    records = [*session(edit("e", OLD, NEW))[:-1], assistant(None, there_again), result("f", "done")]
    assert worth([*records, *back, assistant("Done.")], OLD) > 0
