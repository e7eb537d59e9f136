"""`handoff` (seed 004): everything becomes a summary in seven parts that ends with the last request."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings
from compactor_cli.summary_text.reading import earlier_words
from compactor_cli.summary_text.verbatim import QUOTED, carried
from tests.builders import run_process
from tests.pipeline.sessions import Json, assistant, filler, records_of, result, system, to_bytes, user
from tests.pipeline.sessions import compact as compact_with
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(3)

compact = partial(compact_with, strategy="handoff")
TARGETS: list[dict[str, Any]] = [{}, {"target_ratio": 0.5}, {"target_ratio": 0.25}, {"target_ratio": 0.1}]
HEADINGS = [
    "### 1. User's Primary Goals and Intent",
    "### 2. Conversation Timeline and Progress",
    "### 3. Technical Context and Decisions",
    "### 4. Files and Code Changes",
    "### 5. Active Work and Last Actions",
    "### 6. Unresolved Issues and Pending Tasks",
    "### 7. Immediate Next Step",
]


def summary_of(part: Compaction) -> str:
    (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
    return text


def told() -> list[Json]:
    """Work with something for each of the seven parts."""
    return [
        *work.session(12, end=False),
        assistant("We decided to use Decimal instead of float, because of the cents."),
        *filler(1),
        assistant("Next, the changelog needs a line."),
        user(work.LAST),
        assistant("I write it."),
    ]


# -- the shape


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_the_result_is_exactly_a_system_and_a_user_message(target: dict[str, Any]) -> None:
    part = compact(told(), **target)
    assert [m.role for m in part.messages] == ["system", "user"]
    first, second = records_of(part)
    assert first == system(work.SYSTEM)
    assert list(second) == ["role", "content"]
    assert second["content"].startswith("## Session Summary (Compaction Round 1)\n")


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_where_the_system_prompt_is_top_level_the_result_is_one_user_message(target: dict[str, Any]) -> None:
    part = compact([json.loads(line) for line in work.claude_session(12).splitlines()], format="anthropic", **target)
    assert [m.role for m in part.messages] == ["user"]


def test_a_sentence_under_a_heading_is_not_quoted_again_among_the_lines() -> None:
    text = summary_of(compact(told(), target_ratio=0.5))
    headed, _, lines = text.partition(QUOTED)
    said = re.findall(r'^- "(.+)" \[#(\d+)\]$', headed, re.MULTILINE)
    assert len(said) > 10
    assert "#" in lines
    again = [words for words, _ in said if f" {words}\n" in lines]
    assert again == []


def test_what_was_said_and_what_failed_stands_in_time_order() -> None:
    timeline = summary_of(compact(told(), target_ratio=0.5)).partition("\n### 3.")[0].partition("\n### 2.")[2]
    numbers = [int(number) for number in re.findall(r"\[#(\d+)", timeline)]
    kinds = {line[2] for line in timeline.splitlines() if line.startswith("- ")}
    assert kinds == {'"', "`"}
    assert numbers == sorted(numbers)


@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_the_seven_parts_stand_in_the_order_of_the_seed(target: dict[str, Any]) -> None:
    text = summary_of(compact(told(), **target))
    found = [line.partition(" (first")[0] for line in text.splitlines() if line.startswith("### ")]
    assert [heading for heading in found if heading in HEADINGS] == HEADINGS


def test_each_part_says_what_it_is_for() -> None:
    text = summary_of(compact(told(), target_ratio=0.3))
    said = dict(zip(HEADINGS, (text.partition(h)[2].partition("\n### ")[0] for h in HEADINGS), strict=True))
    goals, timeline, technical, files, active, unresolved, following = said.values()
    assert work.FIRST in goals
    assert '"Mended: compute_quota_7 now quantizes its total." [#81]' in timeline
    assert "We decided to use Decimal instead of float" in technical
    assert "`src/parser/module_1.py` edited, read [#13, #17]" in files
    assert "`pytest -q tests/test_module_1.py` (2x, last ok) [#15, #19]" in files
    assert "- newest change of `src/parser/module_11.py` [#117]" in active
    assert text.endswith(f"\n#127: I write it.\n\nLast request from user was: {work.LAST}")
    assert work.error(1) in timeline
    assert work.error(1) not in unresolved, "a later run passed"
    assert "Next, the changelog needs a line." not in following, "an announcement is no task"


# -- code (seed 004, parts 4 and 5)


def edits(path: str, old: str, new: str, number: str) -> list[Json]:
    arguments = json.dumps({"file_path": path, "old_string": old, "new_string": new})
    call = {"id": number, "type": "function", "function": {"name": "Edit", "arguments": arguments}}
    return [{"role": "assistant", "content": None, "tool_calls": [call]}, result(number, "The file was updated.")]


CODE = "def rate(kind):\n    return RATES[kind]\n## Session Summary\n<system-reminder>"
CODED = [
    system(),
    user("Make the tax rates configurable."),
    *edits("src/tax.py", "RATE = 0.19", "RATES = {'full': 0.19}", "a"),
    *edits("src/cart.py", "price * RATE", "price * rate(kind)", "b"),
    *[record for n in range(60) for record in filler(n)],
    *edits("src/rates.py", "", CODE, "c"),
    assistant("The caller has to become this:\n\n```python\ntotal = sum(map(rate, kinds))\n```\n\nShall I?"),
    user("Yes, and then the docs."),
]


def parts_of(text: str) -> dict[str, str]:
    return {heading[4:5]: text.partition(heading)[2].partition("\n### ")[0] for heading in HEADINGS}


def test_changes_and_active_work_have_their_code_word_for_word() -> None:
    said = parts_of(summary_of(compact(CODED, target_ratio=0.5)))
    assert (
        "- last change of `src/tax.py` [#2]\n  ```\n  -| RATE = 0.19\n  +| RATES = {'full': 0.19}\n  ```" in said["4"]
    )
    assert "+| price * rate(kind)" in said["4"]
    assert "- newest change of `src/rates.py`" in said["5"]
    assert "  +|     return RATES[kind]\n" in said["5"]
    assert "  ```\n  total = sum(map(rate, kinds))\n  ```" in said["5"]


@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_there_is_code_in_both_parts_where_room_is_short(target: dict[str, Any]) -> None:
    said = parts_of(summary_of(compact(CODED, **target)))
    assert "  ```\n" in said["4"]
    assert "  ```\n" in said["5"]


def test_code_cannot_pass_for_marks_of_the_summary() -> None:
    text = summary_of(compact(CODED))
    assert [line for line in text.splitlines() if line.startswith("## ")] == text.splitlines()[:1]
    assert "<system-reminder>" not in text


def test_a_long_replacement_shows_what_went_and_what_came() -> None:
    old = "\n".join(f"old_{at} = {at}" for at in range(40))
    new = "\n".join(f"new_{at} = {at}" for at in range(40))
    text = summary_of(compact([*CODED[:2], *edits("src/tax.py", old, new, "x"), *CODED[4:]], target_ratio=0.5))
    (block,) = [part for part in text.split("```") if "old_0" in part]
    assert block.split("\n  ")[1:-1] == [
        "-| old_0 = 0",
        "-| old_1 = 1",
        "-| old_2 = 2",
        "… 37 more lines",
        *(f"+| new_{at} = {at}" for at in range(5)),
        "… 35 more lines",
    ]


def test_neither_courtesies_nor_questions_of_the_agent_are_work() -> None:
    polite = assistant(
        "No worries! Could you give me the file? I moved the rates of 2026 to `src/rates.py`. Please hold on."
    )
    text = summary_of(compact([*CODED[:3], polite, *CODED[3:]], target_ratio=0.5))
    said = text.partition("### Lines of the session")[0]
    assert '"I moved the rates of 2026 to `src/rates.py`."' in said
    assert [part for part in ("No worries", "Could you give", "Please hold on") if part in said] == []


def test_a_change_that_failed_is_not_shown() -> None:
    failed = [*edits("src/gone.py", "old = 1", "new = 2", "x")[:1], result("x", "Error: old_string was not found")]
    records = [*CODED[:2], *failed, *CODED[2:]]
    assert "new = 2" in json.dumps(records)
    text = summary_of(compact(records, target_ratio=0.5))
    assert "change of `src/gone.py`" not in text
    assert "last change of `src/tax.py`" in text


def test_code_of_an_earlier_round_is_carried_on_until_its_file_changes_again() -> None:
    first = compact(CODED)
    more = [*edits("src/tax.py", "0.19", "0.07", "d"), *[r for n in range(30) for r in filler(n)], user("Go on.")]
    text = summary_of(compact([*records_of(first), *more], target_ratio=0.4))
    assert "price * rate(kind)" in text
    assert "[earlier #4]" in text
    assert "+| 0.07" in text
    assert "RATES = {'full': 0.19}" not in text


def test_a_patch_shows_its_lines() -> None:
    patch = "*** Begin Patch\n*** Update File: src/x.py\n@@\n-a = 1\n+a = 2\n*** End Patch"
    call = {
        "id": "p",
        "type": "function",
        "function": {"name": "apply_patch", "arguments": json.dumps({"input": patch})},
    }
    records = [
        *CODED[:2],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        result("p", "Done"),
        *CODED[2:],
    ]
    assert "- last change of `src/x.py` [#2]\n  ```\n  -| a = 1\n  +| a = 2\n  ```" in summary_of(
        compact(records, target_ratio=0.5)
    )


# -- the last request


@pytest.mark.drawn(4)
@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("last", [work.LAST, "Two lines,\n\nand\t### a heading.\n", "ÄÖ 漢字 🙂 — `tick`"])
def test_the_summary_ends_with_the_exact_words_of_the_last_request(target: dict[str, Any], last: str) -> None:
    text = summary_of(compact([*work.session(12, end=False), user(last), assistant("I do it.")], **target))
    assert text.endswith(f"\n\nLast request from user was: {last}")
    assert carried(text).first == work.FIRST
    assert carried(text).last == last


def test_the_only_request_is_repeated_once_at_the_end() -> None:
    records = [system(), user(work.FIRST), *(r for n in range(20) for r in filler(n)), assistant("There it is.")]
    text = summary_of(compact(records, target_ratio=0.5))
    assert text.endswith(f"Last request from user was: {work.FIRST}")
    assert text.count(work.FIRST) == 1


def test_what_a_harness_said_last_is_not_the_last_request() -> None:
    reminder = "<system-reminder>Nothing is on your list.</system-reminder>"
    text = summary_of(compact([*told(), user(reminder)]))
    assert text.endswith(f"Last request from user was: {work.LAST}")


# -- what stays besides


@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_work_in_flight_stays(target: dict[str, Any]) -> None:
    records = [*told(), assistant("I look.", "open")]
    part = compact(records, **target)
    assert [m.role for m in part.messages] == ["system", "user", "assistant"]
    assert records_of(part)[-1] == records[-1]


@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_what_keep_matches_stays_as_it_is(target: dict[str, Any]) -> None:
    records = told()
    part = compact(records, keep=("compute_export_3 is wrong",), **target)
    kept = [m.index for m in part.messages if m.index > 0]
    assert [records[i]["role"] for i in kept] == ["assistant", "tool"]
    assert to_bytes([records[kept[0]]]).strip() in part.data.splitlines()


def test_with_keep_last_the_newest_messages_stand_behind_the_summary() -> None:
    records = told()
    part = compact(records, keep_last=3)
    assert [m.index for m in part.messages] == [0, -1, *range(len(records) - 3, len(records))]


@pytest.mark.parametrize("target", TARGETS[:3], ids=str)
def test_a_history_that_ends_with_a_kept_tool_result_gets_its_assistant_turn(target: dict[str, Any]) -> None:
    part = compact([*told(), *filler(7, words=10)], keep_last=1, **target)
    assert [m.role for m in part.messages][-3:] == ["assistant", "tool", "assistant"]
    assert records_of(part)[-1] == {"role": "assistant", "content": "Understood."}
    assert [note.kind for note in part.repairs] == ["assistant_turn"]


def test_an_unanswered_call_in_the_middle_is_answered_before_it_is_summarized() -> None:
    records = told()
    records[32:32] = [assistant(None, "lost"), user("Never mind.")]
    part = compact(records, keep=("Never mind", '"command": "ls"'))
    assert [note.kind for note in part.repairs] == ["synthetic_result"]
    assert not faults(part.messages, adjacent_results=True)
    (answer,) = [r for r in records_of(part) if r.get("tool_call_id") == "lost"]
    assert answer["content"].startswith("Tool no response")
    assert "synthetic" in answer["content"]


# -- rounds


def test_the_first_request_is_carried_from_round_to_round_and_the_last_is_the_newest() -> None:
    records = work.session(8)
    for number in range(1, 6):
        part = compact(records, target_tokens=2_500)
        text = summary_of(part)
        assert [m.role for m in part.messages] == ["system", "user"]
        assert part.round == number
        assert carried(text).first == work.FIRST
        assert carried(text).last == (work.LAST if number == 1 else f"Step {number - 1}, please.")
        assert text.count("## Session Summary") == 1
        assert text.count(work.FIRST) == 1
        records = [*records_of(part), *(r for n in range(8 * number, 8 * number + 8) for r in work.task(n))]
        records += [user(f"Step {number}, please."), assistant("So I do.")]


def test_a_round_without_a_new_request_carries_the_last_one() -> None:
    first = compact(told())
    going_on = [*(r for n in range(30) for r in filler(n)), assistant("Done.")]
    second = compact([*records_of(first), *going_on])
    assert second.round == 2
    assert [m.role for m in second.messages] == ["system", "user"]
    assert summary_of(second).endswith(f"Last request from user was: {work.LAST}")
    assert carried(summary_of(second)).first == work.FIRST


# -- a whole run


def test_a_process_writes_a_system_and_a_user_message(tmp_path: Any) -> None:
    path = tmp_path / "session.jsonl"
    path.write_bytes(to_bytes(told()))
    done = run_process("compact", path, "--strategy", "handoff", "--target-ratio", "0.3", "--quiet")
    assert done.code == 0, done.stderr
    assert [json.loads(line)["role"] for line in done.stdout.splitlines()] == ["system", "user"]


def test_the_api_gives_the_same() -> None:
    source = api.load(to_bytes(told()), tokenizer="chars")
    first, second = (api.compact(source, Settings(strategy="handoff"), tokenizer="chars").data for _ in range(2))
    assert first == second


# -- requests that cannot be repeated


def test_requests_with_pictures_stay_as_messages() -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    first = {"role": "user", "content": [{"type": "text", "text": "Build what is drawn here."}, picture]}
    last = {"role": "user", "content": [{"type": "text", "text": "And now this."}, picture]}
    part = compact([system(), first, *work.session(8)[2:-2], last, assistant("I do.")], target_ratio=0.6)
    assert [m.role for m in part.messages] == ["system", "user", "user", "user", "assistant"], (
        "what came last stays last"
    )
    assert records_of(part)[1] == first
    assert records_of(part)[3] == last
    repeated = carried(summary_of(part))
    assert (repeated.first, repeated.last) == ("", "")


@pytest.mark.drawn(2)
@pytest.mark.parametrize("target", [1_000, 3_000])
def test_of_a_first_request_that_is_larger_than_the_target_what_is_asked_stays(target: int) -> None:
    pasted = "\n".join(f"row {n} of the ledger was booked twice by the importer" for n in range(1_500))
    asked = f"Begin here, please.\n\n{pasted}\n\nEnd here with a note."
    part = compact([system(), user(asked), *work.session(8)[2:]], target_tokens=target)
    assert part.tokens <= target
    assert [m.role for m in part.messages] == ["system", "user"]
    first = earlier_words(summary_of(part), "user")[0].text
    assert first.startswith("Begin here, please.")
    assert "End here with a note." in first
    assert "…" in first
    assert summary_of(part).endswith(f"Last request from user was: {work.LAST}")


def test_a_session_without_requests_becomes_a_summary_all_the_same() -> None:
    part = compact([record for record in work.session(8) if record["role"] != "user"])
    assert [m.role for m in part.messages] == ["system", "user"]
    assert "Last request" not in summary_of(part)


def test_all_system_messages_stay() -> None:
    records = [*work.session(4), system("Second."), *work.session(4)[2:]]
    part = compact(records)
    assert [r["content"] for r in records_of(part) if r["role"] == "system"] == [work.SYSTEM, "Second."]


def test_a_request_in_several_parts_is_repeated_as_it_reads() -> None:
    blocks = [{"type": "text", "text": text} for text in ("", "Mend it.", "", "All of it.")]
    part = compact([system(), {"role": "user", "content": blocks}, *work.session(8)[2:]])
    assert carried(summary_of(part)).first == "Mend it.\nAll of it."


def test_the_end_of_what_the_agent_said_last_is_there() -> None:
    records = [
        *work.session(12),
        user("Is it all right?"),
        assistant("I looked at all of it:\n\nIt is. Shall I commit it?"),
    ]
    text = summary_of(compact(records, strategy="handoff", target_ratio=0.4))
    step = text.partition("7. Immediate Next Step\n")[2].partition("\n### ")[0]
    assert "- The agent's last words on the last request stand at the end." in step
    assert text.endswith(
        f"\n#{len(records) - 1}: It is. Shall I commit it?\n\nLast request from user was: Is it all right?"
    )


def test_what_the_user_refused_and_what_was_taken_back_is_no_newest_change() -> None:
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    edits = [
        assistant(
            None, (f"e{n}", "Edit", {"file_path": f"/w/{n}.py", "old_string": "a", "new_string": f"tide_{n} = 1"})
        )
        for n in range(3)
    ]
    records = [*work.session(12), edits[0], result("e0", refused), edits[1], result("e1", "The file was updated.")]
    records += [edits[2], result("e2", "The file was updated.")]
    records += [
        assistant(None, ("r", "Bash", {"command": "cd /w && git checkout -- 1.py"})),
        result("r", ""),
        user("Go on."),
    ]
    text = summary_of(compact(records, strategy="handoff", target_ratio=0.4))
    assert "change of `/w/2.py`" in text
    assert "change of `/w/0.py`" not in text
    assert "change of `/w/1.py`" not in text


def test_of_the_newest_results_no_lines_are_quoted_that_say_nothing() -> None:
    ran = "Chunk ID: 4fe1a2\nWall time: 0.1000 seconds\nOriginal token count: 412\nOutput:\nsrc/harbor.py: high_water"
    records = [
        *work.session(12, end=False),
        assistant("I look for it.", ("new", "exec", {"cmd": "rg -l high_water"})),
        result("new", ran),
        user(work.LAST),
    ]
    said = summary_of(compact(records, target_ratio=0.5)).partition(QUOTED)[2]
    assert "src/harbor.py: high_water" in said
    assert "Chunk ID" not in said
    assert "Original token count" not in said


def test_of_an_answer_with_which_everything_ends_most_is_quoted() -> None:
    """It is what the work came to: its beginning alone would not do."""
    answer = "\n".join(
        f"{n}. Berth {n} of the harbour takes ships of {n * 3} metres, and needs a pilot." for n in range(20)
    )
    records = [*work.session(14), user("Which berth takes which ship?"), assistant(answer)]
    for asked in (records, [*records, user("Thanks.")]):
        text = summary_of(compact(asked, target_ratio=0.15)).partition(QUOTED)[2]
        assert sum(f"Berth {n} of the harbour takes" in text for n in range(20)) >= 18
    worked = [*records, *work.session(1)[1:]]
    text = summary_of(compact(worked, target_ratio=0.15)).partition(QUOTED)[2]
    assert sum(f"Berth {n} of the harbour takes" in text for n in range(20)) < 15


# -- a short last request


LABELLED = "The branch is pushed.\n\nLeft: #2 (drop old sessions), #3 (mend the log), #4 (docs). Which of these next?"
LISTED = (
    "Left:\n\n1. Write the docs\n2. Drop old sessions\n3. Mend the log\n\nThe branch is pushed. Which of these next?"
)


@pytest.mark.parametrize(
    ("said", "reply", "told"),
    [
        (LABELLED, "let's tackle 2 and 3", LABELLED.partition("\n\n")[2]),
        (LISTED, "let's tackle 2 and 3", "2. Drop old sessions … 3. Mend the log"),
        ("I can round up or cut.\n\nShall I round up?", "Yes, please.", "I can round up or cut. Shall I round up?"),
    ],
)
def test_what_a_short_last_request_answers_is_told(said: str, reply: str, told: str) -> None:
    records = [*work.session(12, end=False), assistant(said), user(reply), *filler(1)]
    text = summary_of(compact(records, target_ratio=0.25))
    assert f'- "{reply}" answers: "{told}" [#' in text


def test_what_a_longer_last_request_answers_is_left_to_its_words() -> None:
    long = "Drop the old sessions now, but keep those of the last week, and tell me how many there were. " * 2
    records = [*work.session(12, end=False), assistant(LISTED), user(long), *filler(1)]
    assert '" answers: "' not in summary_of(compact(records, target_ratio=0.25))


def test_a_short_request_that_nothing_asked_for_answers_nothing() -> None:
    records = [*work.session(12, end=False), assistant("All 42 tests pass now."), user("Add a dark mode."), *filler(1)]
    assert '" answers: "' not in summary_of(compact(records, target_ratio=0.25))


# -- headings without a line


def test_where_calls_that_wait_stay_below_the_next_step_says_so() -> None:
    looks = assistant("I look at it.", "look", "wait")
    records = [*work.session(12, end=False), user(work.LAST), looks, result("look")]
    assert parts_of(summary_of(compact(records, target_ratio=0.5)))["7"].strip() == "(see the messages below)"


def test_a_summary_of_what_stands_before_all_work_has_no_headings_without_a_line() -> None:
    """A picture cannot be repeated in a summary, so that what stands before it has one of its own."""
    rules = f"# AGENTS.md instructions\n\n{'Keep the gates shut at high tide, and tell the pilots. ' * 60}"
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}
    shown = {"role": "user", "content": [{"type": "text", "text": "Mend what is seen here."}, picture]}
    part = compact([user(rules), shown, *work.session(12)[1:]], target_ratio=0.4)
    alone, *_ = [m.text("text") for m in part.messages if m.origin == "summary"]
    assert "Stands for messages 0 (" in alone
    assert "gates shut" in alone
    assert "(nothing recognized)" not in alone
