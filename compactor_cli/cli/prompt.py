"""Read `prompt.yaml` and the files that it names; `compactor_cli/prompt` interprets them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from compactor_cli.cli.files import check_ends
from compactor_cli.errors import InputError
from compactor_cli.prompt.definition import Prompt
from compactor_cli.prompt.parse import context_options, parse_prompt


def read_prompt(path: str, context: Sequence[str] = ()) -> tuple[Prompt, list[str]]:
    """Return the prompt described by a file, and all files read for it, by paths relative to it. `context`: options
    `NAME=VALUE`. Raises InputError for anything that cannot be read or used."""
    variables = context_options(tuple(context))
    files = [path]

    def read(name: str) -> str:
        file = Path(path).parent / name
        files.append(str(file))
        try:
            return _text(file)
        except InputError as error:
            raise InputError(f"file {name!r} {error.what}") from None

    try:
        prompt = parse_prompt(_text(Path(path)), path, read)
    except InputError as error:
        raise error if error.path else error.at(path) from None
    return replace(prompt, context={**prompt.context, **variables}), files


def _text(path: Path) -> str:
    try:
        check_ends(str(path))
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"is not UTF-8: {error.reason} at byte {error.start + 1}") from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}") from None
    except ValueError as error:  # a path that contains a NUL character
        raise InputError(f"cannot be read: {error}") from None
