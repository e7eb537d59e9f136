"""Pairs of transcripts to compare, and what the comparison says about them."""

from __future__ import annotations

from typing import Any

from compactor_cli.views.survival.judge import judge_survival
from compactor_cli.views.survival.result import Survival
from tests.pipeline.sessions import Json, assistant, result, transcript

__all__ = ["edit", "judged", "lost", "tool"]


def judged(before: list[Json], after: list[Json]) -> dict[str, Survival]:
    """Return category -> its line in the comparison."""
    lines = judge_survival(transcript(before).messages, transcript(after).messages if after else ())
    return {line.category: line for line in lines}


def lost(before: list[Json], after: list[Json], category: str) -> list[str]:
    """Return the texts of a category that are lost."""
    return [text for _, text in judged(before, after)[category].lost]


def tool(name: str, answer: str, id: str = "c1", **arguments: Any) -> list[Json]:
    """Return a call and its result."""
    return [assistant(None, (id, name, arguments)), result(id, answer)]


def edit(path: str, answer: str = "The file has been updated.", id: str = "c1") -> list[Json]:
    return tool("Edit", answer, id, file_path=path, old_string="a = 1", new_string="a = 2")
