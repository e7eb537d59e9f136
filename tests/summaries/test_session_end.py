"""A summary that ends with the last request says what the agent has done about it since."""

from __future__ import annotations

import re
from typing import Any

import pytest

from compactor_cli.features.after_request import describe_since
from compactor_cli.model.report import Compaction
from compactor_cli.summary_text.reading import earlier_words, in_turn, readable
from compactor_cli.summary_text.verbatim import QUOTED, carried
from tests.builders import read_records
from tests.pipeline.sessions import Json, assistant, compact, filler, records_of, result, user
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

BELOW = "the last request, which stands below"
END = f"\n\nLast request from user was: {work.LAST}"
SAID = "The entry is written. It names both modules. Nothing else was changed. Shall I push it?"
TOLD = "The entry is written. … Nothing else was changed. Shall I push it?"


def session(*newest: Json) -> list[Json]:
    return [*work.session(12, end=False), user(work.LAST), *newest]


def text_of(part: Compaction) -> str:
    (text,) = [m.text("text") for m in part.messages if m.origin == "summary"]
    return text


def handoff(records: list[Json], **target: Any) -> str:
    return text_of(compact(records, strategy="handoff", **(target or {"target_ratio": 0.4})))


def written() -> list[Json]:
    call = assistant(None, ("w", "Write", {"file_path": "/w/CHANGELOG.md", "content": "- mended"}))
    return [call, result("w", "The file was written.")]


def test_before_the_last_request_stands_what_the_agent_said_last() -> None:
    records = session(*written(), assistant(SAID))
    text = handoff(records)
    assert text.endswith(f"\n\nThe agent has replied to {BELOW}:\n#{len(records) - 1}: {TOLD}{END}")
    assert carried(text).last == work.LAST
    assert "Shall I push" not in text.partition(QUOTED)[0], "once is enough"


def test_what_stands_there_is_not_quoted_among_the_lines() -> None:
    text = handoff(session(*written(), assistant("The entry is written. Shall I push it?")))
    assert text.count("The entry is written. Shall I push it?") == 1
    assert "#" in text.partition(QUOTED)[2].partition("The agent has replied")[0], "others are"


REMINDED = user("<system-reminder>The folder has changed.</system-reminder>")
"""Ends a session: results at its very end would stay as messages."""


def test_of_work_that_nothing_was_said_of_stands_how_far_it_is() -> None:
    records = session(*written(), *written(), REMINDED)
    first, last = len(records) - 5, len(records) - 3
    assert handoff(records).endswith(
        f"\n\nThe agent has acted on {BELOW} [#{first}-{last}]: 2 calls, the last Write.{END}"
    )


@pytest.mark.parametrize(
    "newest", [[], [user("<system-reminder>Nothing is on your list.</system-reminder>")]], ids=["nothing", "harness"]
)
def test_of_a_request_that_nothing_followed_nothing_is_said(newest: list[Json]) -> None:
    text = handoff(session(*newest))
    assert text.endswith(END)
    assert BELOW not in text


@pytest.mark.parametrize(
    ("newest", "said"),
    [([*written(), assistant(SAID)], "replied to"), ([*written(), REMINDED], "acted on")],
    ids=["said", "at work"],
)
def test_a_summary_of_lines_says_it_without_the_words(newest: list[Json], said: str) -> None:
    text = handoff(session(*newest), target_tokens=900)
    assert "### " not in text
    assert f"\n\nThe agent has {said} {BELOW} [#" in text
    assert text.endswith(END)
    assert [words.text for words in earlier_words(text, "user")][-1] == work.LAST


def test_in_a_small_room_the_lines_have_its_tokens() -> None:
    text = handoff(session(*written(), assistant(SAID)), target_tokens=400)
    assert BELOW not in text
    assert text.endswith(END)


@pytest.mark.parametrize(
    ("newest", "already"), [([*written(), assistant(SAID)], "replied to [#123-125]:"), (written(), "acted on [#123]:")]
)
def test_there_few_words_say_that_something_followed(newest: list[Json], already: str) -> None:
    """Without them a reader would do it again, and the next round takes the request for the newest of all."""
    text = handoff(session(*newest), target_tokens=400)
    assert text.endswith(f"\n\nAlready {already}{END}")
    assert carried(text).since == f"Already {already}"
    assert in_turn(text).index(f"earlier user: {work.LAST}") < in_turn(text).index("\n#123 Write: ")


