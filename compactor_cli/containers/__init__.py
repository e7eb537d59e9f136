"""Files that hold transcripts packed: compressed ones, and archives with a document for each conversation."""

from __future__ import annotations

from compactor_cli.containers.base import Container
from compactor_cli.containers.compressed import Bzip2, Gzip, Xz, Zstandard
from compactor_cli.containers.eval_log import EvalLog
from compactor_cli.errors import InputError
from compactor_cli.model.content import Content, in_memory, is_same

CONTAINERS: dict[str, Container] = {known.name: known for known in (Gzip(), Zstandard(), Bzip2(), Xz(), EvalLog())}


UNWRITTEN = (".br", ".lz4", ".lzma", ".sz", ".snappy", ".7z", ".zip", ".rar")
"""Ends of names of files that are packed in ways that nothing here reads or writes."""


def container_of(data: Content) -> Container | None:
    """Return what a file is packed as, by its content; None for one that is not."""
    return next((known for known in CONTAINERS.values() if known.holds(data)), None)


def named(path: str) -> Container | None:
    """Return what a file name asks for by its end."""
    return next((known for known in CONTAINERS.values() if path.lower().endswith(known.suffixes)), None)


def unpack(data: Content) -> Content:
    """Return the bytes that a file holds; itself, where it is not packed. Raises InputError for what is packed
    twice."""
    outer = container_of(data)
    if outer is None:
        return data
    inside = outer.unpack(in_memory(data))
    if (inner := container_of(inside)) is not None:
        raise InputError(f"packed twice, {inner.name} in {outer.name}; unpack it once and name that file")
    return inside


def pack(data: Content, place: str, original: Content, *, same: bool = False) -> Content:
    """Return bytes as a file of this name holds them: packed where the end of the name says so, or as `original` is
    when `same` is true. `original`: the packed file that they came from, or empty."""
    kind = container_of(original) if same else named(place)
    if kind is None or (kind.copies and not (original and kind.holds(original))):
        return data
    if original and kind.holds(original) and is_same(kind.unpack(in_memory(original)), data):
        return original
    return kind.pack(in_memory(data), in_memory(original))
