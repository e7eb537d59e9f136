"""A person's decisions: what is kept stays word for word, what is dropped is nowhere, and the rest holds as ever."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.errors import BudgetError, InputError, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.model.content import read_all
from compactor_cli.model.decisions import DROPPED, Choice, MessageKey
from compactor_cli.model.message import Message
from compactor_cli.model.planning import DECIDED
from compactor_cli.model.report import Compaction, plan_lines
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.decide import refusal
from compactor_cli.pipeline.decision_files import by_conversation
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.run import compact_source
from compactor_cli.pipeline.verify import faults
from compactor_cli.profiles import default_profile
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.tokens import make_counter
from compactor_cli.views.compare_sources import survival_of
from compactor_cli.views.timelines import of_compactions
from compactor_cli.wiring import tools_for
from tests.builders import ROOT, ClaudeSession, assert_chain_whole, load_or_skip, tool_use
from tests.pipeline.sessions import assistant, result, system, to_bytes, user
from tests.properties import checks
from tests.properties.generators import File, faulty, files, well_formed
from tests.properties.profile import examples

pytestmark = pytest.mark.one_test_in(2)

EVERY = pytest.mark.parametrize("strategy", sorted(STRATEGIES))
SAMPLES = sorted((ROOT / "sample_transcripts").glob("*.jsonl"))
REAL = sorted((ROOT.parent / "shared" / "transcripts").rglob("*.jsonl"))
SMALL = [path for path in REAL if 4_000 < path.stat().st_size < 60_000]
DRAWN = st.lists(st.tuples(st.integers(0, 400), st.sampled_from(("keep", "drop"))), min_size=1, max_size=6)
Choices = dict[MessageKey, Choice]
Drawn = list[tuple[int, Choice]]


def compacted(source: Source, settings: Settings, choices: Choices, tokenizer: str = "chars") -> api.CompactResult:
    counter = make_counter(tokenizer).counter
    tools = [tools_for(t, counter, settings, default_profile()) for t in source.transcripts]
    decided = by_conversation(choices, len(source.transcripts))
    data, parts = compact_source(source, tools, settings, decided=decided)
    return api.CompactResult(data, tuple(parts))


def choices_of(source: Source, drawn: Drawn) -> Choices:
    """Decisions on messages that there are, one on a group."""
    choices: Choices = {}
    for which, transcript in enumerate(source.transcripts):
        messages = transcript.messages
        group_of = {i: group.index for group in form_groups(messages) for i in group.messages}
        taken = set()
        for number, choice in drawn:
            at = number % len(messages) if messages else 0
            if messages and group_of[at] not in taken and not (choice == "drop" and refusal(messages[at])):
                taken.add(group_of[at])
                choices[MessageKey(which, at)] = choice
    return choices


def check_decided(source: Source, settings: Settings, choices: Choices, tokenizer: str = "chars") -> None:
    """What any output with decisions must hold."""
    try:
        result = compacted(source, settings, choices, tokenizer)
    except UsageError as error:
        assert is_true(str(error), source, choices), error
        return
    except BudgetError as error:
        if len(source.transcripts) == 1 and error.floor > 0:
            check_floor(source, settings, choices, tokenizer, error)
        return
    again = checks.read(result.data, source, tokenizer)
    for which, (before, after, part) in enumerate(
        zip(source.transcripts, again.transcripts, result.parts, strict=True)
    ):
        checks.check_size(part, after)
        checks.check_report_is_what_was_written(part, after)
        checks.check_records(before, after, part)
        checks.check_order(part)
        if part.plan is not None:
            check_plan(part)
            checks.check_summaries(part)
        own = {spot.message: choice for spot, choice in choices.items() if spot.conversation == which}
        check_kept(part, after, {number for number, choice in own.items() if choice == "keep"})
        check_dropped(before, part, after, {number for number, choice in own.items() if choice == "drop"})
        adjacent = FORMATS[before.format].adjacent_results
        kinds = {f.kind for f in faults(before.messages, adjacent_results=adjacent)}
        assert {f.kind for f in faults(after.messages, adjacent_results=adjacent)} <= kinds


def check_plan(part: Compaction) -> None:
    checks.check_plan(part)
    said = [number for line in plan_lines(part) for number in line.messages]
    assert {m.number for m in part.repaired.messages} | {n for g in part.dropped for n in g.messages} == set(said)


def check_kept(part: Compaction, after: Transcript, numbers: set[int]) -> None:
    out = {m.number: m for m in part.messages if m.index >= 0 and m.records}
    for message in part.repaired.messages:
        if message.number not in numbers or not message.records:
            continue
        assert message.number in out, f"message {message.number} is to be kept, and gone"
        kept = out[message.number]
        assert kept.parts == message.parts, f"message {message.number} is to be kept, and was cut"


def check_dropped(before: Transcript, part: Compaction, after: Transcript, numbers: set[int]) -> None:
    gone = {n for group in part.dropped for n in group.messages}
    mended = {m.number for m in part.repaired.messages}
    assert numbers <= gone | (set(range(len(before.messages))) - mended)
    assert gone.isdisjoint(m.number for m in part.messages if m.index >= 0)
    others = "\n".join(m.text() for m in before.messages if m.number not in gone)
    written = "\n".join(m.text() for m in after.messages)
    for number in gone:
        for text in (piece.text.strip() for piece in before.messages[number].parts):
            if len(text) > 40 and text not in others:
                assert text not in written, f"message {number} is to be dropped, and is quoted"
    fates = {e.message.number: e for e in of_compactions([part]) if e.before is not None}
    assert all(fates[number].fate == "dropped" and fates[number].reason == DROPPED for number in gone)


def check_floor(source: Source, settings: Settings, choices: Choices, tokenizer: str, error: BudgetError) -> None:
    """The smallest size that the error names can be had."""
    settings = replace(settings, target_tokens=error.floor, target_ratio=None)
    try:
        result = compacted(source, settings, choices, tokenizer)
    except UsageError as refused:
        assert is_true(str(refused), source, choices), refused
        return
    assert result.parts[0].tokens <= error.floor


def is_true(error: str, source: Source, choices: Choices) -> bool:
    """Whether an error about decisions has a reason."""
    drops = [spot for spot, choice in choices.items() if choice == "drop"]
    if "would begin with" in error or "all messages would be dropped" in error:
        return bool(drops)
    groups = [(t, g) for t in source.transcripts for g in form_groups(t.messages)]
    return "cannot be dropped" in error and any(refusal(t.messages[i]) for t, g in groups for i in g.messages)


@EVERY
@examples(50)
@given(files(well_formed()), st.one_of(st.none(), st.floats(0.01, 1.2)), DRAWN)
def test_any_decisions_on_well_formed_transcripts(strategy: str, file: File, share: float | None, drawn: Drawn) -> None:
    check_drawn(file, strategy, share, drawn)


@EVERY
@examples(40)
@given(files(faulty()), st.one_of(st.none(), st.floats(0.01, 1.2)), DRAWN)
def test_any_decisions_on_transcripts_with_faults(strategy: str, file: File, share: float | None, drawn: Drawn) -> None:
    check_drawn(file, strategy, share, drawn)


def check_drawn(file: File, strategy: str, share: float | None, drawn: Drawn) -> None:
    try:
        source = api.load(file.data, "generated", format=file.shape, tokenizer="chars")
    except InputError:  # a transcript without any message
        return
    target = None if share is None else max(1, int(share * source.tokens / len(source.transcripts)))
    check_decided(source, Settings(strategy=strategy, target_tokens=target), choices_of(source, drawn))


@pytest.mark.drawn(16)
@EVERY
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_decisions_on_the_samples(strategy: str, path: Path) -> None:
    source = api.load(path.read_bytes(), path.name, tokenizer="chars")
    for seed in range(4):
        drawn: Drawn = [((7 * k + 13 * seed) % 397, "drop" if (k + seed) % 3 else "keep") for k in range(8)]
        check_decided(source, Settings(strategy=strategy, target_ratio=0.3), choices_of(source, drawn))


@pytest.mark.drawn(33)
@pytest.mark.skipif(not SMALL, reason="the folder of real transcripts is not here")
@pytest.mark.parametrize("path", SMALL, ids=lambda path: path.name)
def test_decisions_on_real_sessions(path: Path) -> None:
    source = load_or_skip(path, "chars")
    for at, strategy in enumerate(("adaptive", "tiered", "rolling")):
        drawn: Drawn = [((11 * k + 5 * at) % 397, "drop" if k % 2 else "keep") for k in range(6)]
        check_decided(source, Settings(strategy=strategy, target_ratio=0.4), choices_of(source, drawn))


# what single decisions do


SESSION = [
    system("Be brief."),
    user("Mend the report in src/report.py."),
    assistant(None, "c1"),
    result("c1", "the secret of line 4711 in src/report.py " * 20),
    assistant("The total was rounded twice, in src/report.py and src/total.py. " * 12),
    user("Use half-up rounding everywhere."),
    assistant(None, "c2"),
    result("c2", "42 passed, 0 failed in tests/test_report.py " * 20),
    assistant("All tests pass. The rounding is in one place now. " * 12),
    user("Now write the changelog."),
    assistant("Done: see CHANGELOG.md."),
]


def session() -> Source:
    return api.load(to_bytes(SESSION), "session.jsonl", tokenizer="chars")


def reasons(part: Compaction) -> dict[int, str]:
    return {number: line.decision.reason for line in plan_lines(part) for number in line.messages}


def on(*, keep: Sequence[int] = (), drop: Sequence[int] = ()) -> Choices:
    choices: Choices = {MessageKey(0, n): "keep" for n in keep}
    return choices | {MessageKey(0, n): "drop" for n in drop}


@EVERY
def test_a_message_that_would_be_cut_stays_word_for_word(strategy: str) -> None:
    source, settings = session(), Settings(strategy=strategy, target_ratio=0.5)
    (alone,) = compacted(source, settings, {}).parts
    (part,) = compacted(source, settings, on(keep=[3])).parts
    before = source.transcripts[0].messages
    assert before[3].parts not in [m.parts for m in alone.messages]
    assert before[3].parts in [m.parts for m in part.messages]
    assert before[2].parts in [m.parts for m in part.messages]  # its call comes with it
    assert reasons(part)[2] == reasons(part)[3] == DECIDED
    assert part.tokens <= (part.target or 0)


@EVERY
def test_a_dropped_message_is_nowhere_in_the_output(strategy: str) -> None:
    source, settings = session(), Settings(strategy=strategy, target_ratio=0.9)
    result = compacted(source, settings, on(drop=[3]))
    (part,) = result.parts
    assert b"4711" not in read_all(result.data)
    assert reasons(part)[2] == reasons(part)[3] == DROPPED
    assert part.dispositions.dropped == 2
    assert part.first_changed_index == 2


@EVERY
def test_drops_are_made_although_the_session_is_within_its_target(strategy: str) -> None:
    result = compacted(session(), Settings(strategy=strategy, target_ratio=1.0), on(drop=[4]))
    values = [json.loads(line) for line in read_all(result.data).splitlines()]
    assert values == [value for at, value in enumerate(SESSION) if at != 4]


@EVERY
def test_what_is_kept_raises_the_floor_instead_of_being_cut(strategy: str) -> None:
    source = session()
    settings = Settings(strategy=strategy, target_tokens=150)
    with pytest.raises(BudgetError) as error:
        compacted(source, settings, on(keep=[4, 8]))
    kept = sum(source.transcripts[0].messages[i].tokens for i in (4, 8))
    assert (DECIDED, kept) in error.value.items
    assert error.value.floor >= kept


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (on(drop=[0]), "message 0 cannot be dropped: it is a system message"),
        (on(drop=[99]), "message 99 does not exist; the session has messages 0 to 10"),
        (on(drop=[11]), "message 11 does not exist; the session has messages 0 to 10"),
        (on(keep=[2], drop=[3]), "message 2 is to be kept and message 3 to be dropped, but they belong together"),
        (
            on(drop=[1]),
            "^decisions: without message 1 the session would begin with message 2, which is not a user message, and "
            "models refuse that; drop 2 as well, or keep a user message before it$",
        ),
    ],
)
def test_decisions_that_cannot_be_met_are_refused(choices: Choices, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        compacted(session(), Settings(target_ratio=1.0), choices)


@pytest.mark.parametrize("ratio", [None, 0.5, 1.0])
@pytest.mark.parametrize("number", [11, 99])
def test_to_keep_a_message_that_there_is_none_of_is_refused_whatever_the_target(
    ratio: float | None, number: int
) -> None:
    """Also where the session is within its target, so that nothing would be done with it."""
    words = f"^decisions: message {number} does not exist; the session has messages 0 to 10$"
    with pytest.raises(UsageError, match=words):
        compacted(session(), Settings(target_ratio=ratio), on(keep=[10, number]))
    assert not compacted(session(), Settings(target_ratio=1.0), on(keep=[10])).parts[0].changed


def test_a_message_that_a_repair_takes_out_cannot_be_kept_and_that_is_said() -> None:
    source = api.load(to_bytes([*SESSION[:4], result("c1", "again"), *SESSION[4:]]), "session.jsonl", tokenizer="chars")
    (part,) = compacted(source, Settings(target_ratio=0.7), on(keep=[4])).parts
    assert part.warnings[1:] == ("message 4 is to be kept, but a repair of the input removes it",)


def test_where_the_first_request_is_kept_by_a_decision_no_other_one_passes_for_it() -> None:
    # large enough for a summary with headings
    records = [*SESSION[:3], result("c1", "the secret of line 4711 in src/report.py " * 600), *SESSION[4:]]

    def repeated(choices: Choices) -> list[str]:
        source = api.load(to_bytes(records), "session.jsonl", tokenizer="chars")
        (part,) = compacted(source, Settings(strategy="handoff", target_ratio=0.5), choices).parts
        assert part.plan is not None
        return [quote.kind for slot in part.plan.slots for quote in slot.quotes]

    assert repeated({}) == ["first", "turn", "last"]
    assert repeated(on(keep=[1])) == ["turn", "last"]
    assert repeated(on(keep=[9])) == ["first", "turn"]


def test_not_everything_can_be_dropped() -> None:
    source = api.load(to_bytes(SESSION[1:]), "session.jsonl", tokenizer="chars")
    with pytest.raises(UsageError, match="all messages would be dropped"):
        compacted(source, Settings(target_ratio=0.5), on(drop=list(range(10))))


def test_an_answer_that_would_begin_the_session_may_go_as_well() -> None:
    result = compacted(session(), Settings(target_ratio=1.0), on(drop=[1, 2, 4]))
    values = [json.loads(line) for line in read_all(result.data).splitlines()]
    assert values == [SESSION[0], *SESSION[5:]]


def test_a_history_is_closed_behind_what_is_left() -> None:
    """The turn that closes a history belongs to what stands at its end after the drops."""
    source = api.load(to_bytes(SESSION[:9]), "session.jsonl", tokenizer="chars")
    (part,) = compacted(source, Settings(strategy="handoff", target_ratio=0.9), on(drop=[8])).parts
    assert not part.messages[-1].results
    messages: list[Message] = list(part.messages)
    assert messages[-1].text() == "Understood." or messages[-1].role != "tool"


@pytest.mark.parametrize("strategy", ["handoff", "rolling", "hybrid", "summarize"])
def test_no_other_request_passes_for_the_first_or_the_last_one_where_that_is_kept(strategy: str) -> None:
    records = [system()]
    for at in range(12):
        records += [
            user(f"Request {at}: change mod_{at}.py so that it rounds half up, and say why. " * 2),
            assistant(f"Changed mod_{at}.py in the way that was asked for. " * 30),
        ]
    source = api.load(to_bytes(records), "session.jsonl", tokenizer="chars")
    (part,) = compacted(source, Settings(strategy=strategy, target_ratio=0.3), on(keep=[1, 23])).parts
    summaries = [m.text() for m in part.messages if m.index < 0]
    assert summaries
    assert [text for text in summaries if re.search(r"\((first|last|only) request", text)] == []


def test_records_that_only_accompany_a_dropped_message_go_with_it() -> None:
    made = ClaudeSession()
    made.exchanges(2)
    made.add_call(tool_use("t1"))
    made.add("progress", data={"type": "bash_progress", "output": "half of it"}, toolUseID="t1")
    made.add_result("t1", "all of it")
    made.exchanges(2, "later")
    source = api.load(made.data, "session.jsonl", tokenizer="chars")
    result = compacted(source, Settings(target_ratio=1.0), on(drop=[4]))
    output = read_all(result.data)
    assert b"half of it" in made.data
    assert b"half of it" not in output
    assert b"all of it" not in output
    assert_chain_whole([json.loads(line) for line in output.splitlines()])


def test_what_was_dropped_counts_as_lost() -> None:
    source, settings = session(), Settings(target_ratio=1.0)
    kept = {s.category: (s.kept, s.total) for s in survival_of(compacted(source, settings, {}).parts)}
    left = {s.category: (s.kept, s.total) for s in survival_of(compacted(source, settings, on(drop=[5])).parts)}
    requests = next(name for name in kept if "requests" in name)
    assert left[requests][1] == kept[requests][1]
    assert left[requests][0] < kept[requests][0]
