"""Time order, judged from the messages of an output alone."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.model.message import Message
from compactor_cli.text.headers import covered


def check_time_order(messages: Sequence[Message]) -> None:
    """Kept messages stand in the order of the input, and none behind a summary of this round that stands for later
    ones."""
    latest = -1
    for message in messages:
        if message.index >= 0:
            assert message.index > latest, f"message {message.index} stands behind text of {latest}"
            latest = message.index
        elif message.origin == "summary":
            latest = max(latest, *covered(message.text("text")), -1)
