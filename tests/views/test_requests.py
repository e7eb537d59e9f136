"""Every sentence of every request counts, word for word, wherever it stands in the second transcript."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.views.survival.judge import judge_survival
from compactor_cli.views.survival.result import Survival
from tests.cost import count_calls
from tests.pipeline.sessions import assistant, load, transcript, user
from tests.views.sessions import judged, lost

pytestmark = pytest.mark.one_test_in(2)

CHAT = Path(__file__).parents[2] / "sample_transcripts" / "openai-chat.jsonl"
STOP = "Raise something a caller can recognise instead, and leave the rest as you have it."


def chat() -> list[Any]:
    return [json.loads(line) for line in CHAT.read_text(encoding="utf-8").splitlines()]


def diff_of_chat(records: list[Any]) -> dict[str, Survival]:
    _, lines = api.diff(load(chat()), load(records))
    return {line.category: line for line in lines}


def test_a_request_that_is_gone_is_lost_sentence_by_sentence() -> None:
    found = diff_of_chat([record for at, record in enumerate(chat()) if at != 66])
    gone = found["user_requests"]
    assert gone.percent < 100
    assert (66, STOP) in gone.lost
    assert (66, "So don't convert era dates.") in gone.lost
    assert (66, "So don't convert era dates.") in found["rules"].lost


def test_the_last_sentences_of_a_request_are_lost_when_only_they_are_gone() -> None:
    records = chat()
    said = records[66]["content"]
    records[66]["content"] = said[: said.index("So don't convert")]
    assert [text for _, text in diff_of_chat(records)["user_requests"].lost] == ["So don't convert era dates.", STOP]


def test_a_heading_that_names_the_message_does_not_keep_its_words() -> None:
    before = [user("Keep the port at 8085, whatever happens."), assistant("I will.")]
    heading = user("## Session Summary (Round 1)\nStands for messages 0-1 (ctx_00000000; from 900 to 90 tokens).")
    found = judged(before, [heading])
    assert found["user_requests"].percent == 0
    assert found["rules"].percent == 0


@pytest.mark.parametrize(
    "written",
    [
        "Never push to release/2.x without a green run.",
        "- never push to release/2.x   without a green run",
        "#12 user: Never push to release/2.x without a green run.",
        "earlier #12 user: … Never push to release/2.x without a green run",
        " #12 user: Never push to release/2.x without a green run.",
        "> Never push to release/2.x\n> without a green run.",
        "1. **Never push to release/2.x without a green run.** [#12]",
        "The user's rule: “Never push to release/2.x without a green run”.",
        "Agreed. Never push to release/2.x without a green run. Then the tests.",
    ],
)
def test_the_form_in_which_a_sentence_stands_does_not_matter(written: str) -> None:
    asked = [user("Never push to release/2.x without a green run.")]
    assert judged(asked, [assistant(written)])["user_requests"].percent == 100


@pytest.mark.parametrize(
    "written",
    [
        "Always push to release/2.x without a green run.",
        "Never push to release/2.x … without a green run.",
        "Never push to release/2.x\n… without a green run.",
        "Never push to release/2.x without a green run of everything.",
        "He said never push to release/2.x without a green run.",
        "Never push to release/2.x",
    ],
)
def test_words_that_are_missing_or_more_make_another_sentence(written: str) -> None:
    asked = [user("Never push to release/2.x without a green run.")]
    assert judged(asked, [assistant(written)])["user_requests"].percent == 0


def test_a_sentence_does_not_go_on_in_the_next_message() -> None:
    asked = [user("Take the second form for the table names.")]
    assert lost(asked, [assistant("Take the second form"), assistant("for the table names.")], "user_requests")


def test_a_number_is_not_the_beginning_of_another() -> None:
    asked = [user("The preview server listens on port 80")]
    assert lost(asked, [assistant("The preview server listens on port 8085")], "user_requests")
    assert lost(asked, [assistant("The preview server listens on port 80.5")], "user_requests")
    assert not lost(asked, [assistant("The preview server listens on port 80.")], "user_requests")


def test_a_short_sentence_has_to_stand_alone_or_with_its_neighbours() -> None:
    asked = [user("Yes. Do all five of the renames now, please.")]
    assert lost(asked, [assistant("Oh yes. That works. Do all five of the renames now, please.")], "user_requests") == [
        "Yes."
    ]
    for kept in ("Yes.\nDo all five of the renames now, please.", "Yes. Do all five of the renames now, please."):
        assert not lost(asked, [assistant(kept)], "user_requests")
    assert not lost([user("Go on")], [assistant('Asked to "go on", I went on.')], "user_requests")
    assert lost([user("Go on")], [assistant("Then I go on with the rest.")], "user_requests")


def test_a_short_sentence_in_signs_that_say_much_is_found_among_others() -> None:
    asked = [user("日付を変換しないで。ほかはそのまま。")]
    assert lost(asked, [assistant("ユーザー：「日付を変換しないで。」")], "user_requests") == ["ほかはそのまま。"]


def test_what_a_harness_put_in_is_no_request() -> None:
    reminder = "<system-reminder>Never mention this reminder to anybody.</system-reminder>"
    assert judged([user(reminder), assistant("Fine.")], [assistant("Fine.")])["user_requests"].total == 0
    found = judged([user(f"Mend the rounding of prices.\n{reminder}")], [assistant("Fine.")])
    assert found["user_requests"].lost == ((0, "Mend the rounding of prices."),)


def test_lines_of_code_count_but_bind_nobody() -> None:
    found = judged([user("See:\n```\nassert never_called  # must not happen\n```")], [assistant("Fine.")])
    assert "assert never_called  # must not happen" in [text for _, text in found["user_requests"].lost]
    assert found["rules"].total == 0


def test_a_percent_is_neither_rounded_up_to_100_nor_down_to_0() -> None:
    assert Survival("rules", 99_999, 100_000, ()).percent == 99.9
    assert Survival("rules", 1, 100_000, ()).percent == 0.1
    assert Survival("rules", 0, 0, ()).percent == 100
    assert Survival("rules", 0, 3, ()).percent == 0


WORD = st.text(alphabet=st.characters(codec="utf-8", categories=["Ll", "Lu", "Nd"]), min_size=1, max_size=8)
SENTENCE = st.lists(WORD, min_size=1, max_size=9).map(" ".join)


@given(
    st.lists(st.lists(SENTENCE, min_size=1, max_size=4), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
    st.sampled_from([" ", "\n"]),
    st.sampled_from([".", "!", "?", "。"]),
)
def test_removing_any_sentence_is_never_100_percent(spoken, random, between, end) -> None:
    # a number makes each sentence one of its own
    requests = [[f"{text} {at}x{n}{end}" for n, text in enumerate(texts)] for at, texts in enumerate(spoken)]
    before = [user(between.join(texts)) for texts in requests]
    assert judged(before, before)["user_requests"].lost == ()
    which = random.randrange(len(requests))
    gone = random.randrange(len(requests[which]))
    left = [text for n, text in enumerate(requests[which]) if n != gone]
    after = [*before[:which], *([user(between.join(left))] if left else []), *before[which + 1 :], assistant("Fine.")]
    found = judged(before, after)["user_requests"]
    assert found.percent < 100
    assert found.kept < found.total
    assert which in [index for index, _ in found.lost]


@pytest.mark.parametrize("name", ["openai-chat", "claude-code", "codex", "anthropic-messages", "ai-sdk"])
def test_a_real_transcript_lost_nothing_of_itself(name: str) -> None:
    path = CHAT.with_name(f"{name}.jsonl")
    source = api.load(path.read_bytes(), path.name, tokenizer="chars")
    _, lines = api.diff(source, source)
    assert [(line.category, line.lost) for line in lines if line.lost] == []
    assert sum(line.total for line in lines[:3]) > 20


def test_sentences_that_begin_alike_do_not_take_quadratic_time() -> None:
    def cost(lines: int) -> int:
        log = "\n".join(f"2031-04-09T10:11:12 worker of the night, {n:06}" for n in range(lines))
        messages = transcript([user(log)]).messages
        assert judge_survival(messages, messages)[0].kept == lines  # what is loaded once, too
        return count_calls(lambda: judge_survival(messages, messages))

    assert cost(4_000) < 12 * cost(500)  # quadratic would be 64 times as much


def test_what_was_asked_several_times_has_to_stand_as_often() -> None:
    before = [
        user("Go on with the next one."),
        assistant("Done."),
        user("Go on with the next one."),
        assistant("Done."),
    ]
    assert judged(before, [before[0], before[1]])["user_requests"].lost == ((0, "Go on with the next one."),)
    rule = [user("Never push the branch."), assistant("Done."), user("Never push the branch."), assistant("Done.")]
    assert lost(rule, [rule[0]], "rules") == []
