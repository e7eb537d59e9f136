"""Packed transcript files: compressed files, and archives with one document per conversation."""

from __future__ import annotations

from compactor_cli.containers.base import Container
from compactor_cli.containers.compressed import COMPRESSED
from compactor_cli.containers.eval_log import EvalLog
from compactor_cli.errors import InputError
from compactor_cli.model.content import Content, is_same_content, read_all

CONTAINERS: dict[str, Container] = {known.name: known for known in (*COMPRESSED, EvalLog())}


UNSUPPORTED_SUFFIXES = (".br", ".lz4", ".lzma", ".sz", ".snappy", ".7z", ".zip", ".rar")
"""File name suffixes of packed files that cannot be read or written here."""


def container_of(data: Content) -> Container | None:
    """Return the container of a file, detected by content; None if it is not packed."""
    return next((container for container in CONTAINERS.values() if container.holds(data)), None)


def container_for(path: str) -> Container | None:
    """Return the container that a file name's suffix asks for; None if it asks for none."""
    return next((container for container in CONTAINERS.values() if path.lower().endswith(container.suffixes)), None)


def unpack(data: Content) -> Content:
    """Return the unpacked bytes, or the data itself if it is not packed. Raises InputError for data packed twice."""
    outer = container_of(data)
    if outer is None:
        return data
    inside = outer.unpack(read_all(data))
    if (inner := container_of(inside)) is not None:
        raise InputError(f"compressed twice, {inner.name} in {outer.name}; unpack it once and name that file")
    return inside


def pack(data: Content, path: str, original: Content, *, same: bool = False) -> Content:
    """Return data packed for a file of this name: as its suffix says, or like `original` if `same` is true.
    `original`: the packed file that the data came from, or empty."""
    kind = container_of(original) if same else container_for(path)
    if kind is None or (kind.copies and not (original and kind.holds(original))):
        return data
    if original and kind.holds(original) and is_same_content(kind.unpack(read_all(original)), data):
        return original
    return kind.pack(read_all(data), read_all(original))
