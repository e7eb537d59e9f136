"""`handoff` keeps the exchange in hand: results that the agent has not answered yet, with their call."""

from __future__ import annotations

from typing import Any

import pytest

from compactor_cli.features.after_request import answers_before_turns
from compactor_cli.pipeline.verify import faults
from compactor_cli.summary_text.verbatim import QUOTED, carried
from tests.pipeline.sessions import Json, assistant, records_of, result, system, transcript, user
from tests.strategies import work
from tests.strategies.growing import facts_in
from tests.strategies.test_handoff import TARGETS, compact, summary_of, told

pytestmark = pytest.mark.one_test_in(3)


def listing(number: int) -> list[Json]:
    """A call whose result is too long for any target, with what the agent says before it."""
    long = "\n".join(f"src/part_{i}/module_{i}.py: {i} lines, {i * 7} bytes" for i in range(120))
    call = (f"h{number}", "Bash", {"command": "wc src/part_*/*"})
    return [assistant("I count what there is to move.", call), result(f"h{number}", long)]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_exchange_in_hand_stands_behind_the_summary(target: dict[str, Any]) -> None:
    records = [*told(), *listing(1)]
    part = compact(records, **target)
    assert [m.role for m in part.messages] == ["system", "user", "assistant", "tool", "assistant"]
    text = summary_of(part)
    assert carried(text).last == work.LAST
    assert "wc src/part_" not in text.partition(QUOTED)[2]
    said, answer, closing = records_of(part)[-3:]
    assert said == records[-2]
    assert answer["tool_call_id"] == "h1" and answer["content"].startswith("src/part_0/module_0.py")
    assert closing == {"role": "assistant", "content": "Understood."}


@pytest.mark.parametrize("target", [1_200, 2_500])
def test_a_call_that_is_written_as_text_is_in_hand_with_its_result(target: int) -> None:
    written = "Now the tests.\n```bash\npytest -q tests/test_module_3.py\n```"
    printed = f"<returncode>1</returncode>\n<output>\nFAILED test_module_3 - cents {'x ' * 40}\n</output>"
    asked = user("Fix the cents, and leave the importer.")
    read = (assistant(f"I read module {n} of the work. " * 16) for n in range(40))
    steps = [r for n, said in enumerate(read) for r in (said, asked if n == 3 else user("Yes."))]
    records = [system(), user(work.FIRST), *steps, assistant(written), user(printed)]
    part = compact(records, target_tokens=target)
    assert [m.role for m in part.messages] == ["system", "user", "assistant", "user"]
    assert records_of(part)[-2:] == records[-2:]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_results_that_are_answered_are_not_in_hand(target: dict[str, Any]) -> None:
    part = compact([*told(), *listing(1), assistant("There are 120 files.")], **target)
    assert [m.role for m in part.messages] == ["system", "user"]


def test_of_a_large_result_the_best_lines_stand_and_the_room_is_used() -> None:
    """Its head and its end say nothing, and the call does not say what it looks for."""
    rows = [f"row {n}: nothing to see at the quay of berth {n * 3}" for n in range(900)]
    rows[400:400] = ["def settle_fee_of_harbor(total):", "    raise BerthIsClosed(total, 'fee_7731')"]
    call = ("c", "Bash", {"command": "cat src/harbor.py"})
    asked = user("Why does settle_fee_of_harbor raise BerthIsClosed?")
    records = [*told(), asked, assistant("I look.", call), result("c", "\n".join(rows))]
    part = compact(records, target_tokens=4_000)
    assert [m.role for m in part.messages] == ["system", "user", "assistant", "tool", "assistant"]
    shown = part.messages[3].text()
    assert "def settle_fee_of_harbor(total):" in shown and "fee_7731" in shown
    assert "left out" in shown
    assert 0.9 * 4_000 <= part.tokens <= 4_000


