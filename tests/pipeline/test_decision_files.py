"""Files of decisions to the letter: how they are written, what is read, and what is refused in which words."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli.errors import InputError
from compactor_cli.model.decisions import Aim, MessageKey
from compactor_cli.pipeline.decision_files import decisions_on, match_decisions, read_decisions, write_decisions
from tests.builders import assistant, jsonl, load, user

SOURCE = load(jsonl(user("a"), assistant("b"), user("c")))
PRINT = "0123456789abcdef"


def text(**changes: Any) -> str:
    entry = {"message": 1, "decision": "keep", "fingerprint": PRINT}
    entry |= {key: changes.pop(key) for key in list(changes) if key in entry or key == "conversation"}
    return json.dumps({"version": 1, "decisions": [entry], **changes})


def test_a_file_has_the_session_the_aim_and_a_decision_a_message() -> None:
    made = decisions_on(SOURCE, {MessageKey(0, 2): "keep", MessageKey(0, 1): "drop"}, Aim(900, 0.5, "tiered"))
    written = write_decisions(made)
    value = json.loads(written)
    prints = [entry.pop("fingerprint") for entry in value["decisions"]]
    assert value == {
        "version": 1,
        "input": {"sha256": made.input_sha256, "format": "openai-chat", "messages": 3},
        "target_tokens": 900,
        "target_ratio": 0.5,
        "strategy": "tiered",
        "decisions": [{"message": 1, "decision": "drop"}, {"message": 2, "decision": "keep"}],
    }
    assert [len(one) for one in prints] == [16, 16]
    assert written.startswith('{\n  "version": 1,\n  "input": {\n    "sha256": ')
    assert written.endswith("}\n")


def test_conversations_are_named_where_there_are_several() -> None:
    both = load(jsonl({"messages": [user("a"), assistant("b")]}, {"messages": [user("c"), assistant("d")]}))
    made = decisions_on(both, {MessageKey(0, 1): "keep", MessageKey(1, 0): "drop"}, Aim())
    entries = json.loads(write_decisions(made))["decisions"]
    assert [(entry["conversation"], entry["message"]) for entry in entries] == [(0, 1), (1, 0)]
    assert read_decisions(write_decisions(made), "d.json") == made
    held = match_decisions(made, load(jsonl({"messages": [user("a"), assistant("b")]})))
    assert (held.choices, held.unmatched) == ({MessageKey(0, 1): "keep"}, (MessageKey(1, 0),))


def test_an_entry_without_a_conversation_is_of_the_first() -> None:
    assert read_decisions(text(), "d.json").choices == {MessageKey(0, 1): "keep"}
    assert read_decisions(text(conversation=2), "d.json").choices == {MessageKey(2, 1): "keep"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"decision": "hide"}, 'decisions[0].decision: expected `keep` or `drop`, found "hide"'),
        ({"message": -1}, "decisions[0].message: expected a whole number from 0, found -1"),
        ({"message": True}, "decisions[0].message: expected a whole number from 0, found true"),
        ({"conversation": 0.5}, "decisions[0].conversation: expected a whole number from 0, found 0.5"),
        ({"target_tokens": 0}, "target_tokens: expected a number of tokens of at least 1, found 0"),
        ({"target_tokens": "many"}, 'target_tokens: expected a whole number from 0, found "many"'),
        ({"fingerprint": 7}, "decisions[0].fingerprint: expected a text, found 7"),
        ({"target_ratio": 1.5}, "target_ratio: expected a share between 0 and 1, found 1.5"),
        ({"target_ratio": -0.1}, "target_ratio: expected a share between 0 and 1, found -0.1"),
        ({"target_ratio": True}, "target_ratio: expected a share between 0 and 1, found true"),
        ({"target_ratio": "1"}, 'target_ratio: expected a share between 0 and 1, found "1"'),
        ({"strategy": 7}, "strategy: expected a text, found 7"),
        ({"input": []}, "input: expected an object, found []"),
        ({"input": {"sha256": 1}}, "input.sha256: expected a text, found 1"),
        ({"input": {"format": 1}}, "input.format: expected a text, found 1"),
        ({"input": {"messages": "1"}}, 'input.messages: expected a whole number from 0, found "1"'),
        ({"decisions": {}}, "decisions: expected a list, found {}"),
        ({"decisions": ["x" * 99]}, f'decisions[0]: expected an object, found "{"x" * 59}'),
        ({"version": 2}, "unknown version 2 of decisions; this program reads version 1"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError) as refused:
        read_decisions(text(**changes), "d.json")
    assert str(refused.value) == f"d.json: {words}"


@pytest.mark.parametrize("aim", [Aim(1, None, ""), Aim(None, 0, ""), Aim(None, 1, ""), Aim(None, 0.5, "rolling")])
def test_aims_at_the_borders_are_read(aim: Aim) -> None:
    made = decisions_on(SOURCE, {MessageKey(0, 1): "keep"}, aim)
    assert read_decisions(write_decisions(made), "d.json").aim == aim
