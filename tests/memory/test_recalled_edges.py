"""Recalled memories at the edges: to the token, among system messages and summaries, and at the end of a session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec.structs import replace

from compactor_cli.formats import FORMATS
from compactor_cli.memory.recall import Recalled, link_recalled, recall_choices, recall_index, without_earlier
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.settings import MemorySettings
from compactor_cli.tokens import make_counter
from tests.builders import ClaudeSession, load, text_block
from tests.pipeline.sessions import assistant, system, transcript, user

COUNTER = make_counter("chars").counter


def memory(text: str) -> Memory:
    return Memory(text=text, category="fact", importance=60, confidence=0.5, tags=(), created=0.0)


SHORT, OTHER, LONG = memory("Amber is red."), memory("Basalt is grey."), memory("Cedar is brown. " * 40)


def texts(chosen: tuple[Recalled, ...]) -> list[list[str]]:
    return [[one.text for one in recall.memories] for recall in chosen]


def tokens_of(*memories: Memory) -> int:
    """What the message of these memories takes."""
    return recall_choices(memories, MemorySettings(recall_tokens=9_000), COUNTER)[0].tokens


def chosen(*memories: Memory, room: int | None = None, **limits: int) -> list[list[str]]:
    given: dict[str, Any] = {"recall_tokens": 9_000, "recall_count": 9, **limits}
    return texts(recall_choices(memories, MemorySettings(**given), COUNTER, room))


def test_choices_have_fewer_and_fewer_of_the_most_relevant_and_at_last_none() -> None:
    assert chosen(SHORT, OTHER) == [[SHORT.text, OTHER.text], [SHORT.text], []]
    assert chosen(SHORT, LONG, OTHER, recall_tokens=tokens_of(SHORT, OTHER)) == [
        [SHORT.text, OTHER.text],
        [SHORT.text],
        [],
    ]
    assert chosen(SHORT, OTHER, SHORT) == [[SHORT.text, OTHER.text], [SHORT.text], []]
    assert chosen() == [[]]
    assert recall_choices((), MemorySettings(), COUNTER)[0].tokens == 0


@pytest.mark.parametrize("limit", ["recall_tokens", "room"])
def test_limits_hold_to_the_token(limit: str) -> None:
    both, one = tokens_of(SHORT, OTHER), tokens_of(SHORT)
    sizes = {both: 3, both - 1: 2, one: 2, one - 1: 1, 0: 1, -1: 1}
    assert {size: len(chosen(SHORT, OTHER, **{limit: size})) for size in sizes} == sizes


def test_the_smaller_of_both_limits_counts() -> None:
    both = tokens_of(SHORT, OTHER)
    assert len(chosen(SHORT, OTHER, recall_tokens=both - 1, room=both)) == 2
    assert len(chosen(SHORT, OTHER, recall_tokens=both, room=both - 1)) == 2


@pytest.mark.parametrize(("count", "found"), [(0, 1), (1, 2), (2, 3), (3, 3)])
def test_no_more_than_so_many_are_recalled(count: int, found: int) -> None:
    assert len(chosen(SHORT, OTHER, recall_count=count)) == found


def test_the_message_is_no_request_of_the_user() -> None:
    (recall, _) = recall_choices([SHORT], MemorySettings(), COUNTER)
    assert recall.message is not None
    assert (recall.message.role, recall.message.origin, recall.message.records) == ("user", "injected", ())
    assert recall.tokens == recall.message.parts[0].tokens + COUNTER.per_message
    assert recall.message.parts[0].tokens == COUNTER.count(recall.message.text())


def changed(given: Transcript, **changes: Mapping[str, object]) -> Transcript:
    """A transcript in which messages are otherwise: `m2={...}` changes that one."""
    messages = tuple(replace(m, **changes.get(f"m{m.index}", {})) for m in given.messages)
    return replace(given, messages=messages)


SUMMARY = {"origin": "summary"}
BOUNDARY = {"origin": "summary", "pinned": True}
SESSION = transcript([system(), system("And short."), user("Go."), assistant("Yes."), user("On.")])


@pytest.mark.parametrize(
    ("given", "place"),
    [
        (SESSION, 2),
        (transcript([user("Go."), assistant("Yes.")]), 0),
        (transcript([system(), system()]), 2),
        (changed(SESSION, m1=SUMMARY), 1),
        (changed(SESSION, m2=BOUNDARY), 3),
        (changed(SESSION, m3=BOUNDARY), 4),
        (changed(SESSION, m2=BOUNDARY, m3=BOUNDARY), 4),
        (changed(SESSION, m4=BOUNDARY), 5),
        (changed(SESSION, m2={"pinned": True}), 3),
        (changed(SESSION, m3={"pinned": True}), 2),
        (changed(SESSION, m3=SUMMARY), 2),
    ],
)
def test_they_stand_behind_system_messages_and_what_stands_for_earlier_history(given: Transcript, place: int) -> None:
    assert recall_index(given) == place


def recalled_before(*records: Any) -> tuple[Message, ...]:
    (recall, _) = recall_choices([SHORT], MemorySettings(), COUNTER)
    assert recall.message is not None
    text = recall.message.text()
    return transcript([*({"role": "user", "content": text} if one is None else one for one in records)]).messages


def test_those_of_an_earlier_compaction_are_emptied_at_their_place() -> None:
    messages = recalled_before(user("Go."), None, assistant("Yes."))
    given = replace(SESSION, messages=messages)
    emptied = without_earlier(given).messages
    assert [m.text() for m in emptied] == ["Go.", "", "Yes."]
    assert emptied[1].tokens == 0
    assert [m.records for m in emptied] == [m.records for m in messages]


def test_a_session_of_nothing_else_or_without_them_stays_as_it_is() -> None:
    assert without_earlier(SESSION) is SESSION
    alone = replace(SESSION, messages=recalled_before(None))
    assert without_earlier(alone) is alone


def test_a_root_is_linked_to_what_is_written_before_it_and_nothing_else_is() -> None:
    session = ClaudeSession()
    session.add_answer("Go.")
    session.add_call(text_block("Yes."))
    (given,) = load(session.data).transcripts
    claude = FORMATS["claude-code"]
    parents = [link.parent for link in link_recalled(given, 0, claude).links if link]
    assert parents[0]
    assert parents[1:] == [link.parent for link in given.links if link][1:]
    assert link_recalled(given, 1, claude) is given, "it has a parent"
    assert link_recalled(given, 2, claude) is given, "there is no such message"
    assert link_recalled(SESSION, 0, FORMATS["openai-chat"]) is SESSION, "the format has no links"
