"""The agent's texts before requests, with its later statements about the same figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from compactor_cli.features.lines import SessionLines
from compactor_cli.model.message import Message
from compactor_cli.text.later_figures import later_on_figures


def find_corrections(
    messages: Sequence[Message],
    lines: SessionLines,
    answer_lines: Sequence[list[int]],
    speech_of: Callable[[int], list[int]],
) -> dict[int, list[int]]:
    """Return the agent's later lines that may correct an answer, by the index of the answer in `answer_lines`.
    `speech_of`: returns the lines of a message that hold words."""
    answer_of_message = {lines.message_of(answer[0]): number for number, answer in enumerate(answer_lines) if answer}
    if not answer_of_message:
        return {}
    statements: list[tuple[int, str]] = []
    statement_lines: list[list[int]] = []
    corrected: dict[int, list[int]] = {}
    answer_of_statement: dict[int, int] = {}
    """Index of an answer in `statements`, where it is the first entry of its message -> its index in `answer_lines`."""
    for message in messages:
        if message.role != "assistant" or message.origin == "summary":
            continue
        speech = speech_of(message.index)
        whole_answer = answer_lines[answer_of_message[message.index]] if message.index in answer_of_message else []
        if whole_answer:
            answer_of_statement[len(statements)] = answer_of_message[message.index]
        for part_lines in filter(None, (whole_answer, *([line] for line in speech))):
            statements.append((message.index, " ".join(map(lines.text, part_lines))))
            statement_lines.append(part_lines)
    later = later_on_figures(statements, answer_of_statement)
    for index, number in answer_of_statement.items():
        if later[index]:
            corrected[number] = sorted({*chain.from_iterable(statement_lines[other] for other in later[index])})
    return corrected
