"""What stays of a message at its place: signs of lines, and how a command begins."""

from __future__ import annotations

import json

import pytest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.model.group import Group
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.adaptive.in_place import InPlaceRenderer
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.excerpts import quote
from tests.builders import call, calling_message
from tests.builders import result as answers
from tests.builders import user as asks
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, load, result, user
from tests.strategies.test_newest_exchanges import TASK, readings


def newest(call: tuple[str, str, Json], answer: str, target: int = 1_500) -> tuple[str, str]:
    """The arguments and the result of a call that stays at its place, with one behind it."""
    then = [assistant("I see.", ("next", "Bash", {"command": "make tides"})), result("next", "done")]
    records = [user(TASK), *readings(), assistant(None, call), result(call[0], answer), *then]
    part = compact(records, target_tokens=target, strategy="adaptive")
    parts = [part for message in part.messages for part in message.parts if part.call_id == call[0]]
    return parts[0].text, parts[1].text


def test_the_blank_that_says_that_nothing_is_staged_stays_before_a_file() -> None:
    status = "\n".join([" M src/tides.py", *(f"A  src/harbor_{n}/gate_{n}.py" for n in range(60)), " D src/quay.py"])
    _, answer = newest(("s", "Bash", {"command": "git status --short src/tides.py src/quay.py"}), status)
    shown = answer.split("\n")
    assert "left out" in answer
    assert {"M src/tides.py", "D src/quay.py"}.isdisjoint(shown)
    assert {" M src/tides.py", " D src/quay.py"}.intersection(shown)


@pytest.mark.parametrize("key", ["command", "code", "cmd"])
def test_a_command_of_which_nothing_was_chosen_says_how_it_begins(key: str) -> None:
    script = "\n".join(
        ["git commit -m 'fix: guard the gates", *(f"it was so, and then so {n % 3}" for n in range(90)), "'"]
    )
    arguments, _ = newest(("c", "Bash", {key: script}), "[main a87a777] fix: guard the gates", 900)
    assert json.loads(arguments)[key].startswith("git commit -m 'fix: guard the gates\n[…")


@pytest.mark.parametrize(("number", "signs"), [("{:>6}→", False), ("{:>6}\t", False), ("", True)])
def test_lines_with_numbers_need_no_sign_between_them(number: str, signs: bool) -> None:
    """Their numbers say that lines are left out, and need not be equally wide."""
    read = [number.format(n) + f"def tide_{n}(gate): return gate.level_{n} + water_of(the_gate_{n})" for n in range(40)]
    source = load([user("Look."), assistant(None, ("r", "Read", {"path": "a.py"})), result("r", "\n".join(read))])
    messages = source.transcripts[0].messages
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    renderer = InPlaceRenderer(messages, lines, len, pair_calls(messages))
    own = list(lines.of_message(2))
    group = Group(1, (1, 2), sum(messages[i].tokens for i in (1, 2)))
    (edit,) = renderer.render(group, {own[4], own[5], own[9], own[20]}, "").edits
    mark, *shown = edit.text.split("\n")
    assert "left out in all" in mark
    kept = [f"{read[n].strip()}" for n in (4, 5, 9, 20)]
    assert shown == ([*kept[:2], "…", kept[2], "…", kept[3], "…"] if signs else [*kept, "…"])


def test_a_later_round_says_that_lines_are_left_out_between_numbers() -> None:
    read = "\n".join(f"{n}→def tide_{n}(gate): return gate.level_{n}" for n in (3, 4, 40, 41))
    told = Told(
        asks("What is it?"), calling_message(call("c1", "Read", '{"path": "src/tides.py"}')), answers("c1", read)
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    lines = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in told.lines.of_message(2)])).split("\n")
    assert [line.startswith("…") for line in lines] == [False, False, True, False]
    listed = Told(
        asks(
            "\n".join(
                f"{n}: mend the gate of harbor_{n} before the tide comes in, and tell its pilots." for n in (3, 4, 40)
            )
        )
    )
    quoter = Quoter(listed.messages, listed.lines, len, pair_calls(listed.messages))
    assert "…" not in quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in listed.lines.of_message(0)]))


def test_a_record_of_which_nothing_was_chosen_begins_with_what_it_is_of() -> None:
    record = {
        "id": "av-12",
        "title": "Gates rust",
        **{f"note_{n}": f"it was so {n % 3}" for n in range(60)},
        "count": 2,
    }
    source = load(
        [user("Look."), assistant(None, ("r", "show", {"path": "a"})), result("r", json.dumps(record, indent=1))]
    )
    messages = source.transcripts[0].messages
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    renderer = InPlaceRenderer(messages, lines, len, pair_calls(messages))
    (edit,) = renderer.render(Group(1, (1, 2), sum(messages[i].tokens for i in (1, 2))), set(), "").edits
    assert '"id":"av-12"' in edit.text
    assert '"title":"Gates rust"' in edit.text
    assert '"count"' not in edit.text


FOUND = "The pump of Harbor 7 gives 8.1 MW, and it cost 74.6m when it was built by the town in 2022."
MIDDLE = " ".join(f"The {n}th of the pages says nothing of any use for that, as far as one can see." for n in range(60))
TOLD = "That completes the five of them, and shall I look for more?"


@pytest.mark.parametrize("tokens", [190, 260, 420])
def test_an_answer_that_is_cut_keeps_how_it_begins_and_how_it_ends(tokens: int) -> None:
    source = load([user("Look."), assistant(f"{FOUND} {MIDDLE} {TOLD}"), user("And now?"), assistant("I look.")])
    messages = source.transcripts[0].messages
    renderer = InPlaceRenderer(
        messages, SessionLines(read_session(messages), lambda term: 1.0), len, pair_calls(messages)
    )
    (edit,) = renderer.render(Group(1, (1,), messages[1].tokens), set(), "", tokens).edits
    assert edit.text.startswith(FOUND)
    assert edit.text.endswith(TOLD)
    assert "left out" in edit.text


@pytest.mark.parametrize("tokens", [80, 120])
def test_of_an_answer_with_too_little_room_for_both_the_end_stays(tokens: int) -> None:
    source = load([user("Look."), assistant(f"{FOUND} {MIDDLE} {TOLD}"), user("And now?"), assistant("I look.")])
    messages = source.transcripts[0].messages
    renderer = InPlaceRenderer(
        messages, SessionLines(read_session(messages), lambda term: 1.0), len, pair_calls(messages)
    )
    (edit,) = renderer.render(Group(1, (1,), messages[1].tokens), set(), "", tokens).edits
    assert FOUND not in edit.text
    assert edit.text.endswith(TOLD)
