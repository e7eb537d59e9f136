"""What is left of a large result holds what it was asked for: words of the call, names in what was said before it, and
names in the newest requests."""

from __future__ import annotations

import pytest

from compactor_cli.pipeline.groups import form_groups
from compactor_cli.strategies.shared.relevant_lines import RelevantLines
from compactor_cli.strategies.shared.renditions import Cut, Renderer
from compactor_cli.tokens import make_counter
from tests.pipeline.sessions import Json, assistant, compact, filler, result, transcript, user

COUNT = make_counter("chars").counter.count
DEFINITION = [
    "def high_water(harbor):",
    '    """Return the highest water of the day."""',
    "    return max(harbor.levels)",
]
LINES = [f"row {at:03} of the listing says nothing of interest" for at in range(200)]
LISTING = [*LINES[:120], *DEFINITION, *LINES[120:]]


def looked(said: str | None = None, request: str = "Mend the tides.", **arguments: str) -> list[Json]:
    call = ("look", "bash", {"path": "src/tides.py", **arguments})
    return [user(request), assistant(said, call), result("look", "\n".join(LISTING))]


@pytest.mark.parametrize(
    "records",
    [
        looked(command="grep -A 5 'def high_water' src/tides.py"),
        looked("I look at `high_water` now.", command="cat src/tides.py"),
        looked(request="Why does high_water say nothing?", command="cat src/tides.py"),
    ],
    ids=["the call", "said before it", "the request"],
)
def test_a_cut_result_keeps_what_it_was_asked_for_and_the_lines_behind_it(records: list[Json]) -> None:
    messages = transcript(records).messages
    groups = list(form_groups(messages))
    decision = Renderer(messages, COUNT).shorten(groups[-1], Cut(outputs=150), "")
    (text,) = [edit.text for edit in decision.edits]
    kept = text.split("\n")
    at = kept.index(DEFINITION[0])
    assert kept[at : at + 3] == DEFINITION
    assert kept[0] == LINES[0]
    assert kept[-1] == LINES[-1]


def test_where_something_was_looked_for_and_what_many_lines_hold_is_nothing_that_was_asked_for() -> None:
    records = looked(command="grep listing src/interest/row.py")
    assert RelevantLines(transcript(records).messages).lines((2, 0), LISTING) == ()


def test_the_rarest_words_come_first() -> None:
    lines = [*LINES[:20], "tide tide tide high", *["the tide table"] * 2, "the high table", *LINES[20:60]]
    asked = RelevantLines(transcript(looked(command="grep -i 'table\\|water\\|high' all")).messages)
    assert asked.lines((2, 0), lines)[:2] == (20, 23)


def test_a_result_of_the_newest_exchanges_shows_what_it_was_asked_for_where_no_line_of_it_was_chosen() -> None:
    call = ("look", "bash", {"command": "grep -rn -A 30 'tidal bulge' src"})
    shown = [f"value {at}" for at in range(60)]
    shown[30] = "the tidal bulge is here"
    records = [
        user("Mend the tides."),
        *(record for number in range(12) for record in filler(number)),
        assistant(None, call),
        result("look", "\n".join(shown)),
        assistant("I see.", ("next", "bash", {"command": "ls"})),
        result("next", "ok"),
    ]
    part = compact(records, target_tokens=900, strategy="adaptive")
    (answer,) = [m.text() for m in part.messages if m.results and m.results[0].call_id == "look"]
    assert "lines left out" in answer
    assert "the tidal bulge is here" in answer


@pytest.mark.parametrize(
    "records",
    [
        looked("I look at line 123.", command="cat src/tides.py"),
        looked(request="It is wrong at src/tides.py:123.", command="cat src/tides.py"),
        looked(request="See https://example.org/tides.py#L123.", command="cat src/tides.py"),
        looked(command="goto 123"),
        looked(line_number="123"),
    ],
    ids=["said before it", "a place", "a link", "goto", "an argument"],
)
def test_lines_whose_numbers_are_named_come_first(records: list[Json]) -> None:
    numbered = [f"{at + 1}: {line}" for at, line in enumerate(LISTING)]
    assert RelevantLines(transcript(records).messages).lines((2, 0), numbered)[:1] == (122,)
    assert RelevantLines(transcript(records).messages).lines((2, 0), numbered[122:])[:1] != (0,), (
        "from where it was read"
    )


@pytest.mark.parametrize("target", [300, 2_000])
def test_the_result_that_is_answered_next_keeps_the_line_that_the_call_names(target: int) -> None:
    shown = [f"{at}: self.precision_{at} = units_of_field[{at}]" for at in range(1_400, 1_500)]
    shown[74] = "1474: return base_unit"
    records = [
        user("The field rounds wrongly, see the place."),
        *(record for number in range(12) for record in filler(number)),
        assistant("I open it.", ("look", "open", {"path": "src/fields.py", "line_number": 1474})),
        result("look", "\n".join(shown)),
    ]
    answer = compact(records, strategy="adaptive", target_tokens=target).messages[-1].text()
    assert "1474: return base_unit" in answer


