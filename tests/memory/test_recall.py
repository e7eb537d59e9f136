"""Memories recalled into an output: where they stand, that they fit, and what later rounds make of them."""

from __future__ import annotations

from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from compactor_cli import api
from compactor_cli.cli.recording import memories_in_output
from compactor_cli.errors import BudgetError, InputError
from compactor_cli.formats import FORMATS
from compactor_cli.memory.recall import NO_GAIN, NO_ROOM, TOO_LONG, UNCHANGED, recall_choices
from compactor_cli.model.content import read_all
from compactor_cli.model.memory import Memory
from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source
from compactor_cli.pipeline.protect import protect
from compactor_cli.settings import MemorySettings, Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summary_text.headers import is_recalled
from compactor_cli.tokens.base import CharacterCounter
from tests.builders import ROOT, assistant, jsonl, listing_output, load, prose, system, user, values_of
from tests.memory.remembered import make_memory, some_memories
from tests.pipeline.sessions import filler
from tests.properties import checks
from tests.properties.generators import SHAPES, Conversation, File, files, long_conversation, to_bytes, well_formed
from tests.properties.profile import examples

pytestmark = pytest.mark.one_test_in(3)

EVERY = pytest.mark.parametrize("strategy", sorted(STRATEGIES))
SHAPE = pytest.mark.parametrize("shape", sorted(SHAPES))
COUNTER = CharacterCounter()
ROOMY = MemorySettings(recall_count=9, recall_tokens=5_000)


def recalled_in(messages: tuple[Message, ...]) -> list[Message]:
    return [message for message in messages if is_recalled(message.text("text"))]


def check_recalling(source: Source, settings: Settings, memories: tuple[Memory, ...]) -> api.CompactResult | None:
    """Compact with memories, and check what any output must hold."""
    try:
        result = api.compact(source, settings, tokenizer="chars", recalled=memories)
    except BudgetError as error:
        with pytest.raises(BudgetError) as without:
            api.compact(source, settings, tokenizer="chars")
        assert without.value.floor == error.floor, "memories raise the floor"
        return None
    again = checks.read(result.data, source, "chars")
    for before, after, part in zip(source.transcripts, again.transcripts, result.parts, strict=True):
        checks.check_size(part, after)
        checks.check_report_is_what_was_written(part, after)
        checks.check_faults(before, after)
        checks.check_records(before, after, part)
        checks.check_order(part)
        check_message(part, after.messages, memories, settings)
        if part.plan is not None:
            checks.check_plan(part)
            checks.check_summaries(part)
            checks.check_protected(replace(part, target=part.plan.target), settings)
    checks.check_stable(result, again, settings, "chars")
    checks.check_fates(source, again, result)
    same = api.compact(again, settings, tokenizer="chars", recalled=memories)
    assert settings.target_tokens is None or same.data == result.data, "recalling again changes it"
    return result


def check_message(
    part: Compaction, written: tuple[Message, ...], memories: tuple[Memory, ...], settings: Settings
) -> None:
    """One message for what was recalled, no request of the user, behind the system messages; or a warning."""
    own = recalled_in(written)
    if not part.changed:
        assert part.recalled == 0
        assert any(warning in part.warnings for warning in (UNCHANGED, NO_GAIN))
        return
    if not part.recalled:
        assert NO_ROOM in part.warnings or NO_GAIN in part.warnings
        if NO_ROOM in part.warnings:
            check_there_is_no_room(part, written, memories, settings)
        return
    (message,) = own
    assert message.role == "user"
    assert message.origin == "injected"
    assert sum(memory.id in message.text() for memory in memories) == part.recalled
    boundary = max((m.index for m in written[: message.index] if m.pinned and m.origin == "summary"), default=-1)
    leading = [m for m in written[boundary + 1 : message.index] if not m.pinned]
    assert all(m.role == "system" for m in leading)


