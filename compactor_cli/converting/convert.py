"""Convert a source to files of another format, determine the losses, and verify each file by reading it back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.converting.base import UNKNOWN_TIME, Attribute, Home, Target, WriteContext, digest, uuid_of
from compactor_cli.converting.fitting import arguments, arrange, drop_thoughts
from compactor_cli.converting.losses import Loss, UnfaithfulError, find_losses, merge
from compactor_cli.converting.message_content import Conversation
from compactor_cli.converting.taking import take_conversation
from compactor_cli.errors import InputError, UsageError
from compactor_cli.formats import FORMATS
from compactor_cli.formats.base import Uncounted
from compactor_cli.formats.loading import load
from compactor_cli.model.content import sha256
from compactor_cli.model.transcript import Source, Transcript

NO_CWD = "/"
Said = tuple[Any, ...]
"""An item in the form used for comparison."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a user may choose."""

    cwd: str = ""
    """Folder that the session is to work in; empty: as in the source."""
    now: float = UNKNOWN_TIME
    """Time of a session without times, in seconds since 1970."""
    thinking: bool = True
    """Whether to include thoughts if the target can hold them."""


class Converted(Struct, frozen=True):
    """One file in the target's format."""

    data: bytes
    target: str
    losses: tuple[Loss, ...]
    conversations: int
    messages: int
    session_id: str
    """The new session id; empty if the format has none."""
    cwd: str
    cwd_known: bool
    file_name: str
    """The file name that the agent would use; empty if any name will do."""
    home: Home | None
    read_back: bool
    """Whether the format's reader read the file back with the same content; False if the tool has no reader for it."""


def convert(source: Source, target: Target, options: Options, *, separately: bool = False) -> Iterator[Converted]:
    """Yield the files for a source: one, or, with `separately`, one per conversation if a file can hold only one.
    Raises UsageError for several conversations that do not fit one file."""
    transcripts = source.transcripts
    if target.many or len(transcripts) == 1:
        yield _convert_one(source, transcripts, 0, target, options)
        return
    if not separately:
        raise UsageError(
            f"{source.path} holds {len(transcripts):,} conversations, but a file of {target.name} holds one; name a "
            "folder with --out-dir to write one file each, or convert to openai-chat, anthropic or sharegpt"
        )
    for number, transcript in enumerate(transcripts):
        yield _convert_one(source, [transcript], number, target, options)


def _convert_one(
    source: Source, transcripts: Sequence[Transcript], number: int, target: Target, options: Options
) -> Converted:
    chosen = (options.cwd, options.now, options.thinking)
    context = WriteContext(digest(sha256(source.data), number, target.name, *map(str, chosen)), options.now)
    losses: list[Loss] = []
    written: list[Conversation] = []
    has_cwd = True
    for transcript in transcripts:
        taken = take_conversation(transcript)
        conversation = taken.conversation
        has_cwd = bool(options.cwd or conversation.cwd)
        if not options.thinking:
            conversation = replace(conversation, turns=drop_thoughts(conversation.turns))
        session_id = uuid_of(context.key, "session")
        turns = target.fit(arrange(conversation.turns, close=target.closes))
        cwd = options.cwd or conversation.cwd or NO_CWD
        fitted = replace(conversation, turns=turns, session_id=session_id, cwd=cwd)
        losses += find_losses(taken, fitted, target.holds)
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
        has_cwd,
        target.file_name(first, context),
        home,
        read_back(data, target, written),
    )


def read_back(data: bytes, target: Target, written: Sequence[Conversation]) -> bool:
    """Return whether the format has a reader. Raises UnfaithfulError if the content read back differs."""
    if target.name not in FORMATS:
        return False
    try:
        source = load(data, target.name, Uncounted(), format=target.name)
    except InputError as error:
        if any(spoken_items(conversation, target.holds) for conversation in written):
            raise UnfaithfulError(f"the output cannot be read: {error}") from error
        return True
    read = [take_conversation(transcript).conversation for transcript in source.transcripts]
    for number, (conversation, reread) in enumerate(zip_longest(written, read, fillvalue=Conversation(()))):
        _compare(number, spoken_items(conversation, target.holds), spoken_items(reread, target.holds))
    return True


def _compare(number: int, expected_items: Sequence[Said], actual_items: Sequence[Said]) -> None:
    for index, (expected, actual) in enumerate(zip_longest(expected_items, actual_items)):
        if expected != actual:
            raise UnfaithfulError(
                f"conversation {number} reads differently at item {index}: {expected!r:.400} != {actual!r:.400}"
            )


def spoken_items(conversation: Conversation, holds: Set[Attribute]) -> list[Said]:
    """Return everything that is said, in order: speaker, kind, and words. A call is compared by its tool and the
    value of its arguments, a result by the call that it answers. The division into messages does not matter."""
    calls: dict[int, int] = {}
    for _, item in conversation.items():
        if item.kind == "call":
            calls.setdefault(item.link, len(calls))
    return list(_spoken(conversation, calls, holds))


def _spoken(conversation: Conversation, calls: dict[int, int], holds: Set[Attribute]) -> Iterator[Said]:
    for turn, item in conversation.items():
        pictures = tuple(picture.address for picture in item.pictures)
        if item.kind == "call":
            yield turn.role, "call", item.name, arguments(item), calls[item.link]
        elif item.kind == "result":
            failed = bool(item.failed) if "failed" in holds else None
            yield turn.role, "result", item.text, calls.get(item.link), failed, pictures
        else:
            yield turn.role, item.kind, item.text, item.seal, pictures
