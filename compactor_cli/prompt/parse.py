"""Parse the text of a `prompt.yaml` into a Prompt, after checking it against the schema in this package."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from typing import Any

from compactor_cli.errors import InputError, UsageError
from compactor_cli.prompt.definition import AFTER, BEFORE, Condition, Given, Prompt, PromptPart, Scalar, Segment
from compactor_cli.text.yaml_document import YamlDocument, YamlPath, read_document

_WIDTH = 60
"""Maximum characters of an invalid value in an error message."""

Read = Callable[[str], str]
"""Returns the text of a file that a prompt names. Raises InputError."""


def schema_text() -> str:
    """Return the JSON schema of `prompt.yaml` from this package."""
    return files("compactor_cli.prompt").joinpath("schema.json").read_text(encoding="utf-8")


def parse_prompt(text: str, path: str, read: Read) -> Prompt:
    """Return a prompt from YAML. Raises InputError with the line, the place and what is allowed."""
    document = read_document(text, path)
    _check_document(document)
    value: dict[str, Any] = document.value
    texts = _Texts(document, read)
    segments = tuple(_parse_segment(texts, index, segment) for index, segment in enumerate(value.get("segments", ())))
    _check_ids(document, segments)
    residuals = _parse_part(texts, "residuals", value["residuals"]) if "residuals" in value else None
    return Prompt(
        parts={name: _parse_part(texts, name, value[name]) for name in (*BEFORE, *AFTER) if name in value},
        residuals=(residuals.text or residuals.reserved) if residuals else None,
        context=value.get("context", {}),
        segments=segments,
        segment_tokens=_as_int(value.get("segment_tokens")),
        condensed=value.get("condensed", False),
    )


def context_options(options: tuple[str, ...]) -> dict[str, Scalar]:
    """Return `NAME=VALUE` options as a context; true, false and numbers are converted. Raises UsageError for an option
    in another form."""
    context = {}
    for option in options:
        name, sign, value = option.partition("=")
        if not name or not sign:
            raise UsageError(f"--context {option!r}: use NAME=VALUE, such as error_occurred=true")
        context[name] = _scalar(value)
    return context


def _scalar(text: str) -> Scalar:
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _check_document(document: YamlDocument) -> None:
    from jsonschema import Draft202012Validator

    def in_file_order(error: Any) -> tuple[int, int, str]:
        path = tuple(error.absolute_path)
        return document.lines.get(path, 0), -len(path), str(path)

    validator = Draft202012Validator(json.loads(schema_text()))
    first = min(validator.iter_errors(document.value), key=in_file_order, default=None)
    if first is not None:
        raise _to_input_error(document, first)


def _to_input_error(document: YamlDocument, error: Any) -> InputError:
    """Return a schema error as an InputError in this program's wording."""
    error_path = tuple(error.absolute_path)
    known_keys = error.schema.get("properties", {})
    if error.validator == "additionalProperties":
        unknown = next(key for key in error.instance if key not in known_keys)
        return document.error((*error_path, unknown), f"unknown key; known: {', '.join(known_keys)}")
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return document.error(error_path, f"{missing!r} is missing; known keys: {', '.join(known_keys)}")
    allowed = error.schema.get("description", "")
    return document.error(error_path, f"{_short_value(error.instance)} is not allowed here; use {allowed}")


def _short_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


class _Texts:
    """The texts of a prompt: given directly, or read from files that the prompt names."""

    def __init__(self, document: YamlDocument, read: Read) -> None:
        self._document = document
        self._read = read

    def of(self, key_path: YamlPath, value: Any) -> tuple[Given, str]:
        """Return the text of a string, of `{text: ...}` or of `{file: ...}`, preceded by which form it was."""
        kind: Given = "text"
        text = value["text"] if isinstance(value, dict) and "text" in value else value
        if isinstance(value, dict) and "file" in value:
            kind = "file"
            try:
                text = self._read(value["file"])
            except InputError as error:
                raise self._document.error(key_path, error.what) from None
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise self._document.error(key_path, "holds half of a surrogate pair, which no file can hold") from None
        return kind, text


def _parse_part(texts: _Texts, name: str, value: Any) -> PromptPart:
    size = value.get("tokens") if isinstance(value, dict) else value
    if isinstance(size, (int, float)):
        return PromptPart(name=name, given="tokens", reserved=int(size))
    kind, text = texts.of((name,), value)
    return PromptPart(name=name, given=kind, text=text)


def _parse_segment(texts: _Texts, index: int, value: dict[str, Any]) -> Segment:
    key_path = ("segments", index)
    condensed = value.get("condensed")
    return Segment(
        id=value["id"],
        text=texts.of(key_path, value)[1].strip("\n"),
        condensed=texts.of((*key_path, "condensed"), condensed)[1].strip("\n") if condensed is not None else None,
        when=tuple(
            c for name, wanted_value in value.get("when", {}).items() for c in _parse_conditions(name, wanted_value)
        ),
        priority=value.get("priority", 0),
        max_tokens=_as_int(value.get("max_tokens")),
    )


def _parse_conditions(name: str, wanted_value: Any) -> list[Condition]:
    if not isinstance(wanted_value, dict):
        return [Condition(name=name, test="is", wanted=(wanted_value,))]
    if "any" in wanted_value:
        return [Condition(name=name, test="any", wanted=tuple(wanted_value["any"]))]
    conditions = []
    if "at_least" in wanted_value:
        conditions.append(Condition(name=name, test="at_least", wanted=(wanted_value["at_least"],)))
    if "at_most" in wanted_value:
        conditions.append(Condition(name=name, test="at_most", wanted=(wanted_value["at_most"],)))
    return conditions


def _check_ids(document: YamlDocument, segments: tuple[Segment, ...]) -> None:
    seen_ids: set[str] = set()
    for index, segment in enumerate(segments):
        if segment.id in seen_ids:
            raise document.error(
                ("segments", index, "id"), f"{segment.id!r} is also the id of another segment; rename one"
            )
        seen_ids.add(segment.id)


def _as_int(value: float | None) -> int | None:
    """Return an int; the schema accepts 200.0 as an integer."""
    return None if value is None else int(value)
