"""The state of the work is in the output, whatever the newest exchanges look like."""

from __future__ import annotations

import json
import re

import pytest

from compactor_cli import api
from compactor_cli.features.work.state import session_state
from compactor_cli.settings import Settings
from tests.builders import ROOT, load_or_skip
from tests.pipeline.sessions import Json, assistant, compact, filler, result, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

SAID = "Right, that is done now."
WRITTEN = "".join(f"value_{n} = quantize(total_{n}, places={n})\n" for n in range(40)).splitlines()
LISTED = "".join(f"report {n} of the year holds row {n * 7} of the ledger {n}\n" for n in range(60)).splitlines()
SESSIONS = ROOT.parent / "shared" / "transcripts"
REAL = [
    "claude-code/9e44573d-4eb8-4de0-8659-418f3c68706d.jsonl",
    "openai-long/derived-pi-pi-mono/large-session.jsonl",
    "codex/019eecb9-cc3a-73c2-814a-dd4f8ced7545.jsonl",
]

STATE = r"^State (?:at the end|after the (?:\d+ messages|message) below):\n- "


def written(number: int, lines: int, listed: int) -> list[Json]:
    arguments = {"file_path": f"src/part_{number}.py", "content": "\n".join(WRITTEN[:lines])}
    call = assistant(f"I write part {number}.", (f"w{number}", "Write", arguments))
    return [call, result(f"w{number}", "\n".join(LISTED[:listed]))]


def copied() -> list[Json]:
    command = {"command": "cp themes/dark1.json themes/custom-dark1.json"}
    return [assistant(None, ("s1", "Bash", command)), result("s1", "(no output)")]


@pytest.mark.parametrize(
    ("ending", "ratio"),
    [
        ([*written(0, 9, 24), *written(1, 31, 41), *written(2, 39, 1)], 0.25),
        ([user("Yes."), *copied(), *written(2, 5, 1), assistant(SAID), assistant(SAID), *written(5, 26, 50)], 0.15),
    ],
)
def test_the_state_stands_in_a_summary_though_what_is_left_last_is_too_small_for_one(
    ending: list[Json], ratio: float
) -> None:
    part = compact([*work.session()[:40], *ending], strategy="adaptive", target_ratio=ratio)
    summaries = [message.text() for message in part.messages if message.origin == "summary"]
    assert re.search(STATE, summaries[-1], re.MULTILINE)
    assert sum(text.count("\nState") for text in summaries) == 1


@pytest.mark.drawn(6)
@pytest.mark.parametrize("name", REAL)
@pytest.mark.parametrize("ratio", [0.1, 0.25])
def test_the_state_of_a_real_session_is_there(name: str, ratio: float) -> None:
    source = load_or_skip(SESSIONS / name, "o200k_base")
    (part,) = api.compact(source, Settings(strategy="adaptive", target_ratio=ratio), tokenizer="o200k_base").parts
    assert session_state(part.before.messages)
    summaries = [m.text() for m in part.messages if m.origin == "summary"]
    assert any(re.search(STATE, text, re.MULTILINE) for text in summaries)


def edited(message: int, times: int = 1) -> list[Json]:
    """An edit of the same file each time."""
    records: list[Json] = []
    for n in range(times):
        number = f"e{message}_{n}"
        arguments = {"file_path": "src/tides.py", "old_string": f"tide_{number}", "new_string": f"flood_{number}"}
        records += [assistant(f"Edit {number}.", (number, "Edit", arguments)), result(number, "The file was updated.")]
    return records


def tasks(*statuses: str) -> list[Json]:
    todos = [{"content": f"Task number {n}", "status": status} for n, status in enumerate(statuses)]
    number = "t" + "".join(status[0] for status in statuses)
    return [assistant(None, (number, "TodoWrite", {"todos": todos})), result(number, "Todos have been modified.")]


def state_of(records: list[Json]) -> list[str]:
    (transcript,) = api.load("\n".join(map(json.dumps, records)).encode(), "file.jsonl", tokenizer="chars").transcripts
    return [line.text for line in session_state(transcript.messages)]


@pytest.mark.parametrize("ratio", [0.15, 0.25, 0.4, 0.6])
def test_what_stays_at_its_place_is_not_counted_once_more_in_the_next_round(ratio: float) -> None:
    start = [user("Mend the tides."), *tasks("completed", "in_progress"), *edited(0, 3), *written(0, 31, 41)]
    middle = [*written(1, 31, 41), *edited(1, 2), *tasks("completed", "completed"), *written(2, 5, 9), *edited(2, 2)]
    first = compact([*start, *middle], strategy="adaptive", target_ratio=ratio)
    carried = [json.loads(line) for line in first.data.splitlines()]
    assert any("\nState after the " in message.text() for message in first.messages)
    assert state_of(carried) == state_of([*start, *middle])
    more = edited(3, 4)
    assert "edited src/tides.py 11x, unchecked" in state_of([*start, *middle, *more])
    assert set(state_of([*carried, *more])) == set(state_of([*start, *middle, *more]))