def test_times_of_a_log_are_no_numbers_of_lines() -> None:
    log = [f"10:{at // 60:02}:{at % 60:02} the night is quiet" for at in range(200)]
    log[150] += ", but PaymentGateway fails"
    records = looked(request="PaymentGateway fails, see app.py:10.", command="cat app.log")
    assert RelevantLines(transcript(records).messages).lines((2, 0), log)[:1] == (150,)


def test_both_sides_of_a_conflict_come_first() -> None:
    sides = ["<<<<<<< HEAD", "    high = max(levels)", "=======", "    high = top(levels)", ">>>>>>> tides"]
    listing = [*LINES[:90], *sides, *DEFINITION, *LINES[90:]]
    numbered = [f"{at:6}\t{line}" for at, line in enumerate(listing, start=1)]
    for shown in (listing, numbered):
        call = ("look", "bash", {"command": "cat src/tides.py; grep high_water"})
        records = [user("Merge it."), assistant(None, call), result("look", "\n".join(shown))]
        found = RelevantLines(transcript(records).messages).lines((2, 0), shown)
        assert found[:5] == (90, 91, 92, 93, 94)
        assert 95 in found, "what it was asked for comes behind"
    assert (
        RelevantLines(transcript(looked(command="cat a")).messages).lines((2, 0), ["=======", "title", "======="]) == ()
    )


def test_all_names_of_the_last_request_are_looked_for() -> None:
    names = [f"req_{n:03}_x" for n in range(100)]
    records = [user("Look at " + ", ".join(names)), assistant(None, ("c", "bash", {"command": "make"}))]
    lines = [*LINES[:50], "req_095_x is wrong", *LINES[50:]]
    messages = transcript([*records, result("c", "\n".join(lines))]).messages
    assert 50 in RelevantLines(messages).lines((2, 0), lines)


def test_names_of_earlier_requests_are_looked_for_too() -> None:
    records = [user("My flight HAT0039 is late."), assistant("Who are you?"), user("I am Ethan.")]
    records += [assistant(None, ("c", "bash", {"command": "list"}))]
    lines = [*LINES[:50], "HAT0039 leaves at nine", *LINES[50:]]
    messages = transcript([*records, result("c", "\n".join(lines))]).messages
    assert 50 in RelevantLines(messages).lines((4, 0), lines)


@pytest.mark.parametrize(("later", "expected"), [(["Where is HAT0039?"], True), (["Where is HAT0039?", "Go."], False)])
def test_names_of_later_requests_are_only_looked_for_while_the_request_is_the_newest(
    later: list[str], expected: bool
) -> None:
    lines = [*LINES[:50], "HAT0039 leaves at nine", *LINES[50:]]
    records = [user("List the flights."), assistant(None, ("c", "bash", {"command": "list"}))]
    records += [
        result("c", "\n".join(lines)),
        *(record for text in later for record in (user(text), assistant("Well."))),
    ]
    assert (50 in RelevantLines(transcript(records).messages).lines((2, 0), lines)) == expected


def test_an_id_is_looked_for_as_a_whole() -> None:
    lines = [*LINES[:40], "id: av-12.3, the gate", *LINES[40:80], "id: av-12.31, the quay", *LINES[80:120]]
    asked = RelevantLines(transcript(looked(command="bd show av-12.3 --json")).messages)
    assert asked.lines((2, 0), lines)[0] == 40
    assert 81 not in asked.lines((2, 0), lines)


def test_of_two_lines_with_what_was_asked_for_the_one_with_the_id_tells_more() -> None:
    rows = ["host address state", *(f"web-{at:02} 10.0.0.{at} ok" for at in range(40))]
    call = assistant("", ("q", "run_query", {"sql": "select * from host where name = 'web-17'"}))
    messages = transcript([user("What is the state of it?"), call, result("q", "\n".join(rows))]).messages
    found = RelevantLines(messages).lines((2, 0), rows)
    assert rows[found[0]] == "web-17 10.0.0.17 ok"


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        ("If you ever see a lock from `anna@` leave it.", True),
        ("Leave what is locked by `anna@quay.test`.", True),
        ("If you ever see a lock from anna leave it.", False),
        ("Run `leave anna alone` first.", False),
        ("Leave ``` anna ``` alone.", False),
        ("Leave 'anna' alone.", False),
    ],
)
def test_a_name_that_a_request_sets_apart_is_asked_for(request_: str, *, told: bool) -> None:
    lines = [*LINES[:20], "  Who:  anna@mbp", *LINES[20:60]]
    records = [user(request_), assistant("Yes."), *looked(command="tofu plan")]
    assert (20 in RelevantLines(transcript(records).messages).lines((4, 0), lines)) == told
