"""What summaries of earlier rounds tell of the state, each by itself: a later one overtakes those before it."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from compactor_cli.features.work.told_files import files_in_state, files_under_headings, in_all, told_in_state
from compactor_cli.model.message import Message
from compactor_cli.summary_text.state_block import holds_after, state_lines


class ToldState(Struct, frozen=True):
    """Where an earlier round tells the state, and how far it looks: nothing up to there is news."""

    summary: int = -1
    """Index of the message."""
    last: int = -1
    """Index of the last message that it takes into account."""


def earlier_rounds(messages: Sequence[Message]) -> tuple[Sequence[Message], list[list[str]], ToldState]:
    """Return the messages without summaries, all of them as they are where there is none, and what each of these tells
    of the state, the oldest first."""
    summaries = [at for at, message in enumerate(messages) if message.origin == "summary"]
    rounds: list[list[str]] = []
    files: dict[str, str] = {}
    told, looks_to, in_states = ToldState(), -1, set[str]()
    for at in summaries:
        text = messages[at].text("text")
        here = {path for path, _ in files_in_state(text)}
        known = here | (in_states if at <= looks_to else set())  # a state counts all that was done up to its end
        listed = {path: line for path, line in files_under_headings(text) if path not in known}
        files |= {path: in_all(files.get(path, ""), line) for path, line in listed.items()} | told_in_state(text)
        lines = state_lines(text)
        rounds.append([*map(files.__getitem__, listed), *lines])
        if lines:
            looks_to, in_states = min(at + holds_after(text), len(messages) - 1), in_states | here
            told = ToldState(messages[at].index, messages[looks_to].index)
    return [m for m in messages if m.origin != "summary"] if summaries else messages, rounds, told
