"""Make the manifest of a session that its agent is about to compact. Everything in the context may be lost."""

from __future__ import annotations

import hashlib

from compactor_cli.archive.manifest import session_names, with_references
from compactor_cli.archive.texts import digest, encode
from compactor_cli.model.archived import FileState, Manifest, Removed, Round
from compactor_cli.model.content import sha256
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Source, Transcript

STRATEGY = "agent"
_REASON = "the agent's own compaction"


def make_manifest(source: Source, counter: str) -> Manifest:
    """Return a manifest of everything that an agent may remove from its context, one entry per message."""
    removed = [
        _removed_entry(transcript, number, message)
        for number, transcript in enumerate(source.transcripts)
        for message in transcript.messages
        if message.records
    ]
    names = session_names(source)
    return Manifest(
        input=FileState(source.path, sha256(source.stored), len(source.stored)),
        output=FileState("", hashlib.sha256(b"").hexdigest(), 0),
        format=source.transcripts[0].format,
        counter=counter,
        rounds=tuple(_make_round(number, t, names[number]) for number, t in enumerate(source.transcripts)),
        removed=with_references(removed),
    )


def _removed_entry(transcript: Transcript, conversation: int, message: Message) -> Removed:
    """Return the entry of a message, identified by its text if that is all, else by its records."""
    only = message.parts[0] if len(message.parts) == 1 else None
    if only is not None and only.kind in ("text", "tool_result") and only.text and not only.images:
        full = digest([encode(only.text)])
    else:
        only = None
        full = digest(transcript.raw(record) for record in message.records)
    return Removed(
        reference="",
        digest=full,
        loss="summarized",
        kind="records" if only is None else "text",
        conversation=conversation,
        messages=(message.index,),
        records=message.records,
        role=message.role,
        tokens=message.tokens,
        reason=_REASON,
        marked=False,
    )


def _make_round(number: int, transcript: Transcript, session: str) -> Round:
    return Round(
        conversation=number,
        session=session,
        round=1,
        strategy=STRATEGY,
        summarizer="",
        target=None,
        tokens_before=transcript.tokens,
        tokens_after=0,
        messages_before=len(transcript.messages),
        messages_after=0,
        summary="",
        compacted=tuple(message.id for message in transcript.messages),
    )
