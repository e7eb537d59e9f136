"""Where no summary says what a transcript was compacted from, a mark before a message does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from compactor_cli import api
from compactor_cli.model.report import Compaction
from compactor_cli.pipeline.one_compaction import stated_base
from compactor_cli.settings import Settings
from compactor_cli.summary_text.headers import left_out, left_out_mark
from tests.builders import assistant, jsonl, user

_ABOUT = (
    "lease",
    "kitchen",
    "oven",
    "garden",
    "cellar",
    "roof",
    "stairs",
    "windows",
    "heating",
    "paint",
    "floor",
    "bath",
)


def _part(number: int) -> list[dict[str, Any]]:
    """Return six messages of a talk."""
    talk = []
    for step in range(3):
        thing = _ABOUT[(number * 3 + step) % len(_ABOUT)]
        talk += [
            user(f"Now the {thing}. I will not pay more than {number + 3},{step}50 for the {thing}. Ask Mia about it."),
            assistant(
                f"All right, I noted the {thing} and its limit. Mia gets a mail on the {thing} this week. Last time "
                f"that she was asked she took two days, so I asked Jan, too: "
                f"he says that the {thing} can wait until Friday, or Monday at last."
            ),
        ]
    return talk


def _small_talk(number: int) -> list[dict[str, Any]]:
    """Return six messages in which nothing is worked on: of these, messages stay in part."""
    talk = []
    for thing in _ABOUT[number * 3 : number * 3 + 3]:
        talk += [
            user(
                f"It rained again today, so we stayed in and looked at the {thing}. My sister never lets anybody touch "
                f"the {thing} before noon. Then we had tea and the cat slept on the chair."
            ),
            assistant(
                "That sounds like a lovely day. Rain makes a house feel so much warmer, and a cat knows where it is "
                f"best. I am sure that the {thing} has seen many such days, and many more cats."
            ),
        ]
    return talk


def _compacted(messages: list[dict[str, Any]], ratio: float = 0.25, strategy: str = "adaptive") -> Compaction:
    (part,) = api.compact(api.load(jsonl(*messages)), Settings(target_ratio=ratio, strategy=strategy)).parts
    return part


def _messages(part: Compaction) -> list[dict[str, Any]]:
    return [json.loads(line) for line in bytes(part.data).splitlines()]


@pytest.mark.drawn(1)
@pytest.mark.parametrize(
    ("strategy", "ratio"), [("adaptive", 0.42), ("rolling", 0.42), ("handoff", 0.25), ("truncate", 0.5)]
)
def test_rounds_on_a_talk_of_six_messages_a_part_keep_the_base(strategy: str, ratio: float) -> None:
    """Without it, the fourth round of `adaptive` had 37% of its room: a share of what came last, and of what was a
    share before. Ratios at which a message is cut, or a heading has room: where all that is left is whole messages,
    nothing says the base (decision 143)."""
    said, output = 0, list[dict[str, Any]]()
    for number in range(4):
        part = _compacted(output + _part(number), ratio, strategy)
        output = _messages(part)
        said += sum(m.tokens for m in api.load(jsonl(*_part(number))).transcripts[0].messages)
        assert part.tokens <= said * ratio
        known = stated_base(part.messages, part.tokens)
        assert known is not None
        assert 0.9 * said <= known.tokens <= 1.02 * said
    assert part.tokens > 0.7 * said * ratio


def test_a_second_run_finds_nothing_to_do() -> None:
    first = _compacted(_small_talk(0) + _small_talk(1))
    assert any(left_out(m.text()) for m in first.messages)
    again = _compacted(_messages(first))
    assert not again.changed


def test_a_mark_is_nobodys_words_in_the_next_round() -> None:
    first = _messages(_compacted(_small_talk(0) + _small_talk(1)))
    second = _messages(_compacted(first + _small_talk(2) + _small_talk(3), 0.5))
    (mark,) = [m["content"].partition("]")[0] for m in first if left_out(m["content"])]
    assert all(mark not in m["content"] for m in second)
    assert sum("[…" in m["content"] for m in second) <= 1


@pytest.mark.parametrize(
    "typed",
    [
        "[…5000/412]\nWe may have our own table.",
        "[…5000/412] We may have our own table.",
        "The output begins with […5000/412], what is that?",
        "[… 5000 tokens left out]\nWe may have our own table.",
        "[…]\nWe may have our own table.",
        "[…5000/412]We may have our own table.",
        "[...5000/412]\nWe may have our own table.",
        "[… 9 lines left out · ctx_da6ebc26]\nWe may have our own table.",
        f"Look: {left_out_mark(5000, 'We may have our own table.')}",
        f"{left_out_mark(5000, 'We may have our own table.')} Why does it begin like that?",
        left_out_mark(5000, "We may have our own table.").replace("5000", "500"),
        left_out_mark(5000, "We may have our own table.").replace("own", "large"),
    ],
)
def test_a_mark_that_somebody_types_is_no_round(typed: str) -> None:
    (transcript,) = api.load(jsonl(user(typed), *_part(0))).transcripts
    assert stated_base(transcript.messages, transcript.tokens) is None


def test_what_a_mark_stands_before_is_read_without_it() -> None:
    for text in ("Go on.", "… and that was all.", " … We may.", "| a | b |\n|---|---|\n| 1 | 2 |"):
        mark = left_out(left_out_mark(1200, text))
        assert mark is not None
        assert (mark.tokens, mark.text) == (1200, text.lstrip())


@pytest.mark.parametrize("text", ["Go on.", "… and that was all.\n…", "## Rules\n- 1\n", "a\n[…5000/412]"])
def test_what_a_mark_stands_behind_is_read_without_it(text: str) -> None:
    marked = left_out_mark(1200, text, at_end=True)
    assert marked.startswith(text)
    mark = left_out(marked)
    assert mark is not None
    assert (mark.tokens, mark.text) == (1200, text)
    assert left_out(f"Be brief. {marked}") is None
    assert left_out(f"{marked}\nGo on.") is None


def test_messages_that_stay_whole_have_no_mark_before_them() -> None:
    for ratio in (0.3, 0.35, 0.4, 0.5):
        part = _compacted(_part(0), ratio)
        whole = {m.text() for m in part.before.messages}
        assert not any(m.text().partition("]\n")[2] in whole for m in part.messages if left_out(m.text()))


def test_in_the_smallest_rooms_what_is_said_comes_first() -> None:
    part = _compacted(_part(0), 0.2)
    assert part.target is not None
    assert part.target < 60
    assert not any(left_out(m.text()) for m in part.messages)
