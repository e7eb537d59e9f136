"""Make statements self-contained: replace pronouns and references by what they refer to (seed 003)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from compactor_cli.asking.answers import Question, RejectedError, ask_checked, estimate_tokens, read_json
from compactor_cli.asking.fence import fenced
from compactor_cli.asking.port import LanguageModel, ModelRequest, Turn
from compactor_cli.asking.prompt_files import read_prompt_file as read_prompt
from compactor_cli.memory.loose_references import refers_back, resolution_fault
from compactor_cli.model.message import Message
from compactor_cli.text.clean import one_line, plain
from compactor_cli.text.shorten import shorten_prose

_prompt = partial(read_prompt, "compactor_cli.memory")

MAX_TURNS = 6
"""Number of turns before a statement that may show what it refers to (seed 003)."""
_TURN_LIMITS = (1_000, 500, 200)
"""Maximum characters of a turn that are sent; the first limit that fits the model is used."""
_MAX_STATEMENT_CHARS = 500
_ANSWER_TOKENS = 60
"""Tokens of an answer in addition to the statement."""

_SCHEMA: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["statement"],
    "properties": {"statement": {"type": "string"}},
}


class DependentLine(Struct, frozen=True):
    """A statement to be made self-contained, and the messages before it, in order."""

    text: str
    context: Sequence[Message]
    speaker: str = ""
    lead: str = ""
    """What the same message says before the statement."""


class Resolved(Struct, frozen=True):
    """A statement, self-contained as far as possible."""

    text: str
    original: str
    changed: bool
    reason: str
    """What was done, or why nothing was done, in words for people."""


def statements_of(messages: Sequence[Message], indices: Iterable[int]) -> tuple[DependentLine, ...]:
    """Return a line of at most 500 characters per message, each with the last six turns that contain speech."""
    spoken = [m for m in messages if _is_spoken(m)]
    places = [m.index for m in spoken]
    statements = []
    for message in (messages[i] for i in indices):
        position = bisect_left(places, message.index)
        before = tuple(spoken[max(0, position - MAX_TURNS) : position])
        statements.append(DependentLine(one_line(message.text("text"), _MAX_STATEMENT_CHARS), before, message.role))
    return tuple(statements)


def decontextualize(statements: Sequence[DependentLine], model: LanguageModel) -> tuple[Resolved, ...]:
    """Return the statements in order, resolved where possible. Self-contained statements are not sent. A statement
    stays unchanged if the model fails or resolves it wrongly twice. Raises ModelError if fallback is not allowed."""
    resolved = {
        index: Resolved(statement.text, statement.text, False, why)
        for index, statement in enumerate(statements)
        if (why := _unchanged_reason(statement))
    }
    open_ones = [index for index in range(len(statements)) if index not in resolved]
    questions = [
        Question(_make_request(statements[index], model), partial(_read_statement, statements[index]))
        for index in open_ones
    ]
    unresolved: dict[str, int] = {}
    for index, answer in zip(open_ones, ask_checked(model, questions), strict=True):
        text = statements[index].text
        if answer.value is None:
            unresolved[answer.why] = unresolved.get(answer.why, 0) + 1
            resolved[index] = Resolved(text, text, False, f"not resolved: {answer.why}")
        elif answer.value == text:
            resolved[index] = Resolved(text, text, False, "nothing before it says what it refers to")
        else:
            resolved[index] = Resolved(answer.value, text, True, "references resolved")
    for why, count in unresolved.items():
        model.give_up(f"resolution of {count} statement{'s' * (count > 1)}", why)
    return tuple(resolved[index] for index in range(len(statements)))


def _is_spoken(message: Message) -> bool:
    """Return whether somebody speaks in this turn, as opposed to tool output and injected text."""
    if message.role not in ("user", "assistant") or message.origin not in ("request", "other"):
        return False
    return bool(message.text("text").strip())


def _unchanged_reason(statement: DependentLine) -> str:
    """Return why a statement needs no model; empty if it needs one."""
    if not refers_back(statement.text):
        return "stands alone"
    before = statement.lead or any(map(_is_spoken, statement.context))
    return "" if before else "nothing was said before it"


def _make_request(statement: DependentLine, model: LanguageModel) -> ModelRequest:
    """Return a request with the statement, preceded by as much of the earlier turns as the model can take."""
    system, directive = _prompt("decontextualize"), _prompt("directive")
    fenced_statement = fenced("statement", statement.text, **{"from": statement.speaker})
    answer_tokens = _ANSWER_TOKENS + 3 * estimate_tokens(statement.text)
    context_tokens = model.context_limit - answer_tokens - estimate_tokens(system + directive + fenced_statement)
    turns: list[str] = []
    for cut in _TURN_LIMITS:
        turns = [_turn(message.role, message.text("text"), cut) for message in _context_turns(statement)]
        turns += [_turn(statement.speaker, statement.lead, cut)] if statement.lead else []
        if sum(map(estimate_tokens, turns)) <= context_tokens:
            break
    data = "\n".join((*turns, fenced_statement))
    purpose = f"resolution of “{one_line(statement.text, 40)}”"
    return ModelRequest(purpose, system, (Turn("user", f"{data}\n\n{directive}"),), answer_tokens, _SCHEMA)


def _context_turns(statement: DependentLine) -> list[Message]:
    return [message for message in statement.context if _is_spoken(message)][-MAX_TURNS:]


def _turn(role: str, words: str, cut: int) -> str:
    text = plain(words).strip()
    short = text if len(text) <= cut else shorten_prose(text, len(text), cut, len).text
    return fenced("message", short, **{"from": role})


def _read_statement(statement: DependentLine, text: str) -> str:
    """Return the statement in an answer. Raises RejectedError if its meaning is no longer that of the original."""
    resolved = plain(str(read_json(text, _SCHEMA)["statement"])).strip()
    if " ".join(resolved.split()) == " ".join(statement.text.split()):
        return statement.text
    context = "\n".join([*(plain(m.text("text")) for m in _context_turns(statement)), plain(statement.lead)])
    wrong = resolution_fault(resolved, statement.text, context)
    if wrong:
        raise RejectedError(wrong)
    return resolved
