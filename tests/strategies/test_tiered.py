"""The default strategy: what stays, what is cut, and that the target is met, whatever it is."""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.model.content import read_all
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from tests.pipeline.sessions import (
    Json,
    assistant,
    filler,
    load,
    long_session,
    records_of,
    result,
    system,
    to_bytes,
    user,
)
from tests.pipeline.sessions import compact as compact_with

pytestmark = pytest.mark.one_test_in(2)

compact = partial(compact_with, strategy="tiered")


def texts(part: Compaction) -> list[str]:
    return [m.text() for m in part.messages]


def tokens_of(records: list[Json]) -> int:
    return load(records).tokens


def renditions(part: Compaction) -> dict[int, str]:
    """Message of the input -> its rendition."""
    assert part.plan is not None
    return {i: d.rendition for d in part.plan.decisions for i in part.groups[d.group].messages}


# -- what must stay


@pytest.mark.parametrize("ratio", [0.7, 0.4, 0.2, 0.1])
def test_system_first_and_last_request_are_kept_whole(ratio: float) -> None:
    records = [*long_session(40)]
    part = compact(records, target_ratio=ratio)
    lines = part.data.splitlines()
    for kept in (records[0], records[1], records[-2]):
        assert to_bytes([kept]).strip() in lines


def test_a_text_that_a_harness_put_there_is_not_the_last_request() -> None:
    reminder = "<system-reminder>Nothing is on your list. " + "Do not mention this. " * 40 + "</system-reminder>"
    records = [*long_session(30), user(reminder), *filler(90), *filler(91), *filler(92), *filler(93), *filler(94)]
    part = compact(records, target_ratio=0.15)
    assert "Now write the sum to out.txt." in texts(part)
    assert reminder not in texts(part)


def test_messages_that_match_keep_are_kept_whole_with_their_exchange() -> None:
    records = long_session(40)
    records[11]["content"] = "the sum of the northern parts is 4711 " * 5
    part = compact(records, target_ratio=0.3, keep=("northern parts",))
    assert records[11]["content"] in texts(part)
    assert renditions(part)[10] == renditions(part)[11] == "whole"


def test_the_newest_messages_are_kept_whole_with_keep_last() -> None:
    records = [*long_session(40), *filler(77, 300)]
    part = compact(records, target_ratio=0.2, keep_last=2)
    assert records[-1]["content"] in texts(part)
    assert records[-2] in records_of(part)


def test_work_in_flight_stays() -> None:
    records = [*long_session(40), assistant("Two more.", ("open_1", "Bash", {"command": "make"}), "open_2")]
    records.append(result("open_2", "came back first"))
    part = compact(records, target_ratio=0.15)
    assert records_of(part)[-2:] == records[-2:]
    assert part.repairs == ()


def test_a_transcript_without_a_request_keeps_its_newest_exchange() -> None:
    records = [assistant(f"note {n} " * 30) for n in range(40)]
    part = compact(records, target_ratio=0.2)
    assert records[-1]["content"] in texts(part)


# -- residuals


DECISION = "We decided to keep the objective: all sums are rounded half up."


def test_a_residual_stays_whole_among_summarized_messages() -> None:
    records = long_session(40)
    records.insert(12, assistant(DECISION))
    part = compact(records, target_ratio=0.3)
    assert DECISION in texts(part)
    assert len(part.residuals) >= 1
    assert {"summarized"} & set(renditions(part).values())


