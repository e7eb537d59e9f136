"""Adaptive: the target is met, what must stay stays, and what the rest of the session needs is kept."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.errors import BudgetError
from compactor_cli.model.profile import Profile
from compactor_cli.model.report import Compaction
from compactor_cli.settings import Settings
from compactor_cli.text.json_values import without_blanks
from compactor_cli.text.shorten import text_reference
from tests.pipeline.sessions import Json, assistant, compact, filler, load, records_of, result, system, to_bytes, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)


@cache
def compacted(tasks: int = 20, **settings: Any) -> Compaction:
    return compact(work.session(tasks), **settings)


def everything(part: Compaction) -> str:
    return "\n".join(m.text() for m in part.messages)


def summaries(part: Compaction) -> list[str]:
    return [m.text() for m in part.messages if m.origin == "summary"]


def renditions(part: Compaction) -> dict[int, str]:
    """Message of the input -> its rendition."""
    assert part.plan is not None
    return {i: d.rendition for d in part.plan.decisions for i in part.groups[d.group].messages}


# -- the promise


@pytest.mark.drawn(4)
@pytest.mark.parametrize("target", [150, 200, 300, 500, 700, 1_000, 1_500, 2_500, 4_000, 8_000, 16_000, 30_000])
def test_the_output_fits_and_is_counted_alike_when_it_is_read_again(target: int) -> None:
    part = compacted(target_tokens=target)
    assert api.load(part.data, format="openai-chat", tokenizer="chars").tokens == part.tokens <= target
    assert part.plan is not None
    assert part.plan.strategy == "adaptive"


@pytest.mark.parametrize("target", [400, 1_000, 3_000])
def test_the_same_by_a_real_tokenizer(target: int) -> None:
    part = compact(work.session(4), target_tokens=target, tokenizer="o200k_base")
    assert api.load(part.data, format="openai-chat", tokenizer="o200k_base").tokens == part.tokens <= target


@pytest.mark.drawn(3)
@pytest.mark.parametrize("ratio", [0.05, 0.1, 0.25, 0.5, 0.8])
def test_the_room_is_used(ratio: float) -> None:
    part = compacted(target_ratio=ratio)
    assert part.target is not None
    assert part.tokens > 0.9 * part.target


def test_a_target_that_is_too_small_is_refused_with_what_takes_it_up() -> None:
    with pytest.raises(BudgetError) as caught:
        compacted(target_tokens=20)
    error = caught.value
    assert dict(error.items).keys() == {"system message", "last request of the user"}
    assert sum(size for _, size in error.items) == error.floor > 20
    assert compacted(target_tokens=error.floor).tokens <= error.floor
    with pytest.raises(BudgetError):
        compacted(target_tokens=error.floor - 1)


# -- what must stay


@pytest.mark.parametrize("ratio", [0.5, 0.1, 0.02])
def test_system_first_and_last_request_are_kept_byte_for_byte(ratio: float) -> None:
    records = work.session()
    lines = compacted(target_ratio=ratio).data.splitlines()
    for kept in (records[0], records[1], records[-2]):
        assert to_bytes([kept]).strip() in lines


def test_a_large_request_is_shortened_in_place_with_its_first_lines_and_a_mark() -> None:
    log = "\n".join(f"{at}: the job of row {at} took {at * 3} units" for at in range(900))
    asked = f"Find out why the nightly job stops at deploy.sh.\nThis is its log:\n{log}"
    records = [system(), user(asked), *filler(1), *filler(2), user("Go on."), assistant("I do.")]
    part = compact(records, target_tokens=2_000)
    (written,) = (r["content"] for r in records_of(part) if "nightly job" in r["content"] and r["role"] == "user")
    assert written.startswith("Find out why the nightly job stops at deploy.sh.")
    assert text_reference(asked) in written
    assert part.tokens <= 2_000
    assert records_of(part)[0] == records[0]


def test_matches_of_keep_are_kept_whole_with_their_exchange() -> None:
    part = compacted(target_ratio=0.1, keep=("compute_ledger_2\\(",))
    where = next(at for at, r in enumerate(work.session()) if "def compute_ledger_2(" in str(r["content"]))
    assert renditions(part)[where - 1] == renditions(part)[where] == "whole"
    assert work.source(2) in everything(part)


def test_the_newest_messages_are_kept_whole_with_keep_last() -> None:
    part = compacted(target_ratio=0.05, keep_last=4)
    assert records_of(part)[-4:] == work.session()[-4:]


def test_work_in_flight_stays() -> None:
    records = [*work.session(6), assistant("Two more.", ("open_1", "Bash", {"command": "make"}), "open_2")]
    records.append(result("open_2", "came back first"))
    part = compact(records, target_ratio=0.1)
    assert records_of(part)[-2:] == records[-2:]


@pytest.mark.parametrize("ratio", [0.7, 0.4, 0.2, 0.08])
def test_thinking_is_untouched_or_gone_with_its_group(ratio: float) -> None:
    source = api.load(work.claude_session(), tokenizer="chars")
    (part,) = api.compact(source, Settings(target_ratio=ratio), tokenizer="chars").parts
    before = {m.index: m for m in part.before.messages}
    for message in part.messages:
        if message.index >= 0:
            thoughts = [p for p in message.parts if p.kind == "thinking"]
            assert thoughts == [p for p in before[message.index].parts if p.kind == "thinking"]
    assert "I think about" not in "\n".join(summaries(part)), "thinking is not quoted"


def report(paragraphs: int) -> str:
    """What an agent tells its user in the end, in prose with code and lists."""
    parts = [
        f"### {at}. The rounding of area {at}\n\n"
        f"Totals were cut before they were summed, which lost a cent in {at + 3} of a hundred orders. "
        f"They are summed first now:\n\n```python\nreturn round(sum(parts), {at})\n```\n\n"
        f"- Old orders stay as they are.\n- A job for them would take {at + 5} minutes."
        for at in range(paragraphs)
    ]
    return "\n\n".join(
        ["I have mended the totals. Here is what was wrong and what I changed.", *parts, "Shall I write the job?"]
    )


@pytest.mark.parametrize("ratio", [0.25, 0.1])
def test_the_report_at_the_end_of_the_work_stays_whole(ratio: float) -> None:
    records = [*work.session()[:-1], assistant(report(4))]
    part = compact(records, target_ratio=ratio)
    assert records_of(part)[-1] == records[-1]


def test_a_report_that_takes_a_third_of_the_room_stays_whole() -> None:
    records = [*work.session()[:-1], assistant(report(20))]
    size = compact(records, target_tokens=10**6).messages[-1].tokens
    part = compact(records, strategy="adaptive", target_tokens=3 * size)
    assert records_of(part)[-1] == records[-1]


def test_a_long_report_is_cut_in_prose_and_leaves_room_for_the_rest() -> None:
    records = [*work.session()[:-1], assistant(report(60))]
    part = compact(records, target_ratio=0.1)
    written = records_of(part)[-1]["content"]
    assert part.target is not None
    assert 0.15 * part.target < part.messages[-1].tokens < 0.3 * part.target
    sentences = [s for s in re.split(r"(?<=[.?])\s+|\n\n", report(60)) if s]
    kept = [s for s in sentences if s in written]
    assert sum(map(len, kept)) > 0.8 * len(written), "sentences, not pieces of them"
    assert "module_3.py" in everything(part), "the work before it is not crowded out"


def test_an_edit_among_the_newest_exchanges_shows_the_lines_that_it_adds() -> None:
    context = [f"    plain = before.copy(step={at})  # {' and so on' * 4}" for at in range(80)]
    added = ["    if order.paid:", "        plain = plain.rounded()"]
    edit = {
        "file_path": "src/totals.py",
        "old_string": "\n".join(context),
        "new_string": "\n".join([*context[:40], *added, *context[40:]]),
    }
    end = [assistant(None, ("last", "Edit", edit)), result("last", "The file src/totals.py has been updated.")]
    part = compact([*work.session(), *end, user("Commit it.")], target_ratio=0.1)
    (written,) = (
        json.loads(p.text) for m in part.messages for p in m.parts if p.kind == "tool_call" and p.call_id == "last"
    )
    assert all(line in written["new_string"].split("\n") for line in added)
    assert context[0] not in written["new_string"], "it is cut"


def test_of_an_edit_the_call_around_texts_that_stay_is_shown_before_them() -> None:
    texts = [f'    "Option {at}: leave the file of gate {at} as it is, and go on",' for at in range(90)]
    edit = {
        "file_path": "src/totals.py",
        "old_string": "\n".join(["print(", *texts, ")", "raise Conflict()"]),
        "new_string": "\n".join(["told = format(", *(f"{text[:-1]} +" for text in texts), ")", "answer_hook(told)"]),
    }
    end = [assistant(None, ("last", "Edit", edit)), result("last", "The file src/totals.py has been updated.")]
    part = compact([*work.session(), *end, user("Commit it.")], target_ratio=0.1)
    (written,) = (
        json.loads(p.text) for m in part.messages for p in m.parts if p.kind == "tool_call" and p.call_id == "last"
    )
    assert "answer_hook(told)" in written["new_string"]
    assert "Option 89" not in written["new_string"], "it is cut"


# -- what survives


def test_requests_and_changed_files_survive_at_a_tenth() -> None:
    part = compacted(target_ratio=0.1)
    kept = everything(part)
    for number in range(20):
        first, _, second = work.request(number).partition("\n")
        assert first in kept
        assert second in kept
    assert sum(work.changed_file(n) in kept for n in range(20)) >= 18
    survived = {line.category: line.percent for line in api.diff(load(work.session()), load(records_of(part)))[1]}
    assert survived["user_requests"] == 100
    assert survived["effects"] >= 90, "the state says what was changed"


def needle_session(place: int = 300) -> tuple[list[Json], str]:
    """A long output with one thing in it that the session comes back to."""
    rows = [f"host-{at:04} up {at * 11} s load 0.{at % 97:02} mem {at * 13 % 4096}" for at in range(600)]
    rows[place] = "host-0300 DOWN volume vol-7f3a9c is detached, see runbook/detached_volumes.md"
    output = "\n".join(rows)
    records = [system(), user("Which of our hosts is down, and why?")]
    records += [assistant("I look at all of them.", ("c1", "Bash", {"command": "fleetctl list"})), result("c1", output)]
    records += [assistant("Volume vol-7f3a9c is detached. I follow runbook/detached_volumes.md later.")]
    for at in range(10):
        records += [assistant(f"I look at rack {at}.", (f"k{at}", "Bash", {"command": f"rackctl show {at}"}))]
        records += [result(f"k{at}", "\n".join(f"slot {slot} is in use by team {slot % 7}" for slot in range(40)))]
    return [*records, user("So mend that volume now."), assistant("Yes.")], output


@pytest.mark.parametrize("ratio", [0.3, 0.12])
def test_an_identifier_in_the_middle_of_a_long_output_survives(ratio: float) -> None:
    records, _ = needle_session()
    kept = everything(compact(records, target_ratio=ratio))
    assert "vol-7f3a9c" in kept
    assert "runbook/detached_volumes.md" in kept
    assert len(re.findall(r"host-\d{4} up", kept)) < 400


MARK = re.compile(r"\[… (?P<count>[\d,]+) lines? left out(?: in all)? · (?P<reference>ctx_[0-9a-f]{8})\]")


def test_a_newest_output_is_cut_in_place_with_a_count_and_a_reference() -> None:
    records, output = needle_session()
    records = [*records[:1], *records[5:25], *records[1:4]]
    part = compact(records, target_ratio=0.3)
    written = records_of(part)[-1]
    assert written["role"] == "tool"
    (mark,) = MARK.finditer(written["content"])
    kept = set(output.split("\n")) & set(written["content"].split("\n"))
    assert int(mark["count"].replace(",", "")) == 600 - len(kept)
    assert mark["reference"] == text_reference(output)
    gaps = len(re.findall(r"^(?:\[… .*|…)$", written["content"], re.MULTILINE))
    assert ("left out in all" in mark[0]) is (gaps > 1), "it counts the other gaps, too"
    lines = [line for line in written["content"].split("\n") if "…" not in line]
    assert lines == [line for line in output.split("\n") if line in kept], "lines keep their order"


def test_arguments_that_are_cut_in_place_stay_json_with_their_keys() -> None:
    written = "\n".join(f"value_{at} = compute({at})" for at in range(2_000))
    arguments = {"file_path": "src/new_module.py", "content": written, "mode": 420}
    records = [*work.session(3), assistant("I write it.", ("w1", "Write", arguments)), result("w1", "written")]
    part = compact(records, target_tokens=1_500)
    calls = [c for r in records_of(part) for c in r.get("tool_calls", ()) if c["id"] == "w1"]
    (given,) = (json.loads(c["function"]["arguments"]) for c in calls)
    assert (given["file_path"], given["mode"]) == ("src/new_module.py", 420)
    assert text_reference(written) in given["content"]
    assert len(given["content"]) < 6_000


def test_a_talk_keeps_its_rare_facts() -> None:
    records = [user("Tell me about the garden.")]
    for _ in range(60):
        records += [
            assistant("The garden has many plants and they all grow well in the sun and in the rain. " * 3),
            user("That is nice, and what else grows well in the garden?"),
        ]
    fact = "Grandmother buried the silver teapot beneath the quince in spring."
    records[40] = assistant(f"The garden has many plants. {fact} They all grow well.")
    part = compact([*records, assistant("More of the same.")], target_ratio=0.15)
    assert "silver teapot" in everything(part)


# -- the plan


def test_every_decision_has_a_reason_and_what_was_chosen_its_value_and_signals() -> None:
    part = compacted(target_ratio=0.2)
    assert part.plan is not None
    assert [d.group for d in part.plan.decisions] == [g.index for g in part.groups]
    # what is new stays whether any of it was chosen or not
    chosen = [d for d in part.plan.decisions if "quoted" in d.reason or d.reason == "most of it is worth its tokens"]
    assert len(chosen) > 20
    for decision in part.plan.decisions:
        assert decision.reason
        assert decision.value is None or decision.value >= 0
    assert all(d.value and d.value > 0 for d in chosen)
    signals = [signal for d in chosen for signal in d.signals]
    assert signals
    assert all(re.fullmatch(r".+ \([a-z_]+(, [a-z_]+)*\)|.+ \(\)", signal) for signal in signals)
    assert all(signal.split(" (")[0] for signal in signals)


def test_summaries_say_what_they_stand_for_and_quote_under_the_number_of_the_message() -> None:
    part = compacted(target_ratio=0.15)
    assert summaries(part)
    texts = {m.index: "\n".join(without_blanks(p.text) for p in m.parts) for m in part.before.messages}
    quoted = 0
    for text in summaries(part):
        first, *lines = text.split("\n")
        assert re.match(r"## Session Summary of #[\d, -]+(?: \(ctx_[0-9a-f]{8}|$)|\[#[\d, -]+\]$", first)
        for line in lines:
            match = re.match(r"#(\d+)(?: [^\s:]+:(?: \w+=)?| →|:) ?(?:… )?(.{1,30})", line)
            if match and not match[2].startswith(("+|", "-|")) and " … " not in line:
                quoted += 1
                assert match[2] in texts[int(match[1])]
    assert quoted > 10


def test_time_order_is_kept() -> None:
    from compactor_cli.summary_text.headers import covered

    part = compacted(target_ratio=0.3)
    places = [m.index if m.index >= 0 else covered(m.text())[0] for m in part.messages]
    assert places == sorted(places)


def test_another_profile_keeps_something_else() -> None:
    source = load(work.session(8))
    settings = Settings(target_ratio=0.1)

    def kept(**weights: float) -> str:
        profile = Profile({"bias": -6.0, **weights})
        (part,) = api.compact(source, settings, tokenizer="chars", profile=profile).parts
        return everything(part)

    numbers, paths = kept(**{"kind.decimal": 12.0}), kept(**{"kind.path": 12.0})
    decimals = [f"{n}.25" for n in range(8)]
    assert sum(d in numbers for d in decimals) == 8
    assert numbers != paths


def test_without_a_target_the_share_of_each_tier_is_the_target() -> None:
    part = compacted(12, strategy="adaptive")
    total = sum(m.tokens for m in part.before.messages)
    assert 0.1 * total < part.tokens < 0.8 * total
    assert records_of(part)[:2] == work.session(12)[:2]


def renaming(count):
    """A chat of small requests, all of one kind, each with its answer."""
    asked = [f"Please rename the function number {n} in the module." for n in range(count)]
    return [each for n, text in enumerate(asked) for each in (user(text), assistant(f"Done: number {n} has its name."))]


@pytest.mark.parametrize("ratio", [0.5, 0.25])
def test_in_talk_the_answer_to_the_last_request_stays(ratio):
    records = renaming(20)
    kept = records_of(compact(records, target_ratio=ratio))
    assert kept[-2:] == records[-2:]


def test_of_statements_worth_the_same_the_newest_are_kept():
    records = renaming(20)
    kept = records_of(compact(records, target_ratio=0.3))
    whole = [records.index(each) for each in kept if each["role"] == "user" and each in records]
    assert whole[0] == 0
    newest = [at for at in range(0, 40, 2) if at][-len(whole) + 1 :]
    assert whole[1:] == newest
