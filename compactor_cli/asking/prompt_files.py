"""Prompts: text files in a folder `prompts` beside the code that asks with them."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def prompt(package: str, name: str) -> str:
    """Return the text of a prompt of a package, such as `compactor_cli.scoring`."""
    return files(package).joinpath(f"prompts/{name}.txt").read_text(encoding="utf-8").strip()