def _with_decision_and_result(words: int) -> list[Json]:
    """An early exchange whose call says a decision, and whose result has so many words."""
    decided = assistant(DECISION, ("dec_1", "Read", {"path": "sums.csv"}))
    output = "\n".join(f"cell {i} holds value {i * 7}" for i in range(words // 5))
    return [*long_session(40)[:8], decided, result("dec_1", output), *long_session(40)[8:]]


def test_a_residual_s_exchange_that_is_too_large_has_its_other_bodies_shortened() -> None:
    records = _with_decision_and_result(6000)
    part = compact(records, target_tokens=2000)
    assert DECISION in "\n".join(texts(part))
    assert renditions(part)[8] == renditions(part)[9] == "shortened"
    call = next(m for m in part.messages if m.index == 8)
    assert call.parts == part.before.messages[8].parts, "the residual itself was changed"
    answer = next(m for m in part.messages if m.index == 9)
    assert answer.tokens < part.before.messages[9].tokens
    assert answer.results[0].call_id == "dec_1"
    assert part.plan is not None
    assert part.plan.not_whole == frozenset()


def test_a_residual_that_cannot_fit_its_share_is_demoted_and_the_target_is_met() -> None:
    records = long_session(40)
    records.insert(12, assistant(DECISION + " Because: " + "of one more reason " * 400))
    part = compact(records, target_tokens=1500)
    assert part.tokens <= 1500
    assert DECISION not in "\n".join(m.text() for m in part.messages if m.index == 12)


def test_without_a_target_residuals_stay_whole() -> None:
    records = _with_decision_and_result(6000)
    part = compact(records)
    assert renditions(part)[8] == renditions(part)[9] == "whole"


# -- the promise


def test_a_newest_tool_result_larger_than_the_whole_budget_is_shortened_and_fits() -> None:
    log = [f"step {i} is fine" for i in range(20_000)]
    log[12_345] = "error: cannot open shared object file libsum.so"
    log[-1] = "exit code: 1"
    records = [system(), user("Run it."), assistant(None, "run"), result("run", "\n".join(log))]
    assert tokens_of(records) > 50_000
    part = compact(records, target_tokens=500)
    assert part.tokens <= 500
    (answer,) = (r for r in records_of(part) if r["role"] == "tool")
    body = answer["content"]
    assert "error: cannot open shared object file libsum.so" in body
    assert body.startswith("step 0 is fine")
    assert body.endswith("exit code: 1")
    assert "left out" in body
    assert "ctx_" in body
    assert records_of(part)[:3] == records[:3]


def test_a_result_of_one_long_line_is_shortened_inside() -> None:
    records = [user("Get it."), assistant(None, "c1"), result("c1", "a1b2 " * 40_000)]
    part = compact(records, target_tokens=300)
    assert part.tokens <= 300
    assert len(records_of(part)) == 3


def test_in_flight_arguments_larger_than_the_budget_are_shortened_and_stay_json() -> None:
    arguments = {"file_path": "out.txt", "content": "row " * 20_000, "mode": 420}
    records = [user("Write it."), assistant(None, ("w1", "Write", arguments))]
    part = compact(records, target_tokens=300)
    assert part.tokens <= 300
    written = json.loads(records_of(part)[1]["tool_calls"][0]["function"]["arguments"])
    assert list(written) == list(arguments)
    assert written["mode"] == 420
    assert len(written["content"]) < 2000


@pytest.mark.drawn(4)
@pytest.mark.parametrize("tokenizer", ["chars", "o200k_base"])
@pytest.mark.parametrize("target", [220, 300, 400, 555, 800, 1200, 2000, 4000])
def test_the_output_counts_at_most_the_target_when_its_bytes_are_read_again(target: int, tokenizer: str) -> None:
    part = compact(_with_decision_and_result(2000), target_tokens=target, tokenizer=tokenizer)
    again = api.load(part.data, format="openai-chat", tokenizer=tokenizer).tokens
    assert again == part.tokens <= target


def test_a_target_is_used_and_not_only_undercut() -> None:
    records = long_session(60)
    total = tokens_of(records)
    for ratio in (0.8, 0.5, 0.25):
        part = compact(records, target_ratio=ratio)
        assert part.tokens > 0.75 * ratio * total


FLOORS: dict[str, list[Json]] = {
    "requests": long_session(10),
    "a large system prompt": [system("rule " * 400), *long_session(10)[1:]],
    "one request": [user("word " * 500)],
    "no text at all": [user("")],
    "in flight": [system(), user("go " * 100), assistant("x " * 300, "c1", "c2"), result("c1", "y " * 900)],
    "pictures": [
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "data:,x"}}]},
        assistant("A cat."),
        {
            "role": "user",
            "content": [{"type": "text", "text": "And?"}, {"type": "image_url", "image_url": {"url": "u"}}],
        },
    ],
    "a missing result": [user("a"), assistant("b " * 50, "c1"), user("c"), assistant("d")],
}


