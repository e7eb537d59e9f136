"""The ledger as lines of a summary; lines of earlier rounds are merged with the new ones.

Each line begins with its subject, so that a later round can find the same file, command or error again:

    - `src/a.py` edited 3x, read [earlier #4] [#12, #15]
    - `pytest -q` (4x, last ok) [#16]
    - `KeyError: 'x'` (2x) [#9]
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import reduce
from operator import itemgetter

from msgspec import Struct, field

from compactor_cli.features.call_lines import ADDED, REMOVED
from compactor_cli.features.work.earlier_rounds import files_in_state
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import (
    ACTIONS,
    call_actions,
    call_arguments,
    command_of,
    compute_ledger,
    was_shown,
    where,
)
from compactor_cli.features.work.looking_steps import only_looks
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.features.work.secret_words import command_without_values
from compactor_cli.features.work.told_of_calls import ToldOfCalls
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, Spot
from compactor_cli.summaries.outline import FACTS, cells
from compactor_cli.summaries.snippets import changes
from compactor_cli.summary_text.excerpts import harmless
from compactor_cli.summary_text.state_line import PASSED_SINCE
from compactor_cli.text.clean import one_line
from compactor_cli.text.noise import noisy_lines
from compactor_cli.text.patterns import compiled_later

WHERE = compiled_later(r"(?: \[(?:earlier|(?:earlier )?#[^\]]*)\])+$")
_FIRST = compiled_later(r"\[(?:earlier )?#([^\]]*)\]")
_ABOUT = compiled_later(r"`(.+)`(?: (.*))?$", re.DOTALL)
_DONE = compiled_later(rf"({'|'.join(ACTIONS)})(?: (\d+)x)?$")
_TIMES = compiled_later(r"\((\d+)x\b")
_LAST = compiled_later(r"\blast (ok|failed)\b")
_SHOWN_PART = compiled_later(r"(?:\s*2>(?:&1|\s*/dev/null)|\s*\|&?\s*(?:head|tail)(?:\s+-[-\w=]+|\s+\d+)*)+\s*$")
"""The end of a command that only limits how much of its output is shown. Without it, the command is the same."""
_DOCUMENT = compiled_later(
    r"(<<-?\s*['\"]?(\w+)['\"]?[^\n]*)(\n[^\n]*)\n(?!\s*\2[ \t]*$).*?\n\s*\2[ \t]*$", re.DOTALL | re.MULTILINE
)
"""A text of several lines inside a command line."""
_SEARCHED = 4_000
"""Number of characters of a command line to search for such texts."""

CHANGE_SEPARATOR = " · "
"""Separates the actions on a file from a changed line."""
_CHANGE_WIDTH = 60
"""Maximum characters of such a line."""
_COMMAND_WIDTH = 160
_WORD = compiled_later(r"\w{3,}")
_ADDED_LINES = 30
"""Number of added lines to consider when choosing the one that shows what a change did."""
_CHANGE_MARK = compiled_later(r"^[+-]\| ")
LEFT_OUT = "Left out for want of room:"
_NOUNS = {"Files": "files", "Errors": "errors", "Commands": "commands"}
_COUNTED = compiled_later(r"(\d+) (file|error|command)")


class Fact(Struct):
    """The known facts about one file, command or error."""

    section: str
    about: str
    counts: dict[str, int] = field(default_factory=dict)
    """Counts by action for a file, in order of the last occurrence; otherwise under the empty string."""
    outcome: str = ""
    passed_since: bool = False
    """Whether a later call made up for the error, or for the last failure."""
    changed_line: str = ""
    """For a file: a line that its newest change added or removed."""
    earlier: str = ""
    messages: list[int] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Return the messages that the fact is based on: those of this round, and those of the round in which it
        first appeared."""
        earlier = [f"[earlier #{self.earlier}]"] if self.earlier else []
        return " ".join([*earlier, *([where(self.messages)] if self.messages else [])])

    @property
    def text(self) -> str:
        if self.section == "Files":
            return f"`{self.about}` {self.done}"
        times = sum(self.counts.values())
        notes = [f"{times}x"] if times > 1 else []
        notes += [f"last {self.outcome}"] if self.outcome else []
        notes += [PASSED_SINCE] if self.passed_since else []
        return f"`{self.about}`{' (' + ', '.join(notes) + ')' if notes else ''}"

    @property
    def done(self) -> str:
        """Return the actions on a file, the latest change last: `restored, edited 3x, read`."""
        known = sorted(self.counts.items(), key=lambda item: item[0] == "read")
        return ", ".join(f"{action} {times}x" if times > 1 else action for action, times in known)

    @property
    def changes(self) -> bool:
        """Return whether the fact is about a file that was created, edited or deleted."""
        return self.section == "Files" and not self.only_read

    def is_told(self, paths: Collection[str]) -> bool:
        """Return whether the fact is about a changed file, and the file is one of these paths, which may be
        relative."""
        return self.changes and any(f"/{self.about}".endswith(f"/{path}") for path in paths)

    @property
    def only_read(self) -> bool:
        return self.section == "Files" and set(self.counts) == {"read"}


