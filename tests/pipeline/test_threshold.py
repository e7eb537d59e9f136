"""When to compact and what: the arithmetic and the edge cases of seed 001."""

from __future__ import annotations

import pytest

from compactor_cli.model.message import Message, Part, PartKind, Role
from compactor_cli.pipeline.threshold import compaction_threshold, context_state, relief_target, select_messages
from compactor_cli.settings import ContextSettings

DEFAULTS = ContextSettings()
EARLIER = "## Session Summary of #1-9 (ctx_00000000)\n#1 user: old"
"""The summary of an earlier round."""


def session(roles: str, texts: dict[int, str] | None = None) -> list[Message]:
    """One message a letter: s(ystem), u(ser), a(ssistant), c(all), t(ool result)."""
    named: dict[str, Role] = {"s": "system", "u": "user", "a": "assistant", "c": "assistant", "t": "tool"}
    kinds: dict[str, PartKind] = {"c": "tool_call", "t": "tool_result"}
    out = []
    for i, letter in enumerate(roles):
        kind = kinds.get(letter, "text")
        part = Part(kind, (texts or {}).get(i, f"text {i}"), 1, call_id="x" if letter in "ct" else "")
        out.append(Message(i, f"m{i}", named[letter], (part,), (i,), 3))
    return out


def test_the_threshold_of_a_context_of_128000_tokens_is_93600() -> None:
    assert compaction_threshold(128_000, DEFAULTS) == 93_600


@pytest.mark.parametrize(("limit", "threshold"), [(200_000, 151_200), (8_192, 0), (11_000, 0), (11_002, 1)])
def test_the_threshold_follows_the_context_limit_and_is_never_negative(limit: int, threshold: int) -> None:
    assert compaction_threshold(limit, DEFAULTS) == threshold


def test_a_session_needs_compacting_from_the_threshold_on() -> None:
    def needed(tokens: int) -> bool:
        return context_state(tokens, 50, 128_000, 10, DEFAULTS).needs_compaction

    assert needed(93_600)
    assert not needed(93_599)


def test_the_warning_comes_at_80_percent_of_the_threshold() -> None:
    below, at = (context_state(n, 50, 128_000, 10, DEFAULTS) for n in (74_879, 74_880))
    assert not below.warning
    assert at.warning
    assert not at.needs_compaction


def test_percent_used_is_of_the_context_limit() -> None:
    assert context_state(64_000, 50, 128_000, 10, DEFAULTS).percent_used == 50.0


@pytest.mark.parametrize("messages", [0, 1, 11])
def test_edge_case_very_short_session_never_needs_compacting(messages: int) -> None:
    assert not context_state(10**6, messages, 128_000, 10, DEFAULTS).needs_compaction


def test_a_session_of_12_messages_is_not_very_short() -> None:
    assert context_state(10**6, 12, 128_000, 10, DEFAULTS).needs_compaction


def test_edge_case_empty_conversation_is_unchanged() -> None:
    for messages in (session(""), session("s")):
        selection = select_messages(messages)
        assert selection.compact == ()
        assert selection.keep == tuple(range(len(messages)))
        assert selection.previous_summary is None


def test_edge_case_very_short_session_is_kept_whole() -> None:
    assert select_messages(session("s" + "ua" * 5)).compact == ()


def test_edge_case_all_messages_are_recent_changes_nothing() -> None:
    """The border walks back over tool results until nothing is left before it."""
    selection = select_messages(session("sc" + "t" * 12))
    assert selection.compact == ()
    assert selection.keep == tuple(range(14))


def test_edge_case_all_messages_are_recent_with_a_summary_in_front() -> None:
    messages = session("sac" + "t" * 10, {1: EARLIER})
    selection = select_messages(messages)
    assert selection.compact == ()
    assert selection.previous_summary == 1


def test_edge_case_orphaned_tool_message_extends_what_is_kept_to_its_call() -> None:
    messages = session("su" + "ct" * 10)  # 22 messages: the border at 12 is a call, at 13 a result
    at_call, at_result = select_messages(messages, keep_last=10), select_messages(messages, keep_last=9)
    assert at_call.compact == tuple(range(1, 12))
    assert at_result.compact == at_call.compact
    assert at_result.keep == at_call.keep == (0, *range(12, 22))


def test_the_border_never_parts_parallel_results_from_their_call() -> None:
    messages = session("suuuuc" + "t" * 6 + "uauauau")
    for keep_last in range(1, len(messages) - 1):
        selection = select_messages(messages, keep_last)
        first = selection.keep[1] if len(selection.keep) > 1 else 0
        assert not messages[first].results


def test_the_system_message_and_the_last_ten_are_kept() -> None:
    selection = select_messages(session("s" + "ua" * 20))
    assert selection.keep == (0, *range(31, 41))
    assert selection.compact == tuple(range(1, 31))


def test_a_summary_of_an_earlier_round_is_passed_on_and_not_compacted_again() -> None:
    messages = session("sa" + "ua" * 10, {1: EARLIER})
    selection = select_messages(messages)
    assert selection.previous_summary == 1
    assert selection.compact == tuple(range(2, 12))


def test_the_example_of_fifty_messages_keeps_1_and_the_last_10() -> None:
    roles = "su" + "ct" * 22 + "auct"
    assert len(roles) == 50
    selection = select_messages(session(roles))
    assert selection.keep == (0, *range(40, 50))
    assert selection.compact == tuple(range(1, 40))


@pytest.mark.parametrize("limit", [128_000, 200_000, 32_000])
def test_relief_comes_down_to_the_largest_size_without_a_warning(limit: int) -> None:
    target = relief_target(context_state(limit, 50, limit, 10, DEFAULTS), DEFAULTS)
    assert not context_state(target, 50, limit, 10, DEFAULTS).warning
    assert context_state(target + 1, 50, limit, 10, DEFAULTS).warning


def test_relief_from_a_limit_that_the_reserves_fill_is_half_of_it() -> None:
    assert relief_target(context_state(9_000, 50, 8_192, 10, DEFAULTS), DEFAULTS) == 4_096


def test_relief_is_never_less_than_one_token() -> None:
    least = ContextSettings(threshold=1)
    assert relief_target(context_state(9, 50, 8_192, 10, least), least) == 1
    assert relief_target(context_state(9_000, 50, 1, 10, DEFAULTS), DEFAULTS) == 1


def test_only_a_threshold_of_zero_is_never() -> None:
    assert context_state(9, 50, 8_192, 10, ContextSettings(threshold=0)).never is True
    assert context_state(9, 50, 8_192, 10, DEFAULTS).never is False