def check_there_is_no_room(
    part: Compaction, written: tuple[Message, ...], memories: tuple[Memory, ...], settings: Settings
) -> None:
    """The shortest memory does not fit beside what was written, or beside as much again as it and what must stay."""
    assert part.target is not None
    shortest = min(recall_choices([memory], ROOMY, COUNTER)[0].tokens for memory in memories)
    reasons = protect(part.repaired.messages, part.groups, keep_last=settings.keep_last)
    no_summary = {m.index for m in part.repaired.messages if m.origin != "summary"}
    stays = sum(g.tokens for g in part.groups if g.index in reasons and no_summary.issuperset(g.messages))
    assert sum(m.tokens for m in written) + shortest > part.target or stays + 2 * shortest > part.target


@EVERY
@examples(40)
@given(files(well_formed()), st.one_of(st.none(), st.floats(0.01, 1.2)), st.integers(1, 7))
def test_any_transcript_with_any_number_of_memories(
    strategy: str, file: File, share: float | None, number: int
) -> None:
    try:
        source = api.load(file.data, "generated", format=file.shape, tokenizer="chars")
    except InputError:  # a transcript without any message
        return
    target = None if share is None else max(1, int(share * source.tokens / len(source.transcripts)))
    check_recalling(source, Settings(strategy=strategy, target_tokens=target), some_memories(number))


@pytest.mark.drawn(1)
def test_a_request_is_quoted_without_the_marks_of_an_earlier_round_at_its_end():
    asked = f"The port is shut. Say which of its ships are there.{' [… 3 lines left out · ctx_deadbeef]' * 3}"
    steps = (filler(number) for number in range(6))
    source = load(jsonl(user(asked), *chain.from_iterable(steps), user("And now?")))
    result = check_recalling(source, Settings(target_tokens=450), some_memories(1))
    assert result is not None
    assert "user: The port is shut. Say which of its ships are there. …" in read_all(result.data).decode()


@pytest.mark.drawn(16)
@EVERY
@SHAPE
def test_long_sessions_have_them_in_front_of_all_that_is_no_system_message(shape: str, strategy: str) -> None:
    source = api.load(to_bytes(SHAPES[shape](long_conversation(70))), "long", format=shape, tokenizer="chars")
    for share in (None, 0.5, 0.3, 0.1):
        target = None if share is None else int(share * source.tokens / len(source.transcripts))
        settings = Settings(strategy=strategy, target_tokens=target, memory=ROOMY)
        result = check_recalling(source, settings, some_memories(3))
        assert result is not None
        if share in (0.5, 0.3):
            assert [part.recalled for part in result.parts] == [3] * len(result.parts)


