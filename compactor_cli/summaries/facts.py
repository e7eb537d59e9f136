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

from msgspec import Struct, field

from compactor_cli.features.work.earlier_rounds import files_in_state
from compactor_cli.features.work.endings import has_failed
from compactor_cli.features.work.ledger import (
    ACTIONS,
    call_actions,
    call_arguments,
    command_of,
    compute_ledger,
    format_references,
    implies_existed,
)
from compactor_cli.features.work.looking_steps import is_only_looking
from compactor_cli.features.work.masked_calls import CallMasker
from compactor_cli.features.work.same_paths import KnownPaths
from compactor_cli.features.work.secret_words import mask_command
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, PartIndex
from compactor_cli.summaries.outline import FACTS, cells
from compactor_cli.summary_text.state_line import PASSED_SINCE
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later

MESSAGE_MARKS = compiled_later(r"(?: \[(?:earlier|(?:earlier )?#[^\]]*)\])+$")
_FIRST_NUMBERS = compiled_later(r"\[(?:earlier )?#([^\]]*)\]")
_SUBJECT = compiled_later(r"`(.+)`(?: (.*))?$", re.DOTALL)
_COUNTED_ACTION = compiled_later(rf"({'|'.join(ACTIONS)})(?: (\d+)x)?$")
_COUNT = compiled_later(r"\((\d+)x\b")
_LAST_OUTCOME = compiled_later(r"\blast (ok|failed)\b")
_OUTPUT_LIMIT = compiled_later(r"(?:\s*2>(?:&1|\s*/dev/null)|\s*\|&?\s*(?:head|tail)(?:\s+-[-\w=]+|\s+\d+)*)+\s*$")
_HERE_DOCUMENT = compiled_later(
    r"(<<-?\s*['\"]?(\w+)['\"]?[^\n]*)(\n[^\n]*)\n(?!\s*\2[ \t]*$).*?\n\s*\2[ \t]*$", re.DOTALL | re.MULTILINE
)
_MAX_SEARCHED_CHARS = 4_000

_MAX_COMMAND_CHARS = 160
LEFT_OUT = "Left out for want of room:"
_NOUNS = {"Files": "file", "Errors": "error", "Commands": "command"}
_COUNTED = compiled_later(r"(\d+) (file|error|command)")


class Fact(Struct):
    """The known facts about one file, command or error."""

    section: str
    subject: str
    counts: dict[str, int] = field(default_factory=dict)
    """Counts by action for a file, in order of the last occurrence; otherwise under the empty string."""
    outcome: str = ""
    passed_since: bool = False
    earlier_numbers: str = ""
    messages: list[int] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Return the messages that the fact is based on, of this round and of the first one."""
        earlier = [f"[earlier #{self.earlier_numbers}]"] if self.earlier_numbers else []
        return " ".join([*earlier, *([format_references(self.messages)] if self.messages else [])])

    @property
    def text(self) -> str:
        if self.section == "Files":
            return f"`{self.subject}` {self.actions}"
        times = sum(self.counts.values())
        notes = [f"{times}x"] if times > 1 else []
        notes += [f"last {self.outcome}"] if self.outcome else []
        notes += [PASSED_SINCE] if self.passed_since else []
        return f"`{self.subject}`{' (' + ', '.join(notes) + ')' if notes else ''}"

    @property
    def actions(self) -> str:
        """Return the actions on a file, the latest change last: `restored, edited 3x, read`."""
        known = sorted(self.counts.items(), key=lambda item: item[0] == "read")
        return ", ".join(f"{action} {times}x" if times > 1 else action for action, times in known)

    @property
    def is_change(self) -> bool:
        """Return whether the fact is about a file that was created, edited or deleted."""
        return self.section == "Files" and not self.only_read

    def is_among(self, paths: Collection[str]) -> bool:
        """Return whether the fact is about a change of one of these files, whose paths may be relative."""
        return self.is_change and any(f"/{self.subject}".endswith(f"/{path}") for path in paths)

    @property
    def only_read(self) -> bool:
        return self.section == "Files" and set(self.counts) == {"read"}


def collect_facts(
    messages: Sequence[Message], masker: CallMasker, earlier: Iterable[tuple[str, str]], resolved: Set[int]
) -> list[Fact]:
    """Return the facts in order of their first appearance. `earlier`: lines of earlier summaries by section.
    `resolved`: indices of messages with failures that a later call made up for."""
    facts: dict[tuple[str, str], Fact] = {}
    for section, line in [*earlier, *_state_file_lines(messages, {line.rpartition("`")[0] for _, line in earlier})]:
        fact = parse_fact(section, line)
        if fact is not None:
            stored = facts.setdefault(
                (section, fact.subject), Fact(section, fact.subject, earlier_numbers=fact.earlier_numbers)
            )
            for action, times in fact.counts.items():
                stored.counts[action] = stored.counts.pop(action, 0) + times
            stored.outcome = fact.outcome or stored.outcome
            stored.passed_since = fact.passed_since

    resolved_numbers = _message_numbers(messages, masker.pairing, resolved) if resolved else frozenset()

    def add(section: str, fact_subject: str, action: str, numbers: Sequence[int], outcome: str = "") -> None:
        stored_fact = facts.setdefault((section, fact_subject), Fact(section, fact_subject))
        stored_fact.counts[action] = stored_fact.counts.pop(action, 0) + len(numbers)
        stored_fact.messages += numbers
        stored_fact.outcome = outcome
        stored_fact.passed_since = outcome in ("", "failed") and section != "Files" and numbers[-1] in resolved_numbers

    ledger = compute_ledger(messages, masker.pairing)
    paths = KnownPaths((subject for section, subject in facts if section == "Files"), min_parts=2)
    for path, file in ledger.files.items():
        subject = paths.known(path)
        earlier_counts = facts[("Files", subject)].counts if ("Files", subject) in facts else {}
        existed_before = "created" not in earlier_counts and implies_existed(earlier_counts)  # in an earlier round
        for action in sorted(file.actions, key=lambda action: (file.actions[action][-1], ACTIONS.index(action))):
            add("Files", subject, "edited" if existed_before and action == "created" else action, file.actions[action])
    for command in ledger.commands:
        if is_only_looking(command.text):
            continue
        outcome = {True: "failed", False: "ok", None: ""}[command.failed]
        add("Commands", shown_command(mask_command(command.text)), "", [command.message], outcome)
    for line, numbers in ledger.errors:
        add("Errors", reduce(masker.mask, numbers, line), "", list(numbers))
    return list(facts.values())


def _state_file_lines(messages: Sequence[Message], known_beginnings: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield lines for the files that earlier summaries mention only in their state block."""
    for message in messages:
        if message.origin == "summary":
            files = files_in_state(message.text("text"))
            yield from (
                ("Files", f"`{path}` {actions}") for path, actions in files if f"`{path}" not in known_beginnings
            )


