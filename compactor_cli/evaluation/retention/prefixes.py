"""Cut a session, and make the part before the cut a transcript of its own."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from msgspec.structs import replace

from compactor_cli.formats import FORMATS
from compactor_cli.model.message import Message, system_tokens
from compactor_cli.model.plan import keep_all
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.assemble import assemble
from compactor_cli.pipeline.groups import form_groups


def cut_position(messages: Sequence[Message], share: float) -> int | None:
    """Return the number of messages in a front that has `share` of the tokens, not counting system messages. The cut is
    moved forward to the next legal position: between two groups, so never between a call and its results, and between
    two records. None if no such position has content on both sides."""
    sizes = [0 if message.role == "system" else message.tokens for message in messages]
    min_tokens = share * sum(sizes)
    legal = _legal_cuts(messages)
    for cut, before in enumerate(accumulate(sizes), start=1):
        if before >= min_tokens and cut in legal:
            return cut if 0 < before < sum(sizes) else None
    return None


def _legal_cuts(messages: Sequence[Message]) -> set[int]:
    reach = list(range(len(messages)))  # the last message that must be on the same side
    for group in form_groups(messages):
        reach[min(group.messages)] = max(group.messages)
    last_records = list(accumulate((max(m.records, default=-1) for m in messages), max))
    first_records = list(accumulate((min(m.records, default=1 << 62) for m in reversed(messages)), min))[::-1]
    furthest = list(accumulate(reach, max))
    return {
        cut for cut in range(1, len(messages)) if furthest[cut - 1] < cut and last_records[cut - 1] < first_records[cut]
    }


def front_transcript(transcript: Transcript, cut: int) -> Transcript:
    """Return the first `cut` messages with their records, as if the session had been saved at that moment."""
    messages = transcript.messages[:cut]
    end = 1 + max((record for message in messages for record in message.records), default=-1)
    later = min((record for message in transcript.messages[cut:] for record in message.records), default=end)
    # display copies of the front's messages may follow it
    copies = (record + 1 for record, owner in transcript.owners.items() if owner < cut and record < later)
    end = max([end, *copies])
    lines = transcript.records[end - 1].line if end else 0
    return replace(
        transcript,
        records=transcript.records[:end],
        messages=messages,
        # an early copy of later content has an owner that is gone, so it is left out
        owners={record: owner for record, owner in transcript.owners.items() if record < end},
        copies=frozenset(record for record in transcript.copies if record < end),
        links=transcript.links[:end],
        message_records=frozenset(record for record in transcript.message_records if record < end),
        notes=tuple(note for note in transcript.notes if note.index <= lines),
    )


def front_target(front: Transcript, ratio: float) -> int:
    """Return the target for compacting a front: the tokens of its system messages plus `ratio` of the rest."""
    system = system_tokens(front.messages)
    return system + round(ratio * (front.tokens - system))


def front_bytes(front: Transcript) -> bytes:
    """Return a front as a file in its format, with every record unchanged."""
    groups = form_groups(front.messages)
    return assemble(front, groups, keep_all(groups, "before the cut"), (), FORMATS[front.format]).data
