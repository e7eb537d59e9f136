"""What summaries tell of calls and of their results, and lines of the state, without values of secrets."""

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
"""Files that are there for secrets."""
_SHOWS = frozenset(("git diff", "git show", "git blame"))
"""Commands that show lines of files."""


def shows_code(call: Part) -> bool:
    """Return whether a call reads, writes or searches files that are not there for secrets: what stands in them may be
    code, which names passwords and tokens and would say something else if it was cut."""
    paths = [path for path, _ in call_actions(call)]
    if any(map(_OF_SECRETS.search, paths)):
        return False
    command = command_of(call_arguments(call))
    return bool(paths) or searches(command) or any(" ".join(step.words[:2]) in _SHOWS for step in steps(command))


@remembered  # the plans that are tried quote the same lines
def code_without_secrets(text: str) -> str:
    """Return code with `…` in place of what looks like a key, or has a secret's name and was drawn by a machine."""
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
    """Return the values of secrets that a call was given; of code those that were drawn by a machine."""
    values = secrets_given(call)
    return list(filter(is_random, values)) if values and shows_code(call) else values


def told_of_call(call: Part, text: str) -> str:
    """Return what is told of a call, or of what it came to, with `…` in place of values of secrets: of those that the
    text names, and of those that the call was given, as its result may say them again."""
    return _told(text, _given(call), code=shows_code(call))


class ToldOfCalls:
    """Cuts values of secrets out of what is told of the calls of some messages, and of what these came to."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None) -> None:
        """Take in the messages. `pairing`: that of the messages, where it is known."""
        self._standing: dict[int, list[Part]] = {}
        """Number of a message -> calls that stand on it, and those whose results do."""
        self._values: dict[int, list[str]] = {}
        self.pairing = pairing or pair(messages)
        for message, call, answer, _ in answered_calls(messages, self.pairing):
            for number in {message.number, answer.number if answer is not None else message.number}:
                self._standing.setdefault(number, []).append(call)

    def told(self, text: str, number: int, *, code: bool = False) -> str:
        """Return a text that stands on the message of this number as it is told. `code`: it is of a file."""
        if number not in self._values:
            self._values[number] = [value for call in self._standing.get(number, ()) for value in _given(call)]
        return _told(text, self._values[number], code=code)


def without_secret_values(lines: Iterable[StateLine], calls: Sequence[ToolCall]) -> Iterator[StateLine]:
    """Yield lines with `…` in place of values of secrets, of those too that the calls were given that they stand on:
    their results may say them again."""
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