def test_a_task_list_that_stays_at_its_place_is_not_told_before_it() -> None:
    listed = tasks(*["completed"] * 4, "in_progress", "pending")
    start = [user("Mend the tides."), *written(0, 31, 41), *written(1, 31, 41), user("Now do the tasks of the plan.")]
    messages = compact([*start, *edited(5), *listed], strategy="adaptive", target_ratio=0.25).messages
    (place,) = [at for at, message in enumerate(messages) if any(part.name == "TodoWrite" for part in message.calls)]
    before = [message.text() for message in messages[:place] if message.origin == "summary"]
    assert any("\nState after the " in text for text in before)
    assert not any("Task number 4" in text for text in before)


def test_all_that_took_place_outside_is_told_before_the_details_of_any() -> None:
    booked: list[Json] = []
    for number in range(6):
        flights = [{"flight": f"HAT{number}{n}", "date": "2024-05-10"} for n in range(3)]
        arguments = {"user_id": "mia_li_3668", "cabin": "economy", "flights": flights}
        booked += [assistant(None, (f"b{number}", "book_reservation", arguments))]
        booked += [result(f"b{number}", json.dumps({"reservation_id": f"HATHA{number}"}))]
    records = [*work.session(12), *booked, *(record for n in range(9) for record in filler(n))]
    lines = {}
    for ratio in (0.1, 0.08, 0.065, 0.05, 0.03, 0.016):
        told = "\n".join(m.text() for m in compact(records, strategy="adaptive", target_ratio=ratio).messages)
        assert all(f"HATHA{n}" in told for n in range(6)), ratio
        lines[ratio] = [line for line in told.split("\n") if line.startswith("- book_reservation")]
    assert len(lines[0.08]) > 1
    assert all(" (cabin economy, flights " in line for line in lines[0.08]), "there is room for details"
    joined = f"- book_reservation {{{', '.join(f'HATHA{n}' for n in range(6))}}}"
    assert lines[0.05] == lines[0.03] == lines[0.016] == [joined]


def test_a_turn_that_only_closes_the_history_is_none_behind_which_the_state_holds() -> None:
    records = [*work.session(30), assistant(None, ("b1", "book_reservation", {"reservation_id": "HATHA7"}))]
    part = compact([*records, result("b1", "booked " * 60)], strategy="handoff", target_ratio=0.02)
    (text,) = [message.text() for message in part.messages if message.origin == "summary"]
    assert [(m.role, m.index - len(records)) for m in part.messages[-3:]] == [
        ("assistant", -1),
        ("tool", 0),
        ("assistant", 1),
    ], "the turn that closes the history is added"
    assert "\nState after the 2 messages below:\n" in text


@pytest.mark.parametrize("ratio", [0.27, 0.3])
def test_a_task_that_a_call_at_its_place_only_numbers_is_told(ratio: float) -> None:
    names = [f"Write chapter {n} of the manual of tides" for n in range(4)]
    made = [
        record
        for n, name in enumerate(names, 1)
        for record in (
            assistant(None, (f"m{n}", "TaskCreate", {"subject": name, "description": "d"})),
            result(f"m{n}", f"Task #{n} created successfully: {name}"),
        )
    ]

    def update(task: int, status: str) -> list[Json]:
        number = f"u{task}{status}"
        call = (number, "TaskUpdate", {"taskId": str(task), "status": status})
        return [assistant(None, call), result(number, f"Updated task #{task} status")]

    start = [user("Mend the tides."), *made, *update(1, "in_progress"), *written(0, 31, 41), *written(1, 31, 41)]
    ending = [*update(1, "completed"), *update(2, "in_progress"), *edited(5, 1)]
    part = compact([*start, *ending], strategy="adaptive", target_ratio=ratio)
    assert any(call.name == "TaskUpdate" for message in part.messages for call in message.calls)
    text = "\n".join(message.text() for message in part.messages)
    assert f"- [x] {names[0]} (task 1)" in text
    assert f"- [>] {names[1]} (task 2)" in text
    assert f"- [ ] {names[3]} (task 4)" in text


def test_what_was_done_behind_a_turn_of_the_user_is_not_told_before_it() -> None:
    """It stands behind it, and would seem to be what the turn is about."""
    asked = "Now commit each of the parts that you have mended, one after the other."
    commits = [
        [
            assistant(None, (f"g{n}", "Bash", {"command": f'git commit -m "Mend part {n}"'})),
            result(f"g{n}", f"[main {n}a2b3c4] Mend part {n}\n 1 file changed, 2 insertions(+)"),
        ]
        for n in range(4)
    ]
    records = [*work.session(20, end=False), *commits[0], *work.session(3, end=False)[1:], user(asked)]
    records += [record for commit in commits[1:] for record in commit]
    part = compact(records, strategy="adaptive", target_ratio=0.2)
    text = "\n".join([m.text() + "".join(call.text for call in m.calls) for m in part.messages])
    assert "Mend part 0" in text
    assert all(text.index(asked) < text.index(f"Mend part {n}") for n in (1, 2, 3))