def test_words_without_a_call_are_something_that_followed_too() -> None:
    messages = read_records(user("Go on."), assistant("First I look:"), result("none", "ok"))[1:]
    assert describe_since(messages, {}) == f"The agent has acted on {BELOW} [#{messages[0].number}]."


def test_a_later_round_says_anew_what_followed() -> None:
    first = compact(session(*written(), assistant(SAID)), strategy="handoff", target_ratio=0.4)
    records = [*records_of(first), *(record for at in range(20) for record in filler(at)), assistant("Pushed.")]
    text = handoff(records, target_tokens=3_000)
    assert text.endswith(f"\n#{len(records) - 1}: Pushed.{END}")
    assert text.count(BELOW) == 1
    assert f'the agent said last: "{TOLD}" [earlier #' in text, "what it said then is told as of then"


def test_a_later_round_of_the_same_keeps_it() -> None:
    first = compact(session(*written(), assistant(SAID)), strategy="handoff", target_ratio=0.4)
    records = records_of(first)
    text = handoff(records, target_tokens=3_000)
    assert f"The agent has replied to {BELOW}:\nearlier #" in text
    assert text.endswith(f": {TOLD}{END}")


def test_a_later_round_in_which_the_user_went_on_speaks_of_that_request_only() -> None:
    first = compact(session(*written(), assistant(SAID)), strategy="handoff", target_ratio=0.4)
    text = handoff(
        [
            *records_of(first),
            user("Yes, push it."),
            *(record for at in range(20) for record in filler(at)),
            user("And tag it."),
        ],
        target_tokens=3_000,
    )
    assert text.endswith("\n\nLast request from user was: And tag it.")
    assert BELOW not in text


def test_of_it_a_later_round_reads_only_the_words() -> None:
    text = handoff(session(*written(), assistant(SAID)))
    seen = readable(text)
    assert TOLD in seen
    assert BELOW not in seen
    assert "Last request" not in seen


@pytest.mark.parametrize(
    ("said", "did"),
    [
        ("The errors look like a mismatch. Did we revert", "acted on"),
        ("The build is broken. Now I'll look at the lock file:", "acted on"),
        ("The lock file comes next，", "acted on"),
        ("All done", "replied to"),
        ("The pull request is https://example.org/pull/12", "replied to"),
        ("These changed:\n\n- src/a.py\n- src/b.py", "replied to"),
        ("The entry is written.", "replied to"),
    ],
)
def test_words_that_stop_or_announce_are_no_reply(said: str, did: str) -> None:
    assert f"\n\nThe agent has {did} {BELOW}:\n#" in handoff(session(*written(), assistant(said)))


def test_the_beginning_of_a_long_answer_is_not_cut_inside_of_a_word() -> None:
    first = f"The parts of {' '.join(f'module{n}' for n in range(40))} are done."
    text = handoff(
        session(*written(), assistant(f"{first} Nothing else was changed. Nothing is pushed. Shall I push it?"))
    )
    (opening,) = re.findall(r"#\d+: (The parts of .*?) … ", text.partition("has replied")[2])
    assert all(re.fullmatch(r"The|parts|of|module\d+", word) for word in opening.split())
    unspaced = "合同原件由会计部门统一保管" * 20 + "。"
    text = handoff(session(*written(), assistant(f"{unspaced}第二句。第三句。第四句。")))
    assert "合同原件由会计部门" in text.partition("has replied")[2]


def test_a_call_that_is_written_as_text_is_no_reply() -> None:
    called = "I write the entry.\n\n```bash\necho '- mended' > CHANGELOG.md\n```"
    records = session(
        assistant(called), user("<returncode>1</returncode>\n<output>\nread-only file\n</output>"), REMINDED
    )
    text = handoff(records)
    assert f"The agent has acted on {BELOW} [#{len(records) - 3}]: 1 call" in text
    assert "replied to" not in text
    assert "said last" not in text, "the end of its words is the call"
