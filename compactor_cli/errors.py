"""Exit codes, and the exceptions that carry them to the single error handler of the command line."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of the process; documented in docs/cli.md and relied on by scripts."""

    OK = 0
    NO = 1
    USAGE = 2
    UNREADABLE = 3
    BUDGET = 4
    MODEL = 5
    STORE = 6
    BUG = 70
    INTERRUPTED = 130


def bug_message(error: Exception) -> str:
    """Return the message for an unexpected error."""
    return f"{BUG}: {type(error).__name__}: {error}"


BUG = "this is a bug"
BUG_REMEDY = "Run again with --debug and report the traceback."
"""What to do about an unexpected error."""


def meant(word: str, known_names: Iterable[str]) -> str:
    """Return a suggestion for an unknown name, with the most similar known one: ` (did you mean adaptive?)`."""
    from difflib import get_close_matches

    near = get_close_matches(word.lower(), [name for name in known_names if name], n=1)
    return f" (did you mean {near[0]}?)" if near else ""


NEEDS_MODEL = "needs a model; name one with --llm-model, such as openai/gpt-4o-mini or ollama/llama3.2"
"""What to do if a model is needed and none is named."""


class CompactorError(Exception):
    """An expected failure. Its text is meant for people and says what to do."""

    exit_code = ExitCode.BUG


class UsageError(CompactorError):
    """An unusable option or setting. Names the option and what is allowed."""

    exit_code = ExitCode.USAGE


class SettingsError(UsageError):
    """Unusable settings. Names the file, variable or option, the key, and what is allowed."""


class InputError(CompactorError):
    """Unreadable input. `str()` gives ``file:line: what is wrong; what to do``."""

    exit_code = ExitCode.UNREADABLE

    def __init__(self, what: str, *, path: str = "", line: int | None = None) -> None:
        self.what, self.path, self.line = what, path, line
        super().__init__(what)

    def __str__(self) -> str:
        path = self.path or "-"
        if self.line is not None:
            path = f"{path}:{self.line}"
        return f"{path}: {self.what}"

    def at(self, path: str) -> InputError:
        """Return the same error with the file's name filled in."""
        return InputError(self.what, path=path, line=self.line)


class AccessError(InputError):
    """Input that exists but that the system does not allow to be read."""


class BudgetError(CompactorError):
    """No valid output fits. `floor`: the smallest possible size in tokens. `items`: what takes it up. `subject`: the
    part of a file that does not fit, as the beginning of a sentence. `enough`: the target that would suffice for the
    other parts as well; 0 if that is not larger."""

    exit_code = ExitCode.BUDGET

    def __init__(
        self,
        target: int,
        floor: int,
        items: tuple[tuple[str, int], ...],
        *,
        option: str = "--target-tokens",
        subject: str = "",
        needed_tokens: int = 0,
    ) -> None:
        self.target, self.floor, self.items, self.option = target, floor, items, option
        self.enough = max(floor, needed_tokens)
        listed = "".join(f"\n  {tokens:>9,}  {what}" for what, tokens in items)
        less = ", or keep less with --keep" if any("--keep" in what for what, _ in items) else ""
        super().__init__(
            f"{subject}cannot fit into {target:,} tokens: the smallest valid output has {floor:,} tokens{listed}\n"
            f"Nothing was written. Use {option} {self.enough} or more{less}."
        )

    def of(self, subject: str, needed_tokens: int = 0) -> BudgetError:
        """Return the same error for a part of a file, whose other parts need `needed_tokens`."""
        return BudgetError(
            self.target, self.floor, self.items, option=self.option, subject=f"{subject} ", needed_tokens=needed_tokens
        )


class ModelError(CompactorError):
    """The language model failed and fallback was not allowed. Says what failed, and why."""

    exit_code = ExitCode.MODEL


class StoreError(CompactorError):
    """The archive or the memory log cannot be used. Names the database, what is wrong and what to do."""

    exit_code = ExitCode.STORE


class NotKeptError(CompactorError):
    """Nothing is stored for what was requested, so the answer is no."""

    exit_code = ExitCode.NO
