"""`prompt.yaml`: the parts of a prompt besides the conversation, as texts, files or given sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from compactor_cli.errors import InputError
from compactor_cli.model.budget import FixedParts

PARTS = ("system_prompt", "agent_identity", "task_prompt", "actions", "system_llm", "current_message")


def read_prompt(path: str, count: Callable[[str], int], system_tokens: int) -> tuple[FixedParts, int | None]:
    """Sizes of the fixed parts, and that of the residuals where the file gives it.

    Each part is `{tokens: N}`, `{text: ...}`, `{file: PATH}`, or simply a number or a text. A part
    that is not named is empty; the system prompt is then the one of the transcript.
    """
    import yaml

    try:
        value = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", path=path) from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        raise InputError(f"not YAML: {error}", path=path, line=mark.line + 1 if mark else None) from None
    if not isinstance(value, dict):
        raise InputError("must be a mapping of parts to sizes or texts", path=path)
    unknown = sorted(set(map(str, value)) - {*PARTS, "residuals"})
    if unknown:
        raise InputError(f"unknown part {unknown[0]!r}; known: {', '.join((*PARTS, 'residuals'))}", path=path)
    sizes = {name: _size(path, name, part, count) for name, part in value.items()}
    residuals = sizes.pop("residuals", None)
    sizes.setdefault("system_prompt", system_tokens)
    return FixedParts(**sizes), residuals


def _size(path: str, name: str, part: Any, count: Callable[[str], int]) -> int:
    if isinstance(part, dict) and len(part) == 1:
        kind, value = next(iter(part.items()))
        if kind == "file" and isinstance(value, str):
            try:
                return count((Path(path).parent / value).read_text(encoding="utf-8"))
            except (OSError, UnicodeDecodeError) as error:
                raise InputError(f"{name}: file {value!r} cannot be read: {error}", path=path) from None
        if (kind, type(value)) in (("tokens", int), ("text", str)):
            part = value
    if isinstance(part, bool) or not isinstance(part, (int, str)) or (isinstance(part, int) and part < 0):
        raise InputError(f"{name}: give a number of tokens, a text, or one of tokens, text, file", path=path)
    return part if isinstance(part, int) else count(part)