def test_beside_a_large_result_a_short_session_before_it_is_quoted() -> None:
    """Before, its summary had no more room than it took itself, and that was for the request."""
    listed = [
        assistant("I list them.", ("l", "Bash", {"command": "ls src"})),
        result("l", "src/quay_fees.py\nsrc/tide.py"),
    ]
    page = "\n".join(f"{n:5}→    berth_{n} = settle_{n % 7}(tide={n * 13})" for n in range(1, 900))
    shown = [assistant(None, ("c", "Read", {"file_path": "src/quay_fees.py"})), result("c", page)]
    asked = user("Why are the fees of the quays wrong? " + "They were right until the new year began. " * 20)
    part = compact([system(), asked, *listed, *shown], target_tokens=2_500)
    assert [m.role for m in part.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert "src/tide.py" in summary_of(part)
    assert 0.9 * 2_500 <= part.tokens <= 2_500


@pytest.mark.parametrize("target", [2_500, 6_000])
def test_results_of_parallel_calls_follow_their_calls_in_order_and_say_why_one_failed(target: int) -> None:
    calls = [(f"p{n}", "Bash", {"command": f"pytest -q tests/test_quay_{n}.py"}) for n in range(3)]
    passed = "\n".join(f"tests/test_quay.py::test_case_{n} PASSED" for n in range(120))
    failed = f"{passed}\nE   AssertionError: tide_of_quay is 7.50, expected 7.25\n{passed}\nexit code: 1"
    results = [result(f"p{n}", failed if n == 1 else passed) for n in range(3)]
    part = compact([*told(), assistant(None, *calls), *results], target_tokens=target)
    assert [m.role for m in part.messages][1:] == ["user", "assistant", "tool", "tool", "tool", "assistant"]
    assert not faults(part.messages, adjacent_results=True)
    assert [r["tool_call_id"] for r in records_of(part)[-4:-1]] == ["p0", "p1", "p2"]
    assert "tide_of_quay is 7.50" in part.messages[4].text()


def test_lines_that_a_call_repeats_do_not_exceed_the_target() -> None:
    page = "\n".join(f"quay_{n} opens at tide {n * 13} for ship {n * 7}" for n in range(120))
    write = ("w", "Write", {"file_path": "docs/quays.md", "content": "\n".join([page] * 3)})
    records = [*told(), assistant("I write it. " * 150, write), result("w")]
    for target in (1_500, 2_000, 2_500, 3_000):
        part = compact(records, target_tokens=target)
        assert [m.role for m in part.messages] == ["system", "user", "assistant", "tool", "assistant"]
        assert 0.8 * target <= part.tokens <= target


def test_in_a_room_of_which_messages_would_take_much_the_summary_quotes_it() -> None:
    failing = [assistant("I book.", ("f", "book", {"berth": 7})), result("f", "Error: berth 7 is closed on Sundays")]
    records = [*work.session(6), *failing]
    small, larger = (compact(records, target_tokens=room + 60) for room in (420, 560))
    assert [m.role for m in small.messages] == ["system", "user"]
    assert [m.role for m in larger.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert "berth 7 is closed on Sundays" in summary_of(small)


def test_a_turn_that_an_earlier_round_made_up_does_not_hide_that_results_end_the_session() -> None:
    first = compact([*told(), *listing(1)], target_tokens=6_000)
    again = compact(records_of(first), target_tokens=1_800)
    assert [m.role for m in again.messages] == ["system", "user", "assistant", "tool", "assistant"]
    assert records_of(again)[-1] == {"role": "assistant", "content": "Understood."}
    assert again.round == 2


def test_it_is_no_answer_to_the_request_behind_it() -> None:
    records = [user("Look."), *listing(1), assistant("Understood."), user("And?")]
    assert answers_before_turns(transcript(records).messages) == ((1, 4),)


@pytest.mark.parametrize("said", ["Understood. I go on.", "I see."])
def test_what_the_agent_said_itself_is_an_answer(said: str) -> None:
    part = compact([*told(), *listing(1), assistant(said)], target_tokens=2_500)
    assert [m.role for m in part.messages] == ["system", "user"]


def test_of_a_file_that_was_written_in_hand_the_next_round_tells_that_it_was_there() -> None:
    """Its result is cut to some lines, and the next round has nothing else."""
    page = "\n".join(f"{n:5}→quay_{n} opens at tide {n * 13}" for n in range(1, 200))
    write = ("w", "Write", {"file_path": "docs/quays.md", "content": page})
    answer = f"The file docs/quays.md has been updated. Here's the result of running `cat -n` on it:\n{page}"
    first = compact([*work.session(8), assistant(None, write), result("w", answer)], target_tokens=2_500)
    assert "left out" in first.messages[-2].text()
    later = [*records_of(first), user("Now the notes."), *work.task(12)]
    (fact,) = [fact for fact in facts_in(summary_of(compact(later, target_tokens=2_500))) if "quays" in fact.subject]
    assert fact.counts == {"edited": 1}


def test_a_later_round_takes_the_exchange_in_hand_into_the_summary() -> None:
    records = work.session(8)
    for number in range(1, 6):
        part = compact([*records, *listing(number)], target_tokens=2_500)
        assert [m.role for m in part.messages] == ["system", "user", "assistant", "tool", "assistant"]
        assert part.round == number
        assert not faults(part.messages, adjacent_results=True)
        text = summary_of(part)
        assert text.count("## Session Summary") == 1
        assert carried(text).first == work.FIRST
        assert all(work.changed_file(8 + n) in text for n in range(1, number))
        records = [*records_of(part), user(f"Step {number}, please."), assistant("So I do."), *work.task(8 + number)]
        records += [assistant("Done so far.")]