@pytest.mark.drawn(20)
@EVERY
@pytest.mark.parametrize("shape", sorted(set(SHAPES) - {"conversations"}))
def test_in_later_rounds_they_are_replaced_and_do_not_pile_up(shape: str, strategy: str) -> None:
    lines = to_bytes(SHAPES[shape](Conversation(long_conversation(90)))).splitlines(keepends=True)
    data, recalled, rounds = b"", some_memories(6), 0
    for number in range(3):
        data += b"".join(lines[number * len(lines) // 3 : (number + 1) * len(lines) // 3])
        source = api.load(data, "rounds", format=shape, tokenizer="chars")
        wanted = recalled[2 * number : 2 * number + 2]
        result = check_recalling(source, Settings(strategy=strategy, target_tokens=1_600), wanted)
        assert result is not None
        if result.parts[0].changed:
            (message,) = recalled_in(result.parts[0].messages)
            assert [memory for memory in recalled if memory.id in message.text()] == list(wanted)
            rounds += 1
        data = read_all(result.data)
    assert rounds >= 2


def test_claude_code_continues_from_them():
    """They are in the chain of parents, or the harness would not see them."""
    data = to_bytes(SHAPES["claude-code"](long_conversation(40)))
    source = api.load(data, format="claude-code", tokenizer="chars")
    result = api.compact(source, Settings(target_ratio=0.3), tokenizer="chars", recalled=some_memories(2))
    values = {value["uuid"]: value for value in values_of(result.data) if "uuid" in value}
    at = list(values)[-1]
    chain = []
    while at is not None:
        chain.append(values[at])
        at = values[at]["parentUuid"]
    assert is_recalled(chain[-1]["message"]["content"])
    assert chain[-1]["type"] == "user"
    assert len(chain) == len(values)


def session(requests=6):
    turns = [system("You fix bugs.")]
    for at in range(requests):
        turns += [
            user(f"Look at the part of {at}."),
            assistant(prose(f"topic {at}", 40)),
            assistant(listing_output(f"l{at}")),
        ]
    return load(jsonl(*turns))


def test_the_most_relevant_come_first_and_fewer_are_taken_where_there_is_less_room():
    memories = some_memories(5)
    counts = set()
    for target in range(150, 2_000, 50):
        result = api.compact(session(), Settings(target_tokens=target), tokenizer="chars", recalled=memories)
        (part,) = result.parts
        own = recalled_in(part.messages)
        text = own[0].text() if own else ""
        there = [memory for memory in memories if memory.id in text]
        assert len(there) == part.recalled
        # what is not there is longer than the first that is, or comes behind all of them
        first = memories.index(there[0]) if there else 0
        assert all(len(memory.text) >= len(there[0].text) for memory in memories[:first])
        counts.add(part.recalled)
    assert counts >= {0, 5}
    assert len(counts) > 3


def test_limits_of_the_settings():
    for count, tokens in ((1, 5_000), (3, 5_000), (9, 150)):
        memory = MemorySettings(recall_count=count, recall_tokens=tokens)
        settings = Settings(target_tokens=2_000, memory=memory)
        (part,) = api.compact(session(), settings, tokenizer="chars", recalled=some_memories(8)).parts
        (message,) = recalled_in(part.messages)
        assert 1 <= part.recalled <= count
        assert message.tokens <= tokens


def test_one_that_is_too_long_does_not_keep_the_others_out():
    long, (first, second) = make_memory("word " * 100), some_memories(2)
    settings = Settings(target_tokens=2_000, memory=MemorySettings(recall_tokens=150))
    (part,) = api.compact(session(), settings, tokenizer="chars", recalled=(long, first, second)).parts
    (message,) = recalled_in(part.messages)
    assert [one.id in message.text() for one in (long, first, second)] == [False, True, True]
    assert memories_in_output((long, first, second), [part]) == [first, second]


def test_when_none_fits_the_settings_that_is_what_is_said():
    settings = Settings(target_tokens=2_000, memory=MemorySettings(recall_tokens=50))
    result = api.compact(session(), settings, tokenizer="chars", recalled=some_memories(2))
    assert (TOO_LONG in result.parts[0].warnings, NO_ROOM in result.parts[0].warnings) == (True, False)
    assert result.data == api.compact(session(), settings, tokenizer="chars").data


@pytest.mark.parametrize("strategy", ["handoff", "rolling"])
@pytest.mark.parametrize("share", [0.75, 0.9])
def test_a_summary_that_repeats_the_requests_leaves_room_for_memories(strategy, share):
    """It must not stay whole in the next round, so it takes nothing from them."""
    data = (ROOT / "sample_transcripts" / "openai-chat.jsonl").read_bytes()
    first, second = some_memories(2)
    settings = Settings(strategy=strategy, target_ratio=0.3)
    once = api.compact(api.load(data, "x", tokenizer="chars"), settings, tokenizer="chars", recalled=(first,))
    source = api.load(once.data, "x", tokenizer="chars")
    again = Settings(strategy=strategy, target_tokens=int(share * source.tokens))
    result = check_recalling(source, again, (second,))
    assert result is not None
    output = read_all(result.data)
    assert [first.id.encode() in output, second.id.encode() in output] == [False, True]


def test_where_there_is_no_room_those_of_an_earlier_round_do_not_go_for_nothing():
    first, second = some_memories(2)
    data = api.compact(session(), Settings(target_tokens=700), tokenizer="chars", recalled=(first,)).data
    source = load(data + jsonl(assistant(prose("the newest", 90))))
    long = replace(second, text="word " * 100)
    memory = MemorySettings(recall_tokens=5_000)
    # asked for: whether it stays otherwise is for the strategy to say
    settings = Settings(target_tokens=source.tokens - 340, keep_last=1, keep=(first.id,), memory=memory)
    result = api.compact(source, settings, tokenizer="chars", recalled=(long,))
    assert NO_ROOM in result.parts[0].warnings
    assert first.id.encode() in result.data
    assert result.data == api.compact(source, settings, tokenizer="chars").data


def test_a_memory_that_is_given_twice_is_recalled_once():
    first, second = some_memories(2)
    (part,) = api.compact(
        session(), Settings(target_tokens=2_000), tokenizer="chars", recalled=(first, second, first)
    ).parts
    (message,) = recalled_in(part.messages)
    assert part.recalled == 2
    assert message.text().count(first.id) == 1


@pytest.mark.parametrize("settings", [Settings(target_ratio=1.0), Settings(target_tokens=10**6)])
def test_what_needs_no_compaction_stays_as_it_is(settings):
    source = session()
    result = api.compact(source, settings, tokenizer="chars", recalled=some_memories(2))
    assert result.data == source.data
    assert result.parts[0].recalled == 0
    assert result.parts[0].warnings == (UNCHANGED,)


def test_without_memories_nothing_is_said_of_them():
    (part,) = api.compact(session(), Settings(target_tokens=2_000), tokenizer="chars").parts
    assert part.recalled == 0
    assert not recalled_in(part.messages)
    assert not any("recalled" in warning for warning in part.warnings)


def test_what_stays_whole_is_not_cut_for_memories():
    """Requests come first: where they fit without memories, they stay whole with them."""
    source = load(jsonl(user("Never touch the API. " * 30), assistant(prose("a", 60)), user("Go on. " * 20)))
    asked = [m.text() for m in source.transcripts[0].messages if m.origin == "request"]
    for target in range(230, 600, 20):
        result = api.compact(
            source, Settings(target_tokens=target, strategy="tiered"), tokenizer="chars", recalled=some_memories(4)
        )
        assert [m.text() for m in result.parts[0].messages if m.origin == "request"] == asked


def test_without_recall_a_later_round_treats_them_as_text_of_the_harness():
    data = api.compact(session(), Settings(target_tokens=2_000), tokenizer="chars", recalled=some_memories(3)).data
    (part,) = api.compact(load(data), Settings(target_tokens=400), tokenizer="chars").parts
    assert part.tokens <= 400
    requests = [m for m in part.messages if m.origin == "request"]
    assert all("service number" not in m.text() for m in requests)


def test_a_history_that_codex_compacted_keeps_its_beginning():
    """In a rollout nothing may stand before the record that replaces all history before it."""
    records = SHAPES["codex"](long_conversation(40))
    compacted = {"timestamp": "2026-03-01T10:00:00Z", "type": "compacted", "payload": {"message": "Earlier: all."}}
    source = api.load(to_bytes([*records[:40], compacted, *records[40:]]), format="codex", tokenizer="chars")
    result = check_recalling(source, Settings(target_ratio=0.4, memory=ROOMY), some_memories(2))
    assert result is not None
    kinds = [m.origin for m in api.load(result.data, format="codex").transcripts[0].messages]
    assert kinds[kinds.index("summary") + 1] == "injected"


@pytest.mark.drawn(3)
@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "sample_transcripts").glob("*.jsonl")))
def test_samples_in_every_format(name):
    data = (ROOT / "sample_transcripts" / name).read_bytes()
    source = api.load(data, name, tokenizer="chars")
    result = check_recalling(source, Settings(target_ratio=0.5, memory=ROOMY), some_memories(1))
    assert result is not None
    assert source.format in (*FORMATS, "conversations")
