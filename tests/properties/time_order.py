"""Check time order from the messages of an output alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from compactor_cli.model.message import Message
from compactor_cli.summary_text.headers import covered


def check_time_order(messages: Sequence[Message], places: Mapping[int, int] | None = None) -> None:
    """Assert that kept messages are in the order of the input, and that none comes after a summary of this round that
    stands for later ones. `places`: number -> last place in the repaired transcript, if a repair has shifted it."""
    latest = -1
    for message in messages:
        if message.index >= 0:
            assert message.index > latest, f"message {message.index} stands behind text of {latest}"
            latest = message.index
        elif message.origin == "summary":
            numbers = covered(message.text("text"))
            # a range may include messages that a repair removed
            latest = max(latest, *(number if places is None else places.get(number, -1) for number in numbers), -1)
