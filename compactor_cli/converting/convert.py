"""A source -> files of another format, what they could not hold, and the word of a reader that they say the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.converting.base import Home, Target, WriteContext
from compactor_cli.converting.fitting import without_thoughts
from compactor_cli.converting.losses import Loss, losses_of, merge
from compactor_cli.converting.message_content import Conversation
from compactor_cli.converting.reading_back import read_back
from compactor_cli.converting.stable import UNKNOWN_TIME, digest, uuid_of
from compactor_cli.converting.taking import take
from compactor_cli.errors import UsageError
from compactor_cli.model.content import sha256
from compactor_cli.model.transcript import Source, Transcript

NO_CWD = "/"
"""Where a session works that does not say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a user may choose."""

    cwd: str = ""
    """Folder that the session is to work in; empty: as the source says."""
    now: float = UNKNOWN_TIME
    """Seconds since 1970: the time of a session that has no times."""
    thinking: bool = True
    """Whether thoughts go along where the target holds them."""


class Converted(Struct, frozen=True):
    """One file of the target's format."""

    data: bytes
    target: str
    losses: tuple[Loss, ...]
    conversations: int
    messages: int
    """Messages that it was made from."""
    session_id: str
    """The new id; empty where a file has none."""
    cwd: str
    cwd_known: bool
    file_name: str
    """The name that the agent gives such a file; empty where any does."""
    home: Home | None
    read_back: bool
    """Whether its own reader has read it again and found the same; False where the tool has no reader for it."""


def convert(source: Source, target: Target, options: Options, *, apart: bool = False) -> Iterator[Converted]:
    """Yield the files that a source becomes: one, or `apart` one for each conversation where a file holds only one.
    Raises UsageError for several conversations that do not fit one file."""
    transcripts = source.transcripts
    if target.many or len(transcripts) == 1:
        yield _converted(source, transcripts, 0, target, options)
        return
    if not apart:
        raise UsageError(
            f"{source.path} holds {len(transcripts):,} conversations, and a file of {target.name} holds one: name a "
            "folder with --out-dir for a file each, or convert to openai-chat, anthropic or sharegpt"
        )
    for number, transcript in enumerate(transcripts):
        yield _converted(source, [transcript], number, target, options)


def _converted(
    source: Source, transcripts: Sequence[Transcript], number: int, target: Target, options: Options
) -> Converted:
    chosen = (options.cwd, options.now, options.thinking)
    context = WriteContext(digest(sha256(source.data), number, target.name, *map(str, chosen)), options.now)
    losses: list[Loss] = []
    written: list[Conversation] = []
    known = True
    for transcript in transcripts:
        taken = take(transcript)
        wanted = taken.conversation
        known = bool(options.cwd or wanted.cwd)
        if not options.thinking:
            wanted = replace(wanted, turns=without_thoughts(wanted.turns))
        session_id = uuid_of(context.key, "session")
        fitted = target.fit(replace(wanted, session_id=session_id, cwd=options.cwd or wanted.cwd or NO_CWD))
        losses += losses_of(taken, fitted, target.holds)
        written.append(fitted)
    data = target.write(written, context)
    first = written[0]
    home = target.home(first, context)
    return Converted(
        data,
        target.name,
        merge(iter(losses)),
        len(written),
        sum(len(transcript.messages) for transcript in transcripts),
        "" if target.many else first.session_id,
        first.cwd,
        known,
        target.file_name(first, context),
        home,
        read_back(data, target, written),
    )
