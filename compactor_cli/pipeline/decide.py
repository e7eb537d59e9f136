"""A person's decisions on messages. Dropped messages are removed from the transcript before anything else is
decided."""

from __future__ import annotations

from collections.abc import Sequence, Set

from msgspec.structs import replace

from compactor_cli.errors import UsageError
from compactor_cli.model.decisions import Decided, Dropped
from compactor_cli.model.group import Group
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.groups import form_groups

_REMOVED_OWNER = -1


def refusal(message: Message) -> str:
    """Return why a message cannot be dropped; empty if it can."""
    if message.pinned:
        return "represents earlier history, which the format needs"
    return "is a system message" if message.is_system_prompt else ""


def without_dropped(transcript: Transcript, decided: Decided) -> tuple[Transcript, tuple[Dropped, ...]]:
    """Return the repaired transcript without the groups that contain dropped messages, and these groups. Raises
    UsageError for decisions that cannot be carried out."""
    groups = form_groups(transcript.messages)
    _check_groups(transcript.messages, groups, decided)
    removed = {i for group in groups if _numbers(transcript.messages, group) & decided.drop for i in group.messages}
    if not removed:  # a repair has already removed them
        return transcript, ()
    if len(removed) == len(transcript.messages):
        raise UsageError("decisions: all messages would be dropped; keep one of them")
    dropped = tuple(
        Dropped(tuple(sorted(_numbers(transcript.messages, group))), group.tokens)
        for group in groups
        if group.messages[0] in removed
    )
    return _remove_messages(transcript, removed), dropped


def kept_indices(messages: Sequence[Message], decided: Decided) -> frozenset[int]:
    """Return the indices of the messages to keep."""
    return frozenset(message.index for message in messages if message.records and message.number in decided.keep)


def not_kept(messages: Sequence[Message], decided: Decided) -> list[str]:
    """Return warnings for messages that should be kept but that a repair of the input removes."""
    present = {message.number for message in messages if message.records}
    missing = sorted(decided.keep - present)
    return [f"message {number} is to be kept, but a repair of the input removes it" for number in missing]


def check_beginning(before: Sequence[Message], output: Sequence[Message]) -> None:
    """Raise UsageError if dropping messages makes a conversation that the user began begin with an answer."""
    first = next((m for m in output if not m.is_system_prompt), None)
    first_before = next((m for m in before if not m.is_system_prompt), None)
    if first is None or first_before is None or first_before.role != "user" or first.role == "user" or first.index < 0:
        return
    raise UsageError(
        f"decisions: without message {first_before.number} the session would begin with message {first.number}, "
        f"which is not a user message, and models refuse that; drop {first.number} as well, or keep a user message "
        "before it"
    )


def _numbers(messages: Sequence[Message], group: Group) -> set[int]:
    return {messages[i].number for i in group.messages}


def check_numbers(decided: Decided, known: int) -> None:
    """Raise UsageError for a decision on a message that does not exist. `known`: number of messages in the input."""
    beyond = sorted(number for number in decided.keep | decided.drop if not 0 <= number < known)
    if beyond:
        raise UsageError(f"decisions: message {beyond[0]} does not exist; the session has messages 0 to {known - 1}")


def _check_groups(messages: Sequence[Message], groups: Sequence[Group], decided: Decided) -> None:
    for group in groups:
        numbers = _numbers(messages, group)
        drops = sorted(numbers & decided.drop)
        if not drops:
            continue
        keeps = sorted(numbers & decided.keep)
        if keeps:
            raise UsageError(
                f"decisions: message {keeps[0]} is to be kept and message {drops[0]} to be dropped, but they belong "
                "together (a call, its results and its reasoning); remove one of the two decisions"
            )
        for i in group.messages:
            if why := refusal(messages[i]):
                raise UsageError(f"decisions: message {messages[i].number} cannot be dropped: it {why}")


def _remove_messages(transcript: Transcript, removed: Set[int]) -> Transcript:
    """Return the transcript without these messages and their records. The others keep their numbers."""
    kept = [message for message in transcript.messages if message.index not in removed]
    new_index = {message.index: index for index, message in enumerate(kept)}
    messages = tuple(replace(message, index=new_index[message.index], input_number=message.number) for message in kept)
    owners = {record: new_index.get(owner, _REMOVED_OWNER) for record, owner in transcript.owners.items()}
    return replace(transcript, messages=messages, owners=owners)
