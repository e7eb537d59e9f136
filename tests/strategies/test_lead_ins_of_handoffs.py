"""What only leads to what is not quoted has no place in a handoff."""

from __future__ import annotations

import re

import pytest

from compactor_cli.strategies.shared.lone_lines import announces_call, is_dangling_lead_in
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, result, user

STEPS = [f"Now let me look at the gate of `quay_{n}` to see whether the tide opens it:" for n in range(12)]


def session() -> list[Json]:
    """Steps that are announced, each with a call and its result."""
    steps = [
        message
        for n, said in enumerate(STEPS)
        for message in (
            assistant(said, (f"c{n}", "look_up", {"gate": f"quay_{n}", "hour": n})),
            result(f"c{n}", "\n".join(f"gate quay_{n} stands at {n * 7 + at} of {at * 13}" for at in range(20))),
        )
    ]
    return [user("Which gate of the quays is too low?\n\nImportant notes:\n"), *steps, assistant("None is.")]


@pytest.mark.drawn(1)
@pytest.mark.parametrize("strategy", ["handoff", "rolling"])
def test_announcements_of_calls_are_not_quoted(strategy: str) -> None:
    part = compact(session(), strategy=strategy, target_ratio=0.3)
    assert part.target is not None
    assert part.tokens >= 0.85 * part.target
    said = "\n".join(message.text("text") for message in part.messages if message.origin == "summary")
    assert "#1" in said
    assert not re.findall(r"^#\d+: Now let me look.*:$", said, re.MULTILINE)


def test_what_the_user_ends_with_is_no_announcement_in_a_small_room() -> None:
    binds = "From now on never open these two without asking me first, not even at night:"
    messages = session()
    part = compact([*messages, user(binds), *messages[1:9], user("And now?")], strategy="handoff", target_ratio=0.3)
    (handoff,) = part.messages
    assert binds in handoff.text()


def test_a_sentence_leads_nowhere_without_what_stands_behind_it() -> None:
    list_of_two = "There are two gates:\n- the large one at the northern quay, which is opened at high tide alone\n- b"
    told = Told(user("Look."), assistant(f"{list_of_two}"), assistant(STEPS[0]), assistant(f"It is open. {STEPS[1]}"))
    lines = told.lines
    lead, large, step, more = (
        next(n for n, text in enumerate(told.texts) if words in text)
        for words in ("two gates", "large one", "quay_0", "It is open")
    )
    assert is_dangling_lead_in(lead, {lead}, lines)
    assert not is_dangling_lead_in(lead, {lead, large}, lines)
    assert announces_call(lines, step)
    assert is_dangling_lead_in(step, {step, more}, lines)
    assert not announces_call(lines, more)
    assert not is_dangling_lead_in(more, {more}, lines)


@pytest.mark.parametrize(
    "fact",
    [
        "The lease is written by two processes, cron-a on host db-3 and cron-b on host db-7, so the second has to go:",
        "Only 14 of 90 nights are affected, all of them Sundays:",
    ],
)
def test_a_sentence_that_tells_a_fact_is_no_announcement(fact: str) -> None:
    told = Told(user("Look."), assistant(fact))
    line = next(n for n, text in enumerate(told.texts) if fact in text)
    assert not announces_call(told.lines, line)
    assert not is_dangling_lead_in(line, {line}, told.lines)