def facts_of(
    messages: Sequence[Message], told_of: ToldOfCalls, earlier: Iterable[tuple[str, str]], overcome: Set[int]
) -> list[Fact]:
    """Return the facts in order of their first appearance. `earlier`: lines of earlier summaries by section.
    `overcome`: indices of messages with failures that a later call made up for."""
    facts: dict[tuple[str, str], Fact] = {}
    for section, line in [*earlier, *_in_state(messages, {line.rpartition("`")[0] for _, line in earlier})]:
        fact = parse(section, line)
        if fact is not None:
            known = facts.setdefault((section, fact.about), Fact(section, fact.about, earlier=fact.earlier))
            for action, times in fact.counts.items():
                known.counts[action] = known.counts.pop(action, 0) + times
            known.outcome = fact.outcome or known.outcome
            known.passed_since = fact.passed_since
            known.changed_line = fact.changed_line or known.changed_line

    over = _numbers_of(messages, told_of.pairing, overcome) if overcome else frozenset()

    def add(section: str, about: str, action: str, numbers: Sequence[int], outcome: str = "") -> None:
        known = facts.setdefault((section, about), Fact(section, about))
        known.counts[action] = known.counts.pop(action, 0) + len(numbers)
        known.messages += numbers
        known.outcome = outcome
        known.passed_since = outcome in ("", "failed") and section != "Files" and numbers[-1] in over

    ledger = compute_ledger(messages, told_of.pairing)
    paths = KnownPaths((about for section, about in facts if section == "Files"), parts=2)
    for path, file in ledger.files.items():
        about = paths.known(path)
        before = facts[("Files", about)].counts if ("Files", about) in facts else {}
        existed = "created" not in before and was_shown(before)  # in an earlier round
        for action in sorted(file.actions, key=lambda action: (file.actions[action][-1], ACTIONS.index(action))):
            add("Files", about, "edited" if existed and action == "created" else action, file.actions[action])
    for command in ledger.commands:
        if only_looks(command.text):
            continue
        outcome = {True: "failed", False: "ok", None: ""}[command.failed]
        add("Commands", shown_command(command_without_values(command.text)), "", [command.message], outcome)
    for line, numbers in ledger.errors:
        add("Errors", reduce(told_of.told, numbers, line), "", list(numbers))
    for snippet in changes(messages):
        if (touched := facts.get(("Files", paths.known(snippet.about)))) is not None:
            touched.changed_line = _changed_line(snippet.lines) or touched.changed_line
    return list(facts.values())


