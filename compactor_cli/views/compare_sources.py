"""Compare two files: pair their conversations, after repairing the faults of the first as compaction does."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source, Transcript
from compactor_cli.pipeline.repair import repair
from compactor_cli.views.compare import Fate, Matches, matches
from compactor_cli.views.survival.judge import judge_survival
from compactor_cli.views.survival.result import Survival

_FATES = ("kept", "shortened", "summarized", "dropped")


class ConversationPair(Struct, frozen=True):
    """The same conversation in two files."""

    before: Sequence[Message]
    after: Sequence[Message]
    matched: Matches
    extra: tuple[Message, ...]


def pair_conversations(first: Source, second: Source) -> list[ConversationPair]:
    """Return the conversations of two files paired by order. Raises UsageError if their numbers differ."""
    if len(first.transcripts) != len(second.transcripts):
        count_phrase = f"{len(first.transcripts)} and {len(second.transcripts)}"
        raise UsageError(
            f"the files hold different numbers of conversations ({count_phrase}), so they cannot be paired"
        )
    out = []
    for a, b in zip(first.transcripts, second.transcripts, strict=True):
        messages = _repaired(a) if a.messages != b.messages else a.messages
        numbers = {m.number for m in messages if m.records}
        extra = tuple(m for m in a.messages if m.number not in numbers)
        matched = matches(messages, b.messages)
        edited = {m.index for m in messages if any(p.edited for p in m.parts)}
        matched = replace(matched, fate=_cut_by_repair(matched.fate, edited))
        out.append(ConversationPair(messages, b.messages, matched, extra))
    return out


def compare_sources(first: Source, second: Source) -> tuple[Fate, tuple[Survival, ...]]:
    """Return fates and survival over all conversations of two files, paired by order."""
    results: list[tuple[Fate, Sequence[Survival]]] = []
    for pair in pair_conversations(first, second):
        synthetic = {m.index for m in pair.before if not m.records}
        extra = tuple(m.number for m in pair.extra)
        results.append(
            (_in_input_terms(pair.matched.fate, synthetic, extra, pair.before), judge_survival(pair.before, pair.after))
        )
    return _sum_fates([fate for fate, _ in results]), tuple(_sum_survivals([s for _, s in results]))


def survival_of(parts: Sequence[Compaction]) -> tuple[Survival, ...]:
    """Return what survived in the conversations of a file that was just compacted."""
    return tuple(_sum_survivals([judge_survival(_input_with_dropped(part), part.messages) for part in parts]))


def _input_with_dropped(part: Compaction) -> Sequence[Message]:
    """Return the input without its faults, but including messages that a person dropped."""
    dropped = {number for group in part.dropped for number in group.messages}
    if not dropped:
        return part.repaired.messages
    dropped_messages = [message for message in part.before.messages if message.number in dropped]
    all_messages = sorted([*part.repaired.messages, *dropped_messages], key=lambda message: message.number)
    return [replace(message, index=index) for index, message in enumerate(all_messages)]


def _repaired(transcript: Transcript) -> Sequence[Message]:
    """Return the repaired messages as compaction numbers them."""
    repaired, _ = repair(
        transcript,
        adjacent_results=FORMATS[transcript.format].adjacent_results,
        alternates=FORMATS[transcript.format].alternates,
        per_message=0,
        count=len,  # sizes do not matter here
    )
    return repaired.messages


def _cut_by_repair(fate: Fate, edited: set[int]) -> Fate:
    """Return the fate with kept messages counted as shortened if a repair turned a result into text."""
    kept_indexes = tuple(i for i in fate.kept if i not in edited)
    shortened = tuple(sorted({*fate.shortened, *(i for i in fate.kept if i in edited)}))
    return replace(fate, kept=kept_indexes, shortened=shortened)


def _in_input_terms(fate: Fate, synthetic: set[int], extra: tuple[int, ...], messages: Sequence[Message]) -> Fate:
    """Return the fate in terms of the input's message numbers, without what a repair added."""
    own = {name: [messages[i].number for i in getattr(fate, name) if i not in synthetic] for name in _FATES}
    own["dropped"] += extra
    added = fate.added + len(synthetic & {*fate.kept, *fate.shortened})
    return Fate(**{name: tuple(sorted(numbers)) for name, numbers in own.items()}, added=added)


def _sum_fates(parts: Sequence[Fate]) -> Fate:
    numbers = {name: tuple(i for part in parts for i in getattr(part, name)) for name in _FATES}
    return Fate(**numbers, added=sum(part.added for part in parts))


def _sum_survivals(parts: Sequence[Sequence[Survival]]) -> list[Survival]:
    out = []
    for lines in zip(*parts, strict=True):
        lost = tuple(item for line in lines for item in line.lost)
        out.append(Survival(lines[0].category, sum(x.kept for x in lines), sum(x.total for x in lines), lost))
    return out
