"""In rooms of which headings would take too much, `adaptive` plans for the strategies that write under headings."""

from __future__ import annotations

import json

import pytest

from compactor_cli import api
from compactor_cli.asking.port import ModelAnswer
from compactor_cli.errors import BudgetError
from compactor_cli.settings import Settings
from tests.asking import ScriptedModel
from tests.builders import assistant, call, calling_message, compact, jsonl, load, result, system, user

TOO_FEW = "tokens besides system messages are too few for a summary with headings; adaptive chose what stays"
STRATEGIES = ["rolling", "hybrid", "summarize"]
LAST = "Yes, please proceed with that booking."
REFUSED = "Error: payment amount does not add up, total price is 305, but paid 255"


def session() -> bytes:
    """A booking that was refused, behind much talk of flights."""
    records = [system(), user("Hi! I'm looking to book a flight from New York to Seattle on May 20th.")]
    for at in range(12):
        found = [{"flight_number": f"HAT{n:03}", "origin": "JFK", "price": n} for n in range(9 * at, 9 * at + 9)]
        records.append(
            calling_message(call(f"c{at}", "search_flights", json.dumps({"day": at})), content=f"I look at day {at}.")
        )
        records.append(result(f"c{at}", json.dumps(found)))
    records.append(user(LAST))
    records.append(calling_message(call("last", "book_reservation", '{"flight":"HAT107"}')))
    return jsonl(*records, result("last", REFUSED))


def room(target: int) -> int:
    """Tokens of a target that leaves so much beside the system message."""
    return target + load(session()).transcripts[0].messages[0].tokens


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_a_small_room_shows_what_has_to_be_answered_next_and_no_headings(strategy: str) -> None:
    found = compact(session(), strategy=strategy, target_tokens=room(250))
    said = [str(json.loads(line)["content"]) for line in found.data.splitlines()]
    assert REFUSED in said[-1]
    assert not any("\n### " in text for text in said)
    assert found.data == compact(session(), strategy="adaptive", target_tokens=room(250)).data


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_report_says_who_chose(strategy: str) -> None:
    note = f"{strategy}: 250 {TOO_FEW}"
    small, large = (compact(session(), strategy=strategy, target_tokens=room(size)).parts[0] for size in (250, 600))
    assert (note in small.warnings, [w for w in large.warnings if "adaptive" in w]) == (True, [])
    assert (small.plan.strategy, large.plan.strategy) == ("adaptive", strategy)
    assert compact(session(), strategy=strategy, target_tokens=room(599)).parts[0].plan.strategy == "adaptive"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_floor_that_an_error_names_can_be_reached(strategy: str) -> None:
    with pytest.raises(BudgetError) as failure:
        compact(session(), strategy=strategy, target_tokens=room(1))
    floor = failure.value.floor
    assert compact(session(), strategy=strategy, target_tokens=floor).parts[0].tokens <= floor


def test_the_summary_of_a_handoff_ends_with_the_last_request_and_what_has_to_be_answered_is_shown() -> None:
    for size in (60, 250, 510, 1_499):
        (part,) = compact(session(), strategy="handoff", target_tokens=room(size)).parts
        in_hand = ["assistant", "tool", "assistant"] if size > 500 else []
        assert [message.role for message in part.messages] == ["system", "user", *in_hand]
        text = part.messages[1].text()
        assert text.endswith(f"\n\nLast request from user was: {LAST}")
        assert text.count(LAST) == 1
        assert size < 100 or REFUSED in (part.messages[3].text() if in_hand else text)
        assert "\n### " not in text
        note = f"handoff: {size:,} {TOO_FEW}"
        assert note in part.warnings
    headed = compact(session(), strategy="handoff", target_tokens=room(1_500)).parts[0]
    assert "### 1. User's Primary Goals and Intent" in headed.messages[1].text()


def test_of_a_last_request_that_is_large_the_sentences_that_bind_end_a_small_handoff() -> None:
    story = " ".join(f"On day {n} of the trip we saw harbour {n} and it was lovely." for n in range(60))
    large = f"{story} Never book a flight that leaves before 11 am. {story}"
    data = session() + jsonl(user(large), calling_message(call("then", "think", "{}")), result("then", "Noted."))
    (part,) = compact(data, strategy="handoff", target_tokens=room(400)).parts
    said = part.messages[1].text().partition("Last request from user was: ")[2]
    assert "Never book a flight that leaves before 11 am." in said
    assert len(said) < len(large) / 4


def test_a_small_handoff_carries_what_an_earlier_one_said_last() -> None:
    first = compact(session(), strategy="handoff", target_tokens=room(300))
    steps = [(calling_message(call(f"d{n}", "think", "{}")), result(f"d{n}", "row " * 99)) for n in range(9)]
    more = [record for step in steps for record in step]
    (part,) = compact(first.data + jsonl(*more), strategy="handoff", target_tokens=room(300)).parts
    assert part.round == 2
    assert f"earlier user: {LAST}" in part.messages[1].text()


