"""What summaries tell of calls and of their results, without values of secrets."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.features.work.calls import secrets_given
from compactor_cli.features.work.secret_words import hidden
from compactor_cli.model.message import Message, Part
from compactor_cli.model.pairing import Pairing, answered_calls
from compactor_cli.text.secret_values import without_secrets


def told_of_call(call: Part, text: str) -> str:
    """Return what is told of a call, or of what it came to, with `…` in place of values of secrets: of those that the
    text names, and of those that the call was given, as its result may say them again."""
    values = secrets_given(call)
    text = without_secrets(text)
    return hidden(text, values) if values else text


class ToldOfCalls:
    """Cuts values of secrets out of what is told of the calls of some messages, and of what these came to."""

    def __init__(self, messages: Sequence[Message], pairing: Pairing | None = None) -> None:
        """Take in the messages. `pairing`: that of the messages, where it is known."""
        self._standing: dict[int, list[Part]] = {}
        """Number of a message -> calls that stand on it, and those whose results do."""
        self._values: dict[int, list[str]] = {}
        for message, call, answer, _ in answered_calls(messages, pairing):
            for number in {message.number, answer.number if answer is not None else message.number}:
                self._standing.setdefault(number, []).append(call)

    def told(self, text: str, number: int) -> str:
        """Return a text that stands on the message of this number as it is told."""
        text = without_secrets(text)
        if number not in self._values:
            self._values[number] = [value for call in self._standing.get(number, ()) for value in secrets_given(call)]
        return hidden(text, self._values[number]) if self._values[number] else text