@pytest.mark.drawn(4)
@pytest.mark.parametrize("records", FLOORS.values(), ids=FLOORS)
def test_the_floor_can_be_reached_and_nothing_below_it_at_any_budget(records: list[Json]) -> None:
    source = load(records)

    def outcome(target: int) -> int | BudgetError:
        try:
            (part,) = api.compact(source, Settings(strategy="tiered", target_tokens=target), tokenizer="chars").parts
        except BudgetError as error:
            return error
        return part.tokens

    first = outcome(1)
    floor = first.floor if isinstance(first, BudgetError) else 1
    for target in [*range(1, 40), *range(max(1, floor - 40), floor + 40), source.tokens - 1, source.tokens]:
        found = outcome(target)
        if target < floor:
            assert isinstance(found, BudgetError), f"{target} fits, the floor is said to be {floor}"
            assert found.floor == floor
            assert sum(size for _, size in found.items) == floor
            assert f"{floor:,} tokens" in str(found)
        else:
            assert isinstance(found, int), f"{target} is above the floor of {floor}: {found}"
            assert found <= target


def test_the_words_of_the_user_are_shortened_last() -> None:
    records = [user("First " + "wish " * 100), assistant(None, "c1"), result("c1", "out " * 400)]
    whole = tokens_of(records)
    part = compact(records, target_tokens=whole - 200)
    assert records_of(part)[0] == records[0]
    tight = compact(records, target_tokens=90)
    assert tight.tokens <= 90
    assert "left out" in records_of(tight)[0]["content"]
    assert records_of(tight)[0]["content"].startswith("First wish")
    assert records_of(tight)[0]["content"].endswith("wish ")


# -- bytes


def test_kept_records_have_their_original_bytes() -> None:
    odd = (
        b'{ "weight":1.0, "role" : "user",  "content":"caf\\u00e9 \\/ na\xc3\xafve", "x":{"b":1,"a":[1e3,1.50]},"big":'
        + str(2**80).encode()
        + b" }"
    )
    data = odd + b"\r\n" + b"\r\n".join(to_bytes(long_session(30)).splitlines()) + b"\r\n"
    source = api.load(data, tokenizer="chars")
    result = api.compact(source, Settings(strategy="tiered", target_ratio=0.3), tokenizer="chars")
    lines = read_all(result.data).split(b"\r\n")
    assert lines[0] == odd
    assert result.data.endswith(b"\r\n")
    kept = [line for line in lines if line in set(data.split(b"\r\n"))]
    assert len([line for line in kept if line]) == result.parts[0].dispositions.kept


def test_a_shortened_record_changes_only_in_its_body() -> None:
    long = json.dumps("plain words " * 3000)
    raw = b'{"role":"tool","x-meta": {"z":1.0,"a":"\\u00e9"},"content":%b, "tool_call_id" : "c1"}' % long.encode()
    data = to_bytes([user("go"), assistant(None, "c1")]) + raw + b"\n"
    out = api.compact(
        api.load(data, tokenizer="chars"), Settings(strategy="tiered", target_tokens=400), tokenizer="chars"
    ).data
    line = read_all(out).splitlines()[2]
    before, after = raw.split(long.encode())
    assert line.startswith(before)
    assert line.endswith(after)
    assert len(line) < len(raw)


def test_a_second_run_gives_the_same_bytes() -> None:
    records = _with_decision_and_result(2000)
    assert compact(records, target_ratio=0.3).data == compact(records, target_ratio=0.3).data