def _message_numbers(messages: Sequence[Message], pairing: Pairing, results: Set[int]) -> frozenset[int]:
    """Return the numbers of the messages with only the given failed results, and of those with their calls."""
    answers = pairing.call_of.items()
    failed = [
        (index, call_message) for (index, part), (call_message, _) in answers if has_failed(messages[index].parts[part])
    ]
    failures = Counter(messages[index].number for pair in failed for index in set(pair))
    resolved = (index for pair in failed if messages[pair[0]].index in results for index in pair)
    return frozenset(number for number in (messages[index].number for index in resolved) if failures[number] == 1)


def file_results(messages: Sequence[Message], pairing: Pairing) -> frozenset[PartIndex]:
    """Return the results that only show files: events in a file's text did not happen in the session."""
    return frozenset(
        (messages[index].index, position)
        for (index, position), (call_message, call) in pairing.call_of.items()
        if _only_reads(messages[call_message].parts[call])
    )


def _only_reads(call: Part) -> bool:
    call_kinds = {action for _, action in call_actions(call)}
    return call_kinds == {"read"} and is_only_looking(command_of(call_arguments(call)))


def shown_command(command: str) -> str:
    """Return a command line for a summary: on one line, without parts that only limit its output."""
    command = _HERE_DOCUMENT.sub(r"\1\3 …", command[:_MAX_SEARCHED_CHARS]) + command[_MAX_SEARCHED_CHARS:]
    return one_line(_OUTPUT_LIMIT.sub("", command), _MAX_COMMAND_CHARS)


def line_of_row(row: str) -> str:
    """Return a row of the table of files as a line for `parse_fact`."""
    subject, actions, *rest = cells(row)
    marks = MESSAGE_MARKS.search(f" {' '.join(rest)}")
    return f"{subject} {actions}{marks[0] if marks else ''}"


def parse_fact(section: str, line: str) -> Fact | None:
    """Return the fact in a line (without its bullet) of an earlier summary; None if there is none."""
    if section not in FACTS:
        return None
    first = _FIRST_NUMBERS.search(line, max(0, line.rfind("`")))
    match = _SUBJECT.match(MESSAGE_MARKS.sub("", line))
    if match is None:
        return None
    subject, details = match.group(1), match.group(2) or ""
    fact = Fact(section, subject, earlier_numbers=first.group(1) if first else "")
    if section == "Files":
        for piece in details.split(", "):
            action = _COUNTED_ACTION.match(piece)
            if action is None:
                return None
            fact.counts[action.group(1)] = int(action.group(2) or 1)
        return fact
    times, last_outcome = _COUNT.match(details), _LAST_OUTCOME.search(details)
    fact.passed_since = details.endswith(f"{PASSED_SINCE})")
    fact.counts[""] = int(times.group(1)) if times else 1
    fact.outcome = last_outcome.group(1) if last_outcome else ""
    return fact


def left_out_line(counts: Mapping[str, int]) -> str:
    """Return the line for facts that do not fit in a summary; empty if there are none."""
    counted = [f"{number} {_NOUNS[section]}{'s' * (number > 1)}" for section, number in counts.items() if number]
    return f"{LEFT_OUT} {', '.join(counted)}" if counted else ""


def earlier_left_out(messages: Sequence[Message]) -> Counter[str]:
    """Return section -> number of facts that did not fit in earlier summaries."""
    section_of_noun = {noun: section for section, noun in _NOUNS.items()}
    counts: Counter[str] = Counter()
    for text in (message.text("text") for message in messages if message.origin == "summary"):
        for line in text.splitlines():
            if line.startswith(f"- {LEFT_OUT} "):
                counts.update({section_of_noun[noun]: int(number) for number, noun in _COUNTED.findall(line)})
    return counts
