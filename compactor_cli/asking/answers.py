"""Structured answers of a model: requested, checked, and requested once more with the reason if unusable."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, NoReturn, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.asking.port import LanguageModel, ModelAnswer, ModelRequest, Turn

T = TypeVar("T")

_FENCE = re.compile(r"\s*```\w*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)


class RejectedError(Exception):
    """An unusable answer. The text gives the reason, for the model and for people."""


class Question(Struct, Generic[T], frozen=True):
    """A request and a function that reads its answer. `read` raises RejectedError for an unusable answer."""

    request: ModelRequest
    read: Callable[[str], T]


class CheckedAnswer(Struct, Generic[T], frozen=True):
    """The value read from an answer, or the reason why there is none."""

    value: T | None
    why: str = ""


def ask_checked(model: LanguageModel, questions: Sequence[Question[T]]) -> list[CheckedAnswer[T]]:
    """Return the answers in order. All questions are asked at once, and all unusable answers are then requested once
    more. Failed requests are not repeated, since the model has already retried them."""
    if not questions:
        return []
    answers = model.ask([question.request for question in questions])
    results = [_read_answer(question, answer) for question, answer in zip(questions, answers, strict=True)]
    retried = [index for index, question in enumerate(results) if question.value is None and not answers[index].failure]
    if retried:
        repeated = [_retry_request(model, questions[i].request, answers[i], results[i].why) for i in retried]
        for index, request, answer in zip(retried, repeated, model.ask(repeated), strict=True):
            results[index] = _read_answer(Question(request, questions[index].read), answer)
    return results


def _read_answer(question: Question[T], answer: ModelAnswer) -> CheckedAnswer[T]:
    if answer.failure:
        return CheckedAnswer(None, answer.failure)
    if answer.finish == "length":
        return CheckedAnswer(None, f"the answer was cut off at {question.request.max_tokens:,} tokens")
    if not answer.text.strip():
        return CheckedAnswer(None, "a tool was called" if answer.finish == "tool" else "the answer was empty")
    try:
        return CheckedAnswer(question.read(answer.text))
    except RejectedError as rejected:
        return CheckedAnswer(None, str(rejected))


def _retry_request(model: LanguageModel, request: ModelRequest, answer: ModelAnswer, why: str) -> ModelRequest:
    """Return the request with the reason appended, and with more tokens if the answer was cut off."""
    *before, last = request.turns
    text = f"{last.text}\n\nAn earlier answer could not be used: {why}. Answer again, in the form asked for."
    max_tokens = request.max_tokens
    if answer.finish == "length":
        prompt_tokens = sum(estimate_tokens(turn.text) for turn in (*before, Turn(last.role, text))) + estimate_tokens(
            request.system
        )
        max_tokens = max(max_tokens, min(2 * max_tokens, model.context_limit - prompt_tokens))
    return replace(request, turns=(*before, Turn(last.role, text)), max_tokens=max_tokens)


def read_json(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the JSON value of an answer, which may be in a code block or within a sentence. Raises RejectedError if
    there is none or if it does not match the schema."""
    import jsonschema  # slow to import, and only needed when a model is asked

    value = _parse_json(text)
    wrong = min(jsonschema.Draft202012Validator(dict(schema)).iter_errors(value), key=_error_depth, default=None)
    if wrong is not None:
        # without the offending value, which may come from the transcript
        where = wrong.json_path.removeprefix("$").removeprefix(".")
        requirement = f"its schema says {wrong.validator} {json.dumps(wrong.validator_value)}"
        raise RejectedError(f"{where or 'the JSON'} does not have the requested form: {requirement}")
    return value


def _error_depth(error: Any) -> tuple[int, str]:
    return len(error.absolute_path), error.json_path


def _parse_json(text: str) -> Any:
    fence = _FENCE.fullmatch(text)
    inner = fence[1] if fence else text
    start, end = inner.find("{"), inner.rfind("}")
    for piece in (inner, inner[start : end + 1]):
        try:
            return json.loads(piece, parse_constant=_reject_constant)
        except (ValueError, RecursionError):
            continue
    raise RejectedError("it is not valid JSON")


def _reject_constant(name: str) -> NoReturn:
    raise ValueError(name)


def estimate_tokens(text: str) -> int:
    """Return an upper estimate of a text's tokens for almost any vocabulary: three ASCII characters per token, and
    two tokens per other character."""
    ascii_only = len(text.encode("ascii", "ignore"))
    return -(-ascii_only // 3) + 2 * (len(text) - ascii_only)