def test_an_input_within_its_target_comes_out_byte_for_byte() -> None:
    data = b'\xef\xbb\xbf{"role":"user","content":"a"}\r\n\r\n {"role":"assistant","content":"b"} '
    source = api.load(data, tokenizer="chars")
    assert api.compact(source, Settings(strategy="tiered", target_tokens=source.tokens), tokenizer="chars").data == data
    assert api.compact(source, Settings(strategy="tiered", target_ratio=1.0), tokenizer="chars").data == data


@pytest.mark.parametrize("target", [{"target_tokens": 1500}, {"target_ratio": 0.4}, {}])
def test_compacting_the_output_again_changes_nothing(target: dict[str, Any]) -> None:
    records = _with_decision_and_result(2000)
    first = compact(records, **target)
    assert first.changed
    again = api.load(first.data, format="openai-chat", tokenizer="chars")
    for settings in (Settings(strategy="tiered", **target), Settings()):
        assert api.compact(again, settings, tokenizer="chars").data == first.data


# -- tiers and the plan


def test_older_tiers_are_cut_harder_than_newer_ones() -> None:
    part = compact(long_session(60, words=120), target_ratio=0.4)
    shares = [line.tokens_after / line.tokens_before for line in part.tiers]
    assert shares == sorted(shares, reverse=True)


def test_the_plan_decides_every_group_once_and_says_why() -> None:
    part = compact(long_session(50), target_ratio=0.3)
    assert part.plan is not None
    assert [d.group for d in part.plan.decisions] == [g.index for g in part.groups]
    assert all(d.reason for d in part.plan.decisions)
    reasons = {d.group: d.reason for d in part.plan.decisions}
    assert reasons[0] == "system message"
    assert reasons[1] == "first request of the user"
    covered = sorted(i for g in part.groups for i in g.messages)
    assert covered == list(range(len(part.repaired.messages)))


def test_the_report_s_dispositions_count_every_message_once() -> None:
    records = long_session(50)
    d = compact(records, target_ratio=0.3).dispositions
    assert d.kept + d.shortened + d.summarized + d.dropped == len(records)
    assert d.kept
    assert d.summarized


def test_each_summary_names_what_it_stands_for_and_is_smaller() -> None:
    part = compact(long_session(60), target_ratio=0.4)
    summaries = [m for m in part.messages if m.origin == "summary"]
    assert summaries
    for message in summaries:
        first, second, *_ = message.text().splitlines()
        assert first == "## Session Summary (Compaction Round 1)"
        assert second.startswith("Stands for messages ")
        assert "ctx_" in second


def test_time_order_is_kept_with_summaries_at_the_place_of_what_they_replace() -> None:
    part = compact(long_session(60), target_ratio=0.4)
    from compactor_cli.summary_text.headers import covered

    places = [m.index if m.index >= 0 else covered(m.text())[0] for m in part.messages]
    assert places == sorted(places)


def test_a_prefix_that_is_untouched_is_reported() -> None:
    records = long_session(40)
    part = compact(records, target_ratio=0.3)
    assert part.first_changed_index == 2
    assert part.prefix_tokens_kept == sum(m.tokens for m in part.before.messages[:2])


@pytest.mark.parametrize("role", ["user", "assistant", "system"])
def test_the_role_of_summaries_is_a_setting(role: str) -> None:
    part = compact(long_session(40), target_ratio=0.3, summary_role=role)
    assert {m.role for m in part.messages if m.origin == "summary"} == {role}


def test_conversations_of_one_file_are_compacted_on_their_own() -> None:
    lines = [{"id": n, "messages": long_session(20 + n)} for n in range(3)]
    source = load(lines)
    result = api.compact(source, Settings(strategy="tiered", target_ratio=0.4), tokenizer="chars")
    output = read_all(result.data)
    again = api.load(output, tokenizer="chars")
    assert [json.loads(line)["id"] for line in output.splitlines()] == [0, 1, 2]
    for before, after, part in zip(source.transcripts, again.transcripts, result.parts, strict=True):
        assert after.tokens == part.tokens <= int(0.4 * before.tokens)
