"""What the user typed in one message with instructions of a harness or with results of tools."""

from __future__ import annotations

import pytest

from tests.builders import (
    assistant,
    compact,
    find_faults,
    jsonl,
    load,
    read_records,
    text_block,
    tool_result,
    tool_use,
    user,
)

AGENTS = "# AGENTS.md instructions for /srv/app\n\n<INSTRUCTIONS>\nTables are named in docs/map.md.\n</INSTRUCTIONS>"
REMINDER = "<system-reminder>\nThe list of tasks is empty.\n</system-reminder>"
ASKED = "We need a column for the second account in payees."
ROWS = "\n".join(f'{{"column": "c{n}", "type": "text", "note": "o{n * 7919}"}}' for n in range(120))
RULE = "Name the module tally_core."
LAST = "My session dropped in the middle of that, no idea in what state it is. Please get it done now."


def blocks(*texts):
    return user([text_block(text) for text in texts])


def told(*values):
    return [(m.origin, m.turn is not None, m.text()) for m in read_records(*values)]


def test_what_was_typed_among_inserted_texts_is_a_message_of_its_own():
    assert told(blocks(AGENTS, ASKED, REMINDER), assistant("ok")) == [
        ("injected", True, f"{AGENTS}\n{REMINDER}"),
        ("request", True, ASKED),
        ("other", False, "ok"),
    ]
    assert told(blocks(ASKED, REMINDER)) == [("request", True, ASKED), ("injected", True, REMINDER)]
    assert sum(m.tokens for m in read_records(blocks(AGENTS, ASKED))) == sum(
        m.tokens for m in read_records(blocks(ASKED, AGENTS))
    )
    assert [m.origin for m in read_records(user([tool_result("t1", "x"), text_block(AGENTS), text_block(ASKED)]))] == [
        "request"
    ]


@pytest.mark.parametrize(
    "texts",
    [
        (AGENTS, REMINDER),
        ("<command-name>/init</command-name>", "Look at the code base and write down what matters."),
        (REMINDER, "<local-command-stdout>bye</local-command-stdout>"),
    ],
)
def test_texts_that_nobody_typed_are_no_request(texts):
    assert [m.origin for m in read_records(blocks(*texts))] == ["injected"]


def test_texts_of_one_speaker_stay_one_message():
    assert [m.origin for m in read_records(blocks(ASKED, RULE), assistant("ok"), blocks("/srv/app is gone", RULE))] == [
        "request",
        "other",
        "request",
    ]


def session(*, last_beside_result):
    """A session whose first request is in one message with instructions, or whose last one is with a result."""
    begun = [
        user(ASKED) if last_beside_result else blocks(AGENTS, ASKED),
        assistant([tool_use("t1", "describe", table="payees")]),
        user([tool_result("t1", ROWS), text_block(RULE)]),
        assistant("I would add iban_second, empty, in a release of its own."),
    ]
    for n in range(2, 6):
        begun += [user(f"Go on with step {n}."), assistant([tool_use(f"t{n}", "try_on_copy", file=f"04{n}")])]
        begun += [user([tool_result(f"t{n}", ROWS[n * 50 : 3000])]), assistant(f"Step {n} went through.")]
    called = assistant([tool_use("t9", "slow_queries", table="payslips")])
    return jsonl(
        *begun, *([called, user([tool_result("t9", ROWS), text_block(LAST)])] if last_beside_result else [user(LAST)])
    )


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "tiered"])
@pytest.mark.parametrize("last_beside_result", [True, False])
def test_every_request_is_kept_and_results_beside_it_are_cut(strategy, last_beside_result):
    data = session(last_beside_result=last_beside_result)
    made = compact(data, strategy=strategy, target_ratio=0.2)
    text = made.data.decode()
    assert all(words in text for words in (ASKED, RULE, LAST))
    assert find_faults(load(made.data)) == []
    newest = read_records(*made.data.splitlines())[-1]
    assert newest.text("text") == LAST
    assert sum(part.tokens for part in newest.results) < len(ROWS) // 8
    assert not [warning for part in made.parts for warning in part.warnings if "last request" in warning]