def _in_state(messages: Sequence[Message], known: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield lines for the files that earlier summaries mention only in their state block. `known`: the beginnings of
    the existing lines."""
    for message in messages:
        if message.origin == "summary":
            told = files_in_state(message.text("text"))
            yield from (("Files", f"`{path}` {done}") for path, done in told if f"`{path}" not in known)


def _numbers_of(messages: Sequence[Message], pairing: Pairing, results: Set[int]) -> frozenset[int]:
    """Return the numbers of the messages that contain the given results, and of those with their calls. Messages
    with several failures are left out, since another of them may not be overcome."""
    answers = pairing.answers.items()
    failed = [(at, asked) for (at, part), (asked, _) in answers if has_failed(messages[at].parts[part])]
    failures = Counter(messages[at].number for spots in failed for at in set(spots))
    over = (at for spots in failed if messages[spots[0]].index in results for at in spots)
    return frozenset(number for number in (messages[at].number for at in over) if failures[number] == 1)


def shown_files(messages: Sequence[Message], pairing: Pairing) -> frozenset[Spot]:
    """Return the results that only show files, by message index and position: events in a file's text did not happen
    in the session. `pairing`: the calls and results of the messages."""
    return frozenset(
        (messages[at].index, position)
        for (at, position), (asked, call) in pairing.answers.items()
        if _only_reads(messages[asked].parts[call])
    )


def _only_reads(call: Part) -> bool:
    actions = {action for _, action in call_actions(call)}
    return actions == {"read"} and only_looks(command_of(call_arguments(call)))


def shown_command(command: str) -> str:
    """Return a command line for a summary: on one line, without parts that only limit its output. An embedded text
    that a program reads is cut to its first line."""
    command = _DOCUMENT.sub(r"\1\3 …", command[:_SEARCHED]) + command[_SEARCHED:]
    return one_line(_SHOWN_PART.sub("", command), _COMMAND_WIDTH)


def _changed_line(lines: Sequence[str]) -> str:
    """Return the line that best shows what a change did: the added line with the most words that were not removed
    (the first of equals), otherwise the first removed line. Imports are used only if there is nothing else."""
    noise = noisy_lines("\n".join(_CHANGE_MARK.sub("", line) for line in lines))
    numbered = [(n, line) for n, line in enumerate(lines) if any(sign.isalnum() for sign in line.lstrip("+-| "))]
    worded = [line for n, line in numbered if n not in noise] or [line for _, line in numbered]
    gone = {word for line in lines if line.startswith(REMOVED) for word in _WORD.findall(line)}
    added = [line for line in worded if not line.startswith(REMOVED)][: _ADDED_LINES if gone else 1]
    new = (len(set(_WORD.findall(line[:_CHANGE_WIDTH])) - gone) for line in added)
    line = max(zip(new, added, strict=True), key=itemgetter(0))[1] if added else next(iter(worded), "")
    sign, text = ("-", line[len(REMOVED) :]) if line.startswith(REMOVED) else ("+", line.removeprefix(ADDED))
    # backquotes and message marks must not occur in it, because a later round uses them to split the line
    return f"{sign} {one_line(harmless(text), _CHANGE_WIDTH)}".replace("`", "'").replace("[#", "[ #") if text else ""


def line_of_row(row: str) -> str:
    """Return a row of the table of files as a line for `parse`."""
    about, done, *more = cells(row)
    description = " ".join(more)
    return f"{about} {done}{' ' if description.startswith('[') else CHANGE_SEPARATOR}{description}"


def parse(section: str, line: str) -> Fact | None:
    """Return the fact in a line (without its bullet) of an earlier summary; None if there is none."""
    if section not in FACTS:
        return None
    first = _FIRST.search(line, max(0, line.rfind("`")))
    match = _ABOUT.match(WHERE.sub("", line))
    if match is None:
        return None
    about, details = match.group(1), match.group(2) or ""
    fact = Fact(section, about, earlier=first.group(1) if first else "")
    if section == "Files":
        details, _, fact.changed_line = details.partition(CHANGE_SEPARATOR)
        for piece in details.split(", "):
            done = _DONE.match(piece)
            if done is None:
                return None
            fact.counts[done.group(1)] = int(done.group(2) or 1)
        return fact
    times, last = _TIMES.match(details), _LAST.search(details)
    fact.passed_since = details.endswith(f"{PASSED_SINCE})")
    fact.counts[""] = int(times.group(1)) if times else 1
    fact.outcome = last.group(1) if last else ""
    return fact


def left_out(counts: Mapping[str, int]) -> str:
    """Return the line for facts that do not fit in a summary; empty if there are none."""
    counted = [
        f"{number} {_NOUNS[section] if number > 1 else _NOUNS[section][:-1]}"
        for section, number in counts.items()
        if number
    ]
    return f"{LEFT_OUT} {', '.join(counted)}" if counted else ""


def left_out_before(messages: Sequence[Message]) -> Counter[str]:
    """Return section -> number of facts that did not fit in earlier summaries."""
    counts: Counter[str] = Counter()
    for message in messages:
        if message.origin == "summary":
            for line in message.text("text").splitlines():
                if line.startswith(f"- {LEFT_OUT} "):
                    for number, noun in _COUNTED.findall(line):
                        counts[next(section for section, plural in _NOUNS.items() if plural.startswith(noun))] += int(
                            number
                        )
    return counts
