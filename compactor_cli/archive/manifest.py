"""The manifest of a compaction, from its result, and what its sessions are called in the archive."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from msgspec.structs import replace

from compactor_cli.archive.removals import losses, repaired_indices
from compactor_cli.archive.texts import PREFIX, SHORT
from compactor_cli.model.archived import FileState, Manifest, Removed, Round
from compactor_cli.model.content import Content, sha256
from compactor_cli.model.message import by_index
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Source

_LONGEST_ID = 200
"""Characters of a session id that are kept as they are."""


def manifest_of(source: Source, data: Content, parts: Sequence[Compaction], output_path: str, counter: str) -> Manifest:
    """Return what a compaction of `source` did. `data` is its output, `parts` what became of each conversation."""
    before = FileState(source.path, sha256(source.stored), len(source.stored))
    after = FileState(output_path, sha256(data), len(data))
    changed = [(n, part) for n, part in enumerate(parts) if part.changed] if before.sha256 != after.sha256 else []
    sessions = session_names(source)
    removed = [entry for number, part in changed for entry in losses(part, number)]
    return Manifest(
        input=before,
        output=after,
        format=source.transcripts[0].format,
        counter=counter,
        rounds=tuple(_round(number, part, sessions[number]) for number, part in changed),
        removed=with_references(removed),
    )


def session_names(source: Source) -> list[str]:
    """Return the session id of each conversation; those that share one get their number behind it."""
    times = Counter(t.session_id for t in source.transcripts)
    return [
        f"{t.session_id}#{number}" if t.session_id and times[t.session_id] > 1 else t.session_id
        for number, t in enumerate(source.transcripts)
    ]


def with_references(removed: Sequence[Removed]) -> tuple[Removed, ...]:
    """Return each entry with its reference: as many digits as tell its original from the others of the file, 8 at
    least."""
    digests = sorted({entry.digest for entry in removed})
    digits = dict.fromkeys(digests, SHORT)
    for first, second in pairwise(digests):
        needed = next(position for position in range(64) if first[position] != second[position]) + 1
        digits[first], digits[second] = max(digits[first], needed), max(digits[second], needed)
    return tuple(replace(entry, reference=PREFIX + entry.digest[: digits[entry.digest]]) for entry in removed)


def _round(number: int, part: Compaction, session: str) -> Round:
    summaries = [m.text("text") for m in part.messages if m.index < 0 and m.origin == "summary"]
    return Round(
        conversation=number,
        session=session,
        round=max(1, part.round),
        strategy=part.plan.strategy if part.plan else "none",
        summarizer=part.summarizer,
        target=part.target,
        tokens_before=part.before.tokens,
        tokens_after=part.tokens,
        messages_before=len(part.before.messages),
        messages_after=len(part.messages),
        summary="\n\n".join(summaries),
        compacted=_compacted(part),
    )


def _compacted(part: Compaction) -> tuple[str, ...]:
    """Return ids of the input's messages that are not in the output as they were."""
    out = by_index(part.messages)
    mended = repaired_indices(part)
    ids = []
    for message in part.before.messages:
        index = mended.get(message.index)
        kept = out.get(index) if index is not None else None
        if kept is None or kept.parts != message.parts:
            ids.append(message.id)
    return tuple(ids)


def session_keys(source: Source) -> tuple[str, ...]:
    """Return keys of the conversations of a file whose format gives them an id."""
    pairs = zip(source.transcripts, session_names(source), strict=True)
    return tuple(id_key(transcript.format, name) for transcript, name in pairs if name)


def id_key(format: str, session: str) -> str:
    """Return the key of a session whose format gives it an id."""
    if len(session) > _LONGEST_ID:  # an index takes no more
        session = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()
    return f"id:{format}:{session}"


def content_key(manifest: Manifest, round: Round) -> str:
    """Return the key of a session that has no id and that nothing is known of: the content it begins with."""
    number = f"#{round.conversation}" if round.conversation else ""
    return f"content:{manifest.input.sha256}{number}"
