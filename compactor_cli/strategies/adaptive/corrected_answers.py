"""The agent's texts before requests, with its later statements about the same figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.text.later_figures import later_on_figures


def corrections(
    messages: Sequence[Message],
    lines: SessionLines,
    told: Sequence[list[int]],
    speech_of: Callable[[int], list[int]],
) -> dict[int, list[int]]:
    """Return the agent's later lines that may correct an answer, by the index of the answer in `told`. `speech_of`:
    returns the lines of a message that hold words."""
    number_of = {lines.message(answer[0]): number for number, answer in enumerate(told) if answer}
    if not number_of:
        return {}
    said: list[tuple[int, str]] = []
    places: list[list[int]] = []
    corrected: dict[int, list[int]] = {}
    answers: dict[int, int] = {}
    """Index of an answer in `said`, where it is the first entry of its message -> its index in `told`."""
    for message in messages:
        if message.role != "assistant" or message.origin == "summary":
            continue
        speech = speech_of(message.index)
        whole = told[number_of[message.index]] if message.index in number_of else []
        if whole:
            answers[len(said)] = number_of[message.index]
        for some in filter(None, (whole, *([line] for line in speech))):
            said.append((message.index, " ".join(map(lines.text, some))))
            places.append(some)
    later = later_on_figures(said, answers)
    for at, number in answers.items():
        if later[at]:
            corrected[number] = sorted({*chain.from_iterable(places[other] for other in later[at])})
    return corrected
