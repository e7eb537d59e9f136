"""JSON that a tool prints over many lines: its records stand side by side, and what was asked for is among them."""

from __future__ import annotations

import json

import pytest

from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.model.group import Group
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.adaptive.in_place import InPlaceRenderer
from compactor_cli.text.json_values import on_one_line
from compactor_cli.text.units import json_members
from tests.builders import call, calling_message, read_records, user
from tests.builders import result as answers
from tests.features.sessions import Told
from tests.strategies.test_in_place import newest

CODES = [200, 201, 400, 404, 499, 502, 504, 511, 598]


def measured(codes: list[int], asked: str) -> tuple[str, str]:
    """What stays of measured values at its place, and the text of the tool."""
    values = [{"metric": {"code": str(code)}, "value": [1763478421.9, f"0.{code * 7}"]} for code in codes]
    said = json.dumps({"status": "success", "data": {"resultType": "vector", "result": values}}, indent=2)
    return newest(("q", "run_query", {"query": asked}), said, 2_000)[1], said


def test_the_record_that_was_asked_for_stays_with_its_value_side_by_side() -> None:
    shown, said = measured(list(range(300, 324)), "rate_of{code=311} by code_311")
    assert "left out" in shown
    assert '"value":[1763478421.9,"0.' in shown
    assert said.count("\n") > 99
    assert shown.count("\n") < 4


def test_of_records_that_nobody_asked_for_the_first_stands_behind_what_is_around_them() -> None:
    shown, _ = measured(list(range(300, 324)), "x")
    assert '{"metric":{"code":"300"},"value":[1763478421.9,"0.2100"]}' in shown


@pytest.mark.parametrize(
    "text",
    [
        "[12] a line\n}",
        "{\n  a: 1\n}",
        '{"a": 1}\n{"b": 2}',
        '{\n  "a": 1,\n  …\n}',
        "{ make\n}",
        '{"a": 1}',
        "[ERROR] it failed\n[x]",
        "[\n]x",
        "func main() {\n}",
        "{\n  'a': 1\n}",
    ],
)
def test_what_is_no_json_of_several_lines_stays_as_it_is(text: str) -> None:
    assert on_one_line(text) == text


def test_a_value_of_a_large_record_stands_behind_the_label_that_says_whose_it_is() -> None:
    labels = {"pod": "checkout-7b9f7d-4vbqk", "container": "app", "node": "ip-10-3-41-17.eu-west-1.internal.example"}
    records = [{"metric": labels, "value": [1763478421.9, "231.4"], "kind": "gauge of the whole container " * 4}] * 2
    text = json.dumps(records, separators=(",", ":"))
    leads = [text[m.leads[0][0] : m.leads[0][1]] for m in json_members(text) if '"kind"' in text[m.start : m.end]]
    assert leads == ['"pod":"checkout-7b9f7d-4vbqk"'] * 2


def test_a_file_of_json_that_was_changed_later_keeps_its_lines() -> None:
    said = json.dumps({f"harbor_{n}": f"gate_{n}_of_the_north" for n in range(9)}, indent=2)
    edit = json.dumps(
        {"path": "a.json", "old_string": '  "harbor_3": "gate_3_of_the_north",', "new_string": '  "harbor_3": "berth",'}
    )
    told = Told(
        user("Go."),
        calling_message(call("c1", "Read", '{"path": "a.json"}')),
        answers("c1", said),
        calling_message(call("c2", "Edit", edit)),
        answers("c2", "ok"),
    )
    piece = next(piece for piece in told.lines.session.pieces if piece.message == 2)
    assert piece.text == said
    assert piece.outdated_lines == {4}


def beside(said: str, asked: str, chosen: str) -> str:
    """What stays at its place of a result of which the lines with a text were chosen."""
    messages = read_records(
        *map(
            json.dumps,
            [user("Go."), calling_message(call("c1", "run_query", json.dumps({"query": asked}))), answers("c1", said)],
        )
    )
    lines = SessionLines(read_session(messages), lambda term: 1.0)
    taken = {line for line in lines.of_message(2) if chosen in lines.text(line)}
    assert taken
    renderer = InPlaceRenderer(messages, lines, len, pair_calls(messages))
    edits = renderer.render(Group(1, (1, 2), sum(messages[i].tokens for i in (1, 2))), taken, "").edits
    return next(edit.text for edit in edits if edit.message == 2)


def test_beside_chosen_lines_a_list_shows_the_record_that_was_asked_for_or_its_first() -> None:
    values = [
        {"metric": {"code": f"code_{code}"}, "value": [1763478421.9, f"0.{code * 7}"]} for code in range(300, 324)
    ]
    said = json.dumps({"status": "success", "data": {"result": values}})
    assert "code_311" in beside(said, "rate_of code_311", '"success"')
    assert "code_300" not in beside(said, "rate_of code_311", '"success"')
    assert "code_300" in beside(said, "x", '"success"')
    assert beside(said, "x", "code_300").count("code_") == 1


def test_of_several_records_that_were_asked_for_a_chosen_one_is_enough() -> None:
    values = [{"code": f"code_{code // 2}", "level": f"level_{code} of the quay"} for code in range(600, 648)]
    said = json.dumps({"status": "success", "data": {"result": values}})
    shown = beside(said, "rate_of code_311", "level_623")
    assert "level_623" in shown
    assert "level_622" not in shown


def test_beside_chosen_lines_of_other_results_nothing_more_is_shown() -> None:
    record = {f"gate_{n}": f"the level is {n * 7} at the quay of the north" for n in range(24)}
    assert "gate_11" not in beside(json.dumps(record), "rate_of gate_11", '"gate_3"')
    plain = "\n".join(f"gate_{n} is high, and the level is {n * 7} at the quay of the north" for n in range(24))
    assert "gate_11" not in beside(plain, "rate_of gate_11", "gate_3 ")
