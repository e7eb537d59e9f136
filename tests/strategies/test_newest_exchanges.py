"""The exchange that the agent goes on from stays at its place with its result; corrections are not outlived."""

from __future__ import annotations

import pytest

from compactor_cli.errors import BudgetError
from tests.pipeline.sessions import Json, assistant, compact, result, transcript, user
from tests.strategies import work

TASK = (
    "The nightly export writes wrong totals for orders with a discount. Find out why, mend it in the module that "
    "computes them, add a test for it, and keep the public functions as they are. The accountants open the file by "
    "hand on Mondays, the warehouse reads it every night at two. Nothing of this is urgent, but it has been wrong "
    "since spring."
)
DECOMPILED = "\n".join(
    [
        "def nightly_export(orders):",
        *(f"    # step {at} of the export, nothing of interest here" for at in range(60)),
        "    total = apply_discount_table(orders, DISCOUNT_RULES)",
        "    return write_ledger(total, LEDGER_PATH)",
    ]
)


def session() -> list[Json]:
    """A long request, old readings, and a call whose result the agent answers next."""
    records = [user(TASK)]
    for at in range(6):
        records += [
            assistant(f"I look at the {at}th module.", f"c{at}"),
            result(f"c{at}", "\n".join(f"line {n} of module_{at}.py" for n in range(80))),
        ]
    arguments = {"path": "src/export/nightly.py", "why": "It writes the totals that the accountants open. " * 6}
    return [*records, assistant(None, ("last", "Read", arguments)), result("last", DECOMPILED)]


@pytest.mark.parametrize("target", [400, 600, 1_200])
def test_the_last_call_and_its_result_stay_at_their_place(target: int) -> None:
    part = compact(session(), target_tokens=target, strategy="adaptive")
    call, answer = part.messages[-2:]
    assert [each.call_id for each in call.calls] == ["last"]
    assert answer.role == "tool"
    assert answer.parts[0].call_id == "last"


@pytest.mark.parametrize("target", [400, 600])
def test_the_result_that_is_answered_next_shows_its_lines_of_most_value(target: int) -> None:
    answer = compact(session(), target_tokens=target, strategy="adaptive").messages[-1].text()
    assert "apply_discount_table" in answer
    assert "write_ledger" in answer
    assert "lines left out" in answer


def test_what_the_agent_wrote_in_the_last_exchange_stays_whole_where_there_is_room() -> None:
    words = "I think that it is taken off twice, once when the order comes in and once more at night. " * 8
    records = [*session()[:-2], assistant(words, "last"), result("last", "ok")]
    part = compact(records, target_tokens=1_200, strategy="adaptive")
    assert part.messages[-2].text("text") == words
    assert transcript(records).messages[-2].tokens > 150


def test_what_an_agent_without_calls_does_stands_at_the_end_of_its_words() -> None:
    records, output = [user(TASK)], "a line of it, like all the others are\n" * 30
    for at in range(12):
        thoughts = f"The {at}th module may be the one, or it may not be, and it will take time to see that. " * 12
        records.append(assistant(f"{thoughts}\n```\nopen_module --number {at} --quiet\n```"))
        records.append(user(f"EXECUTION RESULT of [open]:\n{output}"))
    part = compact(records, target_tokens=1_300, strategy="adaptive")
    said = [message.text() for message in part.messages if message.role == "assistant"]
    assert len(said) >= 2
    assert [text for text in said if not text.endswith("--quiet\n```")] == []


@pytest.mark.drawn(4)
@pytest.mark.parametrize("size", [5, 8, 17, 23])
@pytest.mark.parametrize("target", range(70, 240, 5))
def test_a_request_is_not_outlived_by_the_one_that_it_corrects(size: int, target: int) -> None:
    records = [
        user("Hello, I have a question about the refund of my booking for the summer. It was a long trip."),
        assistant("Gladly. Which booking is it?"),
        user("Refund it to the gift card."),
        assistant("I look.", ("c1", "lookup", {"booking": "X" * size * 8})),
        result("c1", "\n".join(f"booking {n}: seat {n}A, fare {n * 7} euros" for n in range(60))),
        user(
            "I changed my mind about the refund: no gift card, it goes to the account that the booking was paid from, "
            "and please tell me when it is there."
        ),
        assistant("Understood.", ("c2", "refund_booking", {"booking": "Y" * size * 12})),
        result("c2", "Error: the account is not known"),
        user("Thank you."),
    ]
    try:
        part = compact(records, target_tokens=target, strategy="adaptive")
    except BudgetError as error:
        assert error.floor > target
        return
    said = "\n".join(message.text() for message in part.messages)
    assert "Refund it to the gift card." not in said or "no gift card" in said


