"""`compact` and `context_state` on messages in memory: dicts, and objects that have `model_dump`."""

from __future__ import annotations

import pytest
from pydantic import BaseModel

import compactor_cli as compactor
from compactor_cli.errors import BudgetError, InputError
from tests.builders import (
    assistant,
    call,
    calling_message,
    listing_output,
    plain_exchanges,
    result,
    system,
    text_block,
    tool_result,
    user,
)

pytestmark = pytest.mark.one_test_in(2)


class Block(BaseModel):
    type: str
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict | None = None


class Said(BaseModel):
    role: str
    content: str | list[Block] | None = None
    refusal: str | None = None


def test_an_empty_list_and_one_within_its_target_come_back_as_they_are():
    assert compactor.compact([], target_tokens=100) == []
    given = [system(), user("Hello."), assistant("Hello.")]
    small = compactor.compact(given, target_tokens=1_000)
    assert all(one is other for one, other in zip(small, given, strict=True))
    assert compactor.compact(tuple(given), target_tokens=1_000) == given


def test_equal_messages_are_told_apart_by_their_order():
    given = [user("Go on."), assistant("Yes."), user("Go on."), assistant("Yes.")]
    small = compactor.compact(given, target_tokens=1_000)
    assert [id(message) for message in small] == [id(message) for message in given]


def test_a_shortened_result_is_a_new_dict_and_its_call_the_same_object():
    given = [user("Look."), calling_message(call("c1")), result("c1", listing_output("file", 400)), assistant("I see.")]
    small = compactor.compact(given, target_tokens=400)
    assert [message["role"] for message in small] == ["user", "assistant", "tool", "assistant"]
    assert small[1] is given[1]
    assert small[2] is not given[2] and len(small[2]["content"]) < len(given[2]["content"])
    assert small[2].keys() == given[2].keys()


def test_objects_stay_objects_and_may_stand_inside_of_dicts():
    blocks = [Block(type="text", text="I look."), Block(type="tool_use", id="t1", name="Bash", input={"command": "ls"})]
    given = [
        *plain_exchanges(20),
        {"role": "assistant", "content": blocks},
        {"role": "user", "content": [tool_result("t1", "a.py"), text_block("Go on.")]},
        Said(role="assistant", content="Done."),
    ]
    small = compactor.compact(given, target_tokens=1_200)
    assert len(small) < len(given)
    assert [one is other for one, other in zip(small[-3:], given[-3:], strict=True)] == [True] * 3
    assert compactor.context_state(small).tokens <= 1_200


def test_a_target_of_the_call_stands_before_that_of_the_settings():
    given = list(plain_exchanges(20))
    settings = compactor.Settings(target_ratio=0.9, keep=("Request 3:",))
    small = compactor.compact(given, settings, target_tokens=1_200)
    assert compactor.context_state(small).tokens <= 1_200
    assert any(message is given[6] for message in small)
    assert compactor.context_state(compactor.compact(given, target_ratio=0.5)).tokens < 2_200


def test_a_loaded_file_takes_the_same_targets():
    from tests.builders import jsonl

    source = compactor.load(jsonl(*plain_exchanges(20)))
    assert compactor.compact(source, target_tokens=1_000).parts[0].tokens <= 1_000


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ("words", "a str, not a message"),
        (None, "a NoneType, not a message"),
        ({"role": "user", "content": object()}, "cannot be written as JSON: a object"),
        ({"role": "user", "content": float("nan")}, "cannot be written as JSON"),
    ],
)
def test_what_is_no_message_is_named_by_its_number(message, says):
    with pytest.raises(InputError, match=rf"^message 1: {says}"):
        compactor.compact([user("Hello."), message], target_tokens=100)


def test_a_list_of_other_dicts_and_a_target_that_cannot_be_met_are_refused():
    with pytest.raises(InputError, match="format"):
        compactor.compact([{"a": 1}, {"b": 2}], target_tokens=100)
    with pytest.raises(BudgetError):
        compactor.compact(list(plain_exchanges(3)), target_tokens=3)


def test_lone_surrogates_and_every_script_pass_through():
    given = [user("größe \ud800 日本語"), *plain_exchanges(10)]
    small = compactor.compact(given, target_tokens=800)
    assert small[0] is given[0]


def test_the_state_of_the_context_follows_model_settings_and_what_the_provider_counted():
    given = list(plain_exchanges(20))
    small, large = (compactor.context_state(given, model=name) for name in ("gpt-4", "gpt-4o"))
    assert (small.limit, large.limit) == (8_192, 128_000)
    assert not compactor.context_state(given, model="gpt-4o").needs_compaction
    assert compactor.context_state(given, model="gpt-4o", tokens=120_000).needs_compaction
    settings = compactor.Settings(context=compactor.ContextSettings(threshold=1_000))
    assert compactor.context_state(given, settings).needs_compaction
    assert compactor.context_state([]).tokens == 0


def test_a_session_that_is_asked_before_each_step_is_compacted_when_it_is_time_and_never_sooner():
    settings = compactor.Settings(strategy="rolling", context=compactor.ContextSettings(threshold=2_000))
    session, before = [system(), user("Add up the parts.")], []
    for step in range(60):
        tokens = compactor.context_state(session, settings, tokenizer="chars").tokens
        if compactor.context_state(session, settings, tokenizer="chars").needs_compaction:
            before.append(tokens)
            session = compactor.compact(session, settings, target_tokens=1_000, tokenizer="chars")
            assert compactor.context_state(session, settings, tokenizer="chars").tokens <= 1_000
        else:
            assert tokens < 2_000
        session += [calling_message(call(f"c{step}")), result(f"c{step}", listing_output(f"part {step}", 20))]
    assert len(before) > 3
    assert all(2_000 <= tokens < 2_500 for tokens in before)
    assert session[0] == system()
    assert "Add up the parts." in session[1]["content"]
