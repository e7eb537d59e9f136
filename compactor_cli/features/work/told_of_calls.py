"""Remove secret values from what summaries show of calls, their results, and lines of the state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall, secrets_given
from compactor_cli.features.work.ledger import call_actions, call_arguments, command_of
from compactor_cli.features.work.looking_steps import searches
from compactor_cli.features.work.secret_arguments import secrets_of
from compactor_cli.features.work.secret_words import hidden
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, answered_calls, pair
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.cached import remembered
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import is_random, may_hold_secrets, without_keys, without_secrets
from compactor_cli.text.shell import steps

_OF_SECRETS = compiled_later(
    r"(?:^|/)(?:\.env(?:\.\w+)*|\.npmrc|\.netrc|\.pgpass|credentials|[\w.-]+\.(?:env|pem|tfvars))$"
)
"""Files whose purpose is to hold secrets."""
_SHOWS = frozenset(("git diff", "git show", "git blame"))
"""Commands that show lines of files."""


def shows_code(call: Part) -> bool:
    """Return whether a call reads, writes or searches files other than those for secrets. Their content may be code,
    which names passwords and tokens and would change its meaning if cut."""
    paths = [path for path, _ in call_actions(call)]
    if any(map(_OF_SECRETS.search, paths)):
        return False
    command = command_of(call_arguments(call))
    return bool(paths) or searches(command) or any(" ".join(step.words[:2]) in _SHOWS for step in steps(command))


@remembered  # candidate plans quote the same lines
def code_without_secrets(text: str) -> str:
    """Return code with `…` in place of what looks like a key, and of random values that have a secret's name."""
    if not may_hold_secrets(text):
        return text
    found: list[str] = []
    without_secrets(text, found)
    random = list(filter(is_random, found))
    text = without_keys(text)
    return hidden(text, random) if random else text


_without_secrets = remembered(without_secrets)


def _told(text: str, values: Sequence[str], *, code: bool = False) -> str:
    text = code_without_secrets(text) if code else _without_secrets(text)
    return hidden(text, values) if values else text


def _given(call: Part) -> Sequence[str]:
    """Return the secret values among a call's arguments; for calls about code, only those that look random."""
    values = secrets_given(call)
    return list(filter(is_random, values)) if values and shows_code(call) else values


def told_of_call(call: Part, text: str) -> str:
    """Return a text about a call or its result, with secret values replaced by `…`. These are the ones that the text
    names, and those among the call's arguments, since the result may repeat them."""
    return _told(text, _given(call), code=shows_code(call))


class ToldOfCalls:
    """Removes secret values from texts about the calls of some messages and their results."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None) -> None:
        """Take the messages. `pairing`: the pairing of the messages, if known."""
        self._standing: dict[int, list[Part]] = {}
        """Number of a message -> calls in the message, and calls whose results are in it."""
        self._values: dict[int, list[str]] = {}
        self.pairing = pairing or pair(messages)
        for message, call, answer, _ in answered_calls(messages, self.pairing):
            for number in {message.number, answer.number if answer is not None else message.number}:
                self._standing.setdefault(number, []).append(call)

    def told(self, text: str, number: int, *, code: bool = False) -> str:
        """Return a text about the message with this number, without secret values. `code`: the text comes from a
        file."""
        if number not in self._values:
            self._values[number] = [value for call in self._standing.get(number, ()) for value in _given(call)]
        return _told(text, self._values[number], code=code)


def without_secret_values(lines: Iterable[StateLine], calls: Sequence[ToolCall]) -> Iterator[StateLine]:
    """Yield lines with secret values replaced by `…`. This includes the arguments of the calls that a line refers
    to, since their results may repeat them."""
    standing: dict[int, list[ToolCall]] = {}
    for call in calls:
        standing.setdefault(call.message, []).append(call)
    known: dict[int, list[str]] = {}
    for line in lines:
        if line.kind == "file":
            yield line
            continue
        at = line.message
        if at not in known:
            given = (secrets_of(call.tool, call.arguments, call.command) for call in standing.get(at, ()))
            known[at] = [value for values in given for value in values]
        text = _told(line.text, known[at])
        brief = text if line.brief == line.text else _told(line.brief, known[at])
        yield line if (text, brief) == (line.text, line.brief) else replace(line, text=text, brief=brief)
