"""Prompts from YAML in this process, with files that are given as a dict."""

from __future__ import annotations

from compactor_cli.errors import InputError
from compactor_cli.prompt.parse import parse_prompt
from compactor_cli.prompt.segments import choose_segments


def prompt(text, **files):
    """The prompt of a YAML text; `files` are the texts of NAME.md."""

    def read(name):
        if name.removesuffix(".md") not in files:
            raise InputError(f"file {name!r} cannot be read: No such file or directory")
        return files[name.removesuffix(".md")]

    return parse_prompt(text, "prompt.yaml", read)


def words(text):
    """A counter for tests: a token a word."""
    return len(text.split())


def chosen(text, **files):
    """id -> (variant, tokens, reason) of every segment."""
    return {c.id: (c.variant, c.tokens, c.reason) for c in choose_segments(prompt(text, **files), words)}