# what the agent said last, and what is left of the room

CONFIRM = "Please confirm if I am to book it."


def rental() -> bytes:
    """Bikes that were looked up, and an offer that nobody has answered yet."""
    bikes = [{"bike": f"BK{n:03}", "frame": n, "day": f"2026-05-{n:02}"} for n in range(10, 16)]
    listed = [f"  - Bike BK{n:03} on 2026-05-{n:02} from Altona to Ottensen" for n in range(10, 16)]
    details = ["Here is rental RB41:", "- **Bikes:**", *listed, "- **Riders:**", "  - Mara Fuchs", "  - Jan Fuchs"]
    offer = [
        "Two days less make the rental cheaper, and what it costs less goes back to your card. I will change the "
        "rental and then refund the rest. Here is what I will do:",
        "- **Rental:** RB41",
        "- **New days:** two less",
        "- **Refund:** to the card",
    ]
    return jsonl(
        user("Please look up my rental. It's for bikes."),
        user("I've found it in my mail. It's RB41."),
        calling_message(call("c1", "get_rental", '{"rental": "RB41"}')),
        result("c1", json.dumps({"rental": "RB41", "station": "Altona", "bikes": bikes})),
        assistant("\n".join([*details, "Please say what is to be changed."])),
        user("I'd like to have the bikes for two days less, and please refund what I paid too much."),
        assistant("\n".join([*offer, CONFIRM])),
    )


@pytest.mark.parametrize("target", range(110, 180, 10))
def test_the_end_of_an_answer_stays_behind_the_request_that_it_answers(target: int) -> None:
    """Without it, the request would pass for one that nobody answered."""
    last = json.loads(compact(rental(), strategy="adaptive", target_tokens=target).data.splitlines()[-1])
    assert (last["role"], last["content"].endswith(CONFIRM)) == ("assistant", True)


@pytest.mark.parametrize("target", [252, 260, 268])
def test_lines_that_are_small_enough_fill_what_a_larger_one_has_no_room_in(target: int) -> None:
    assert compact(rental(), strategy="adaptive", target_tokens=target).parts[0].tokens >= 0.9 * target


def test_where_all_small_lines_have_no_room_some_of_them_are_taken() -> None:
    flights = {f"HAT{100 + 7 * n}": 100 + 13 * n for n in range(5)}
    found = json.dumps([{"flight": name, "price": price, "seats": 9} for name, price in flights.items()])
    listed = [f"{n}. **{name}** for ${price}" for n, (name, price) in enumerate(flights.items())]
    details = [f"- **Detail {n}:** {name} leaves gate B{n} at 1{n}:05 on 2024-05-17" for n, name in enumerate(flights)]
    data = jsonl(
        user("I would like to move my flight to the 17th."),
        user("My id is ivan_muller_7015."),
        calling_message(call("c1", "search_flights", '{"day": "2024-05-17"}')),
        result("c1", found),
        assistant("\n".join(["There are these flights:", *listed, "Which one is it to be?"])),
        user("And without baggage? What is the cost?"),
        calling_message(call("c2", "calculate", '{"expression": "100 + 113"}')),
        result("c2", "213.0"),
        assistant("\n".join(["The cost is $213.\n", *details, "\nPlease confirm if I am to book it."])),
    )
    assert compact(data, strategy="adaptive", target_tokens=112).parts[0].tokens >= 0.9 * 112


@pytest.mark.parametrize("target", range(57, 66, 3))
def test_a_small_handoff_keeps_requests_that_have_room(target: int) -> None:
    """Where one summary has none for all of them, they stay at their place."""
    data = jsonl(
        user("Add a line of greeting to the page."),
        calling_message(
            call("c1", "read_file", '{"path": "page.html"}'), content="I look at the page, and at what is there."
        ),
        result("c1", "<p>One</p>\n" * 40),
        calling_message(call("c2", "replace", '{"path": "page.html", "old": "One", "new": "Hello"}')),
        result("c2", "Replaced.\n" + "<p>Hello</p>\n" * 20),
        user("Now the footer."),
    )
    kept = [
        json.loads(line)["content"]
        for line in compact(data, strategy="handoff", target_tokens=target).data.splitlines()
    ]
    assert "Add a line of greeting to the page." in "\n".join(map(str, kept))


def in_flight() -> bytes:
    """Two requests, and a long call that is not answered yet."""
    records = [system(), user("Never touch the importer. " * 4), assistant("I look.")]
    asked = user("变更记录：我们决定保留旧的解析器。必须不要修改公共接口。" * 4)
    return jsonl(*records, asked, calling_message(call("c1", "run", json.dumps({"command": "x " * 200}))))