@pytest.mark.parametrize("target", [150, 200])
def test_a_small_result_that_is_answered_next_is_there_where_its_call_has_no_room(target: int) -> None:
    refused = "Error: the payment does not add up, the price is 305, but paid 255"
    booking = {"flights": ["HAT136", "HAT039"], "passengers": "Mia Li, born in Austin on 1990-04-05. " * 12}
    records = [*session()[:-2], assistant(None, ("last", "book_reservation", booking)), result("last", refused)]
    part = compact(records, target_tokens=target, strategy="adaptive")
    assert refused in part.messages[-1].text()


@pytest.mark.parametrize(
    ("began", "said"),
    [("Exit code 1", "Bash failed"), ("Exit code 0", "Bash"), ("The user rejected this command.", "Bash declined")],
)
def test_a_quoted_call_that_failed_says_so_where_nothing_of_its_result_is_quoted(began: str, said: str) -> None:
    publishes = ("c9", "Bash", {"command": "publish --channel=stable --tag=v4.2.0-rc1"})
    records = [*session()[:-2], assistant(None, publishes), result("c9", f"{began}\n" + "no\n" * 2_000)]
    for at in range(20):
        listing = "\n".join(f"{at} and {n} of what stands there" for n in range(60))
        records += [assistant(f"I look where v4.2.0-rc1 is named, place {at}.", f"d{at}"), result(f"d{at}", listing)]
    text = "\n".join(m.text() for m in compact(records, target_tokens=700, strategy="adaptive").messages)
    assert f"#13 {said}: " in text


def readings() -> list[Json]:
    """Old results with more names than there is room for."""
    old = []
    for at in range(12):
        levels = (f"harbor_{at}_{n}.py:{n}: levels_{at * 31 + n} = gate_{n * at}.high_water" for n in range(40))
        old += [assistant(f"I look at part {at}.", f"o{at}"), result(f"o{at}", "\n".join(levels))]
    return old


@pytest.mark.parametrize(("asked_before", "target", "whole"), [(True, 2_400, True), (False, 2_400, False)])
def test_a_small_result_for_the_newest_request_is_whole(asked_before: bool, target: int, whole: bool) -> None:
    old = readings()
    small = "\n".join(f"{n:6}→    a = {n} * x if y else z" for n in range(1, 10))
    look = [assistant(None, ("look", "Read", {"path": "src/tides.py"})), result("look", small)]
    asked = [user("Now mend the tides, please.")]
    then = [assistant("I see.", ("next", "Bash", {"command": "make tides"})), result("next", "done")]
    records = [user(TASK), *old, *(asked if asked_before else ()), *look, *(() if asked_before else asked), *then]
    part = compact(records, target_tokens=target, strategy="adaptive")
    assert any(small in message.text() for message in part.messages) == whole


@pytest.mark.parametrize(("said", "stays"), [(None, False), ("The first part is done.", True)])
def test_calls_about_the_list_of_tasks_alone_are_told_by_the_state(said: str | None, stays: bool) -> None:
    records = [user(TASK), *readings()]
    for at in range(1, 7):
        made = f"Task #{at} created successfully: Mend part {at} of the harbor"
        records += [assistant(None, (f"t{at}", "TaskCreate", {"subject": f"Mend part {at} of the harbor"}))]
        records += [result(f"t{at}", made)]
    records += [assistant(said, ("u", "TaskUpdate", {"taskId": "1", "status": "completed"}))]
    records += [result("u", "Updated task #1 status")]
    records += [assistant("I go on.", ("next", "Bash", {"command": "make tides"})), result("next", "done")]
    part = compact(records, target_tokens=2_000, strategy="adaptive")
    calls = [call.name for message in part.messages for call in message.calls]
    assert ("TaskUpdate" in calls) == stays
    assert "TaskCreate" not in calls
    text = "\n".join(message.text() for message in part.messages)
    assert all(f"- [ ] Mend part {at} of the harbor (task {at})" in text for at in range(2, 7))
    assert "- [x] Mend part 1 of the harbor (task 1)" in text


@pytest.mark.parametrize(("target", "whole"), [(7_000, True), (2_500, False)])
def test_what_the_agent_reported_before_the_newest_request_stays_whole_in_a_large_room(
    target: int, whole: bool
) -> None:
    report = "\n".join(f"Point {n}: what was taken off twice before is now only taken off once." for n in range(24))
    records = [*work.session(40), assistant(report), user("Write the notes for the release."), *work.session(6)[2:]]
    part = compact(records, target_tokens=target, strategy="adaptive")
    assert any(message.text() == report for message in part.messages) is whole
