"""A session that grows and is compacted again each time, and what must hold after every round."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from compactor_cli import api
from compactor_cli.features.work.ledger import compute_ledger
from compactor_cli.features.work.looking_steps import is_only_looking
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.features.work.state import session_state
from compactor_cli.model.content import read_all
from compactor_cli.model.message import Message
from compactor_cli.model.report import Compaction
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.groups import form_groups
from compactor_cli.pipeline.repair import repair
from compactor_cli.pipeline.verify import faults
from compactor_cli.settings import Settings
from compactor_cli.summaries.facts import Fact, line_of_row, parse_fact, shown_command
from compactor_cli.summaries.outline import section_of
from compactor_cli.summary_text.headers import round_of
from compactor_cli.summary_text.verbatim import QUOTED, carried
from compactor_cli.text.clean import one_line

ROUNDS = 5


@dataclass(frozen=True, slots=True)
class Round:
    """The output of a round, and the inputs of all rounds up to it."""

    part: Compaction
    told: Transcript


def split_session(transcript: Transcript, number: int = ROUNDS) -> list[bytes]:
    """Split the bytes of a session into pieces of about as many tokens, without splitting a tool exchange."""
    borders: list[int] = []
    tokens, end = 0, -1
    for group in form_groups(transcript.messages):
        if tokens >= (len(borders) + 1) * transcript.tokens / number and group.messages[0] > end:
            borders.append(transcript.records[transcript.messages[group.messages[0]].records[0]].start)
        tokens, end = tokens + group.tokens, max(end, group.messages[-1])
    assert len(borders) == number - 1
    ends = [0, *borders, len(transcript.source)]
    return [transcript.source[start:end] for start, end in pairwise(ends)]


def compact_rounds(data: Sequence[bytes], target: int, *, format: str, **settings: Any) -> list[Round]:
    """Compact after each piece to the same target."""
    found, kept, told = [], b"", b""
    for piece in data:
        told += piece
        source = api.load(kept + piece, format=format, tokenizer="chars")
        result = api.compact(source, Settings(target_tokens=target, **settings), tokenizer="chars")
        (part,) = result.parts
        (before,) = api.load(told, format=format, tokenizer="chars").transcripts
        found.append(Round(part, before))
        kept = read_all(result.data)
    return found


def summary_of(part: Compaction) -> str:
    """Return the only summary of an output."""
    (text,) = summaries_of(part)
    return text


def summaries_of(part: Compaction) -> list[str]:
    """Return the summaries of an output. A message that is kept separates them."""
    return [m.text("text") for m in part.messages if m.origin == "summary"]


def facts_in(summary: str) -> list[Fact]:
    """Return the computed facts that a summary states, read in the way of a later round."""
    found, title = [], ""
    for line in carried(summary).rest.partition(QUOTED)[0].splitlines():
        if line.startswith("### "):
            title = line[4:]
            continue
        said = line_of_row(line) if line.startswith("| `") else line[2:] if line.startswith("- ") else ""
        fact = parse_fact(section_of(title, said), said) if said else None
        found += [fact] if fact else []
    return found


def actions_of(messages: Sequence[Message]) -> Counter[tuple[str, str]]:
    """Return (file, action) -> number of times."""
    files = compute_ledger(messages).files
    return Counter({(p, action): len(at) for p, fact in files.items() for action, at in fact.actions.items()})


def actions_by_file(actions: Counter[tuple[str, str]], paths: KnownPaths) -> Counter[tuple[str, str]]:
    """Return the actions with one name per file."""
    found: Counter[tuple[str, str]] = Counter()
    for (path, action), times in actions.items():
        found[paths.known(path), action] += times
    return found


_OPEN = "- failing: ", "- open error"
"""How lines of the state begin that tell an error; a summary tells it nowhere else."""


def lost_facts(results: Sequence[Round]) -> list[str]:
    """Return what the ledger of the whole session has and the last output does not, except files that were read, and
    errors that an earlier round told as open and that have ended since: the state does not tell them any more."""
    last = results[-1]
    kept = [m for m in last.part.messages if m.origin != "summary"]
    stated = [fact for text in summaries_of(last.part) for fact in facts_in(text)]
    told, _ = repair(last.told, adjacent_results=True, per_message=0, count=len)  # a call without a result did nothing
    paths = KnownPaths()
    done = actions_by_file(actions_of(told.messages), paths)
    have = actions_by_file(actions_of(kept), paths)
    for fact in stated:
        if fact.section == "Files":
            have.update({(paths.find(fact.subject), action): times for action, times in fact.counts.items()})
    lost = [
        f"{path} {action}: {have[path, action]} of {times}"
        for (path, action), times in done.items()
        if have[path, action] != times and action != "read"
    ]
    now, ever = compute_ledger(kept), compute_ledger(told.messages)
    commands = {shown_command(c.text) for c in now.commands} | {f.subject for f in stated if f.section == "Commands"}
    lost += [
        f"command {c.text}" for c in ever.commands if not (is_only_looking(c.text) or shown_command(c.text) in commands)
    ]
    said = one_line("\n".join(m.text() for m in kept), 10**9)  # of a clipped line, only the part before the ellipsis
    said += "\n".join(line for text in summaries_of(last.part) for line in text.splitlines() if line.startswith(_OPEN))
    errors = {f.subject for f in stated if f.section == "Errors"}
    errors |= {e for e, _ in ever.errors if _has_ended(e, results)}
    return lost + [f"error {e}" for e, _ in ever.errors if e not in errors and e.removesuffix("…") not in said]


def _has_ended(error: str, results: Sequence[Round]) -> bool:
    """Return whether an earlier round told an error as open and the state of the whole session does not."""
    before = [text for one in results[:-1] for text in summaries_of(one.part)]
    was_open = any(line.startswith(_OPEN) and error in line for text in before for line in text.splitlines())
    return was_open and not any(line.open and error in line.text for line in session_state(results[-1].told.messages))


def repeated_lines(summary: str) -> list[str]:
    """Return lines that occur twice in a summary's own words, not in what it repeats verbatim."""
    own = [line for line in carried(summary).rest.partition(QUOTED)[0].splitlines() if line.startswith(("- ", "| `"))]
    bare = [re.sub(r"(?: \[(?:earlier )?#[^\]]*\])+$", "", line) for line in own]
    return [line for line, times in Counter(bare).items() if times > 1]


def check_rounds(results: Sequence[Round], target: int) -> None:
    """Check what must hold for every round, and what the last one must keep of the whole session."""
    written = 0  # only rounds with a summary: in the first ones, cutting results may be enough
    for number, one in enumerate(results, start=1):
        assert one.part.tokens <= target, f"round {number}"
        assert not faults(one.part.messages, adjacent_results=True) or faults(one.told.messages, adjacent_results=True)
        texts = summaries_of(one.part)
        written += bool(texts or written)
        assert max(map(round_of, texts), default=0) == one.part.round == written
        for text in texts:
            assert text.count("## Session Summary") == 1, f"round {number} has a summary in its summary"
            assert not repeated_lines(text), f"round {number}"
    last = results[-1]
    if len(summaries_of(last.part)) > 1:  # content that cannot be text splits it, and each part has its own budget
        return
    first = next(m.text("text") for m in last.told.messages if m.origin == "request")
    said = [m.text("text") for m in last.part.messages]
    said += [words for text in summaries_of(last.part) for _, words in carried(text).turns]
    assert any(first in text for text in said), "the first request is not whole"
    assert not lost_facts(results)