def by_failing_model(data: bytes, strategy: str, target: int) -> api.CompactResult | BudgetError:
    """What comes of it when a model is to write the summaries and says nothing."""
    settings = Settings(strategy=strategy, target_tokens=target, summarizer="llm")
    model = ScriptedModel(lambda _: ModelAnswer(failure="no answer"))
    try:
        return api.compact(load(data), settings, tokenizer="chars", model=model)
    except BudgetError as error:
        return error


@pytest.mark.drawn(1)
@pytest.mark.parametrize("strategy", [*STRATEGIES, "handoff"])
def test_where_a_model_has_nothing_to_write_the_plan_is_the_offline_one(strategy: str) -> None:
    for target in range(120, 320, 20):
        found = by_failing_model(in_flight(), strategy, target)
        try:
            offline = compact(in_flight(), strategy=strategy, target_tokens=target)
        except BudgetError as error:
            assert isinstance(found, BudgetError)
            assert found.floor == error.floor
        else:
            assert not isinstance(found, BudgetError)
            assert found.data == offline.data


@pytest.mark.drawn(1)
@pytest.mark.parametrize("strategy", [*STRATEGIES, "handoff"])
def test_a_model_needs_no_more_room_than_there_is_without_one(strategy: str) -> None:
    found = by_failing_model(in_flight(), strategy, 20)
    with pytest.raises(BudgetError) as failure:
        compact(in_flight(), strategy=strategy, target_tokens=20)
    assert isinstance(found, BudgetError)
    assert found.floor == failure.value.floor


@pytest.mark.parametrize("ratio", [0.1, 0.2])
def test_a_name_that_is_cut_out_of_a_prompt_is_not_taken_for_kept(ratio: float) -> None:
    when = " ".join(f"Rule {n}: when the tide of pier {n} turns, note its level and the time." for n in range(60))
    closed = " ".join(f"Rule {n}: ask before pier {n} is closed." for n in range(60, 90))
    prompt = f"You keep the levels of a harbour. {when} The levels stand in harbour_levels.toml. {closed}"
    log = [f"step {n}: the gauge of pier {n} was read and its level noted in the log of the day" for n in range(40)]
    log[20] = "the levels of all piers are kept in harbour_levels.toml under [piers]"
    data = jsonl(
        {"role": "system", "content": prompt},
        user("Raise the roof of pier 7."),
        calling_message(call("c1", "read_file", '{"path": "log.txt"}')),
        result("c1", "\n".join(log)),
        calling_message(call("c2", "read_file", '{"path": "old_log.txt"}')),
        result("c2", "\n".join(log[:20])),
        assistant("I read the logs; next I change the roof."),
    )
    first, *rest = compact(data, strategy="adaptive", target_ratio=ratio).parts[0].messages
    assert "harbour_levels.toml" not in first.text()
    assert any("harbour_levels.toml" in message.text() for message in rest)


FIRST = "Hi! I need to make a few changes for my upcoming trip from Oslo to Bergen."
ASKED = "I can help you with that. Could you please provide your user ID and the reservation ID of the trip?"
REPLY = "My user ID is omar_rossi_1241, but I don't have the reservation ID at hand right now."


def test_no_question_of_the_agent_stays_without_its_answer_or_instead_of_a_request() -> None:
    profile = {f"field_{n}": f"value {n} of the profile" for n in range(40)}
    data = jsonl(
        user(FIRST),
        assistant(ASKED),
        user(REPLY),
        calling_message(call("c", "get_user", '{"user_id":"omar_rossi_1241"}')),
        result("c", json.dumps(profile)),
        assistant(
            "These are your reservations: UM3OG5, 5RJ7UH, FQ8APE. Which of them is the trip from Oslo to Bergen?"
        ),
        user("It's the first one, UM3OG5."),
    )
    asked = 0
    for target in (*range(60, 240, 4), *range(240, 800, 40)):
        text = "\n".join(
            str(json.loads(line).get("content")) for line in compact(data, target_tokens=target).data.splitlines()
        )
        if ASKED in text:
            asked += 1
            assert REPLY in text, target
            assert FIRST in text, target
    assert asked, "it has room in the larger ones"


@pytest.mark.parametrize("ratio", [0.1, 0.2])
def test_in_a_small_room_the_mark_of_a_summary_says_what_it_was_compacted_from(ratio: float) -> None:
    """A heading in words would take a dozen tokens more of the room."""
    found = compact(session(), strategy="adaptive", target_ratio=ratio)
    (part,) = found.parts
    marks = [said.partition("\n")[0] for m in part.messages if (said := m.text()).startswith(("[#", "## "))]
    was, most = part.before.tokens, part.target
    assert len(marks) == 1
    assert marks[0].endswith(f"of a transcript compacted from {was:,} to at most {most:,} tokens]")
    assert compact(found.data, strategy="adaptive", target_ratio=ratio).data == found.data
