"""Read prompts from YAML in this process, with files given as a dict."""

from __future__ import annotations

from compactor_cli.errors import InputError
from compactor_cli.prompt.parse import parse_prompt
from compactor_cli.prompt.segments import choose_segments


def prompt(text, **files):
    """Return the prompt of a YAML text. `files`: name -> text of NAME.md."""

    def read(name):
        if name.removesuffix(".md") not in files:
            raise InputError(f"file {name!r} cannot be read: No such file or directory")
        return files[name.removesuffix(".md")]

    return parse_prompt(text, "prompt.yaml", read)


def count_words(text):
    """Count tokens for tests: one per word."""
    return len(text.split())


def chosen_segments(text, **files):
    """Return id -> (variant, tokens, reason) for every segment."""
    return {c.id: (c.variant, c.tokens, c.reason) for c in choose_segments(prompt(text, **files), count_words)}
