"""The sessions that `compactor learn` is given: which files, and what to call them and their sources."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from compactor_cli.cli.files import real_path
from compactor_cli.errors import UsageError


class TrainingFile(NamedTuple):
    """A file to learn from."""

    path: str
    source: str
    """The name of its folder; never a path of this machine."""
    name: str
    """The source, and the path from there on."""


def find_files(given: Sequence[str]) -> list[str]:
    """The files, and for a folder the `*.jsonl` in and below it, in order; those with a leading `_` are left out.

    Raises UsageError for a folder without any.
    """
    found: dict[str, None] = {}
    for name in given:
        if name == "-" or not Path(name).is_dir():
            found[name] = None
            continue
        inner = sorted(p for p in Path(name).rglob("*.jsonl") if p.is_file() and not p.name.startswith("_"))
        if not inner:
            raise UsageError(f"{name}: there is no *.jsonl in this folder")
        found.update({str(path): None for path in inner})
    return list(found)


def name_files(paths: Iterable[str]) -> list[TrainingFile]:
    """Names for files. Of two folders of one name, those above them are named too, as far as they differ."""
    folders = {path: _folder(path) for path in paths}
    labels = _labels({folder for folder in folders.values() if folder is not None})
    found = []
    for path, folder in folders.items():
        if folder is None:
            found.append(TrainingFile(path, "stdin", "stdin"))
        else:
            own = real_path(path).relative_to(folder).as_posix()
            found.append(TrainingFile(path, labels[folder], f"{labels[folder]}/{own}"))
    return found


def _folder(path: str) -> Path | None:
    """The folder that is a file's source: folders of dates (2026/03/02) are all part of what they stand in."""
    if path == "-":
        return None
    folder = real_path(path).parent
    while folder.name.isdigit() and folder.parent.name:
        folder = folder.parent
    return folder


def _labels(folders: set[Path]) -> dict[Path, str]:
    """Folder -> its name, with as many of those above it as it takes to tell it from the others."""
    depth = dict.fromkeys(folders, 1)
    while True:
        labels = {folder: "/".join(map(_readable, folder.parts[-depth[folder] :])) for folder in folders}
        counts = Counter(labels.values())
        short = [f for f in folders if counts[labels[f]] > 1 and depth[f] < len(f.parts)]
        if not short:
            return labels
        for folder in short:
            depth[folder] += 1


def _readable(name: str) -> str:
    """Claude Code names folders after whole paths (-home-sam-shop): the part for the home folder goes."""
    home = re.sub(r"[^A-Za-z0-9]", "-", str(Path.home()))
    return name[len(home) :].lstrip("-") or "home" if name.startswith(home) else name
