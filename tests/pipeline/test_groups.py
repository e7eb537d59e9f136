"""Groups: what may be kept or removed alone."""

from __future__ import annotations

from typing import Any

from compactor_cli.pipeline.groups import form_groups
from tests.pipeline.sessions import assistant, result, transcript, user


def groups(*records: Any, format: str = "openai-chat") -> list[tuple[int, ...]]:
    return [group.messages for group in form_groups(transcript(list(records), format=format).messages)]


def test_messages_without_calls_are_groups_of_their_own() -> None:
    assert groups(user("a"), assistant("b"), user("c")) == [(0,), (1,), (2,)]


def test_parallel_calls_and_all_their_results_are_one_group() -> None:
    found = groups(user("a"), assistant(None, "c1", "c2", "c3"), result("c2"), result("c1"), result("c3"), user("b"))
    assert found == [(0,), (1, 2, 3, 4), (5,)]


def test_a_result_far_from_its_call_belongs_to_it() -> None:
    found = groups(assistant(None, "c1", "c2"), result("c1"), user("meanwhile"), assistant("hm"), result("c2"))
    assert found == [(0, 1, 4), (2,), (3,)]


def test_a_result_before_its_call_belongs_to_it() -> None:
    assert groups(result("c1"), user("a"), assistant(None, "c1")) == [(0, 2), (1,)]


def test_a_reused_id_pairs_each_result_with_the_call_before_it() -> None:
    found = groups(assistant(None, "c1"), result("c1", "one"), assistant(None, "c1"), result("c1", "two"))
    assert found == [(0, 1), (2, 3)]


def test_a_result_without_a_call_and_a_second_result_stand_alone() -> None:
    assert groups(result("lost"), assistant(None, "c1"), result("c1"), result("c1")) == [(0,), (1, 2), (3,)]


def test_nested_exchanges_stay_apart() -> None:
    found = groups(assistant(None, "outer"), assistant(None, "inner"), result("inner"), result("outer"))
    assert found == [(0, 3), (1, 2)]


def test_a_call_without_a_result_in_the_last_turn_is_work_in_flight() -> None:
    messages = transcript([user("a"), assistant(None, "c1", "c2"), result("c1")]).messages
    assert [g.in_flight for g in form_groups(messages)] == [False, True]


def test_a_call_without_a_result_in_an_earlier_turn_is_not_in_flight() -> None:
    messages = transcript([user("a"), assistant(None, "c1"), user("b"), assistant("c")]).messages
    assert not any(g.in_flight for g in form_groups(messages))


def test_reasoning_that_codex_saves_apart_belongs_to_the_turn_that_follows() -> None:
    def item(**payload: Any) -> dict[str, Any]:
        return {"timestamp": "2026-03-01T10:00:00Z", "type": "response_item", "payload": payload}

    found = groups(
        item(type="message", role="user", content=[{"type": "input_text", "text": "go"}]),
        item(type="reasoning", summary=[], encrypted_content="gAAA"),
        item(type="function_call", name="shell", arguments="{}", call_id="c1"),
        item(type="function_call", name="shell", arguments="{}", call_id="c2"),
        item(type="function_call_output", call_id="c1", output="1"),
        item(type="function_call_output", call_id="c2", output="2"),
        item(type="message", role="assistant", content=[{"type": "output_text", "text": "done"}]),
        format="codex",
    )
    assert found == [(0,), (1, 2, 3, 4, 5), (6,)]


def test_group_tokens_are_the_sum_of_its_messages() -> None:
    messages = transcript([assistant(None, "c1"), result("c1", "x" * 400)]).messages
    (group,) = form_groups(messages)
    assert group.tokens == sum(m.tokens for m in messages)
