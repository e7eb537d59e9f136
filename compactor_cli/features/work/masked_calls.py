"""Remove secret values from what summaries show of calls, their results, and lines of the state."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from compactor_cli.features.work.calls import ToolCall, call_secrets
from compactor_cli.features.work.ledger import call_actions, call_arguments, command_of
from compactor_cli.features.work.looking_steps import is_search
from compactor_cli.features.work.secret_arguments import secrets_in_arguments
from compactor_cli.features.work.secret_words import mask_values
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, answered_calls, pair_calls
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import is_random, mask_keys, mask_secrets, may_hold_secrets
from compactor_cli.text.shell import parse_steps

_SECRET_FILE = compiled_later(
    r"(?:^|/)(?:\.env(?:\.\w+)*|\.npmrc|\.netrc|\.pgpass|credentials|[\w.-]+\.(?:env|pem|tfvars))$"
)
"""Files whose purpose is to hold secrets."""
_CODE_SHOWING_COMMANDS = frozenset(("git diff", "git show", "git blame"))
"""Commands that show lines of files."""


def concerns_code(call: Part) -> bool:
    """Return whether a call reads, writes or searches files other than those for secrets. Their content may be code,
    which names passwords and tokens and would change its meaning if cut."""
    paths = [path for path, _ in call_actions(call)]
    if any(map(_SECRET_FILE.search, paths)):
        return False
    command = command_of(call_arguments(call))
    return (
        bool(paths)
        or is_search(command)
        or any(" ".join(step.words[:2]) in _CODE_SHOWING_COMMANDS for step in parse_steps(command))
    )


@cache_by_text  # candidate plans quote the same lines
def mask_code(text: str) -> str:
    """Return code with `…` in place of what looks like a key, and of random values that have a secret's name."""
    if not may_hold_secrets(text):
        return text
    found: list[str] = []
    mask_secrets(text, found)
    random = list(filter(is_random, found))
    text = mask_keys(text)
    return mask_values(text, random) if random else text


_without_secrets = cache_by_text(mask_secrets)


def _mask_text(text: str, values: Sequence[str], *, code: bool = False) -> str:
    text = mask_code(text) if code else _without_secrets(text)
    return mask_values(text, values) if values else text


def _secrets_of_call(call: Part) -> Sequence[str]:
    """Return the secret values among a call's arguments; for calls about code, only those that look random."""
    values = call_secrets(call)
    return list(filter(is_random, values)) if values and concerns_code(call) else values


def mask_call_text(call: Part, text: str) -> str:
    """Return a text about a call or its result, with secret values replaced by `…`. These are the ones that the text
    names, and those among the call's arguments, since the result may repeat them."""
    return _mask_text(text, _secrets_of_call(call), code=concerns_code(call))


class CallMasker:
    """Removes secret values from texts about the calls of some messages and their results."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None) -> None:
        """Take the messages. `pairing`: the pairing of the messages, if known."""
        self._calls_by_message: dict[int, list[Part]] = {}
        """Number of a message -> calls in the message, and calls whose results are in it."""
        self._values: dict[int, list[str]] = {}
        self.pairing = pairing or pair_calls(messages)
        for message, call, answer, _ in answered_calls(messages, self.pairing):
            for number in {message.number, answer.number if answer is not None else message.number}:
                self._calls_by_message.setdefault(number, []).append(call)

    def mask(self, text: str, number: int, *, code: bool = False) -> str:
        """Return a text about the message with this number, without secret values. `code`: the text comes from a
        file."""
        if number not in self._values:
            self._values[number] = [
                value for call in self._calls_by_message.get(number, ()) for value in _secrets_of_call(call)
            ]
        return _mask_text(text, self._values[number], code=code)


def mask_state_lines(lines: Iterable[StateLine], calls: Sequence[ToolCall]) -> Iterator[StateLine]:
    """Yield lines with secret values replaced by `…`. This includes the arguments of the calls that a line refers
    to, since their results may repeat them."""
    calls_by_message: dict[int, list[ToolCall]] = {}
    for call in calls:
        calls_by_message.setdefault(call.message, []).append(call)
    secrets_by_message: dict[int, list[str]] = {}
    for line in lines:
        if line.kind == "file":
            yield line
            continue
        message = line.message
        if message not in secrets_by_message:
            call_values = (
                secrets_in_arguments(call.tool, call.arguments, call.command)
                for call in calls_by_message.get(message, ())
            )
            secrets_by_message[message] = [value for values in call_values for value in values]
        text = _mask_text(line.text, secrets_by_message[message])
        brief = text if line.brief == line.text else _mask_text(line.brief, secrets_by_message[message])
        yield line if (text, brief) == (line.text, line.brief) else replace(line, text=text, brief=brief)
