"""Prompts: text files in a `prompts` folder next to the code that uses them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def read_prompt_file(package: str, name: str) -> str:
    """Return the text of a prompt from a package such as `compactor_cli.scoring`."""
    return files(package).joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8").strip()
