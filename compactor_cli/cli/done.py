"""The list of finished files of a run over many files, which `compact --resume` skips."""

from __future__ import annotations

import hashlib
import json
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from msgspec.structs import asdict

from compactor_cli.cli.files import is_remote, load_store
from compactor_cli.cli.replacing import DONE_FILE_NAME, access_of, narrow_mode
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.outcome import Outcome, Sizes

_FIELDS = ("place", "changed", "report", "input_sha256", "output_sha256")
_ROW_FIELDS = ("rows", "failed_rows", "code")
"""Fields that are omitted if they are 0."""

_CHUNK_BYTES = 1 << 20


def run_key(*parts: object) -> str:
    """Return a hash of everything that determines an output: settings, options and the program's version."""
    from importlib.metadata import version  # imported only if a list is kept

    text = json.dumps([version("compactor-cli"), *parts], default=_json_default, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()


class DoneList:
    """A file of JSON lines in the output folder, one for each finished output.

    A line is added after each file, so that a killed run loses only the files it was working on.
    """

    def __init__(self, folder: str, key: str) -> None:
        self._path, self._key = Path(folder, DONE_FILE_NAME), key
        self._file: IO[str] | None = None
        self._address = f"{folder.rstrip('/')}/{DONE_FILE_NAME}" if is_remote(folder) else ""
        self._text = ""
        """The whole list, if it is in a store where files cannot be appended to."""

    def known(self) -> dict[str, Outcome]:
        """Return name -> outcome of an earlier run with the same key, ignoring incomplete lines. Raises InputError."""
        try:
            lines = self._lines()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise InputError(f"cannot be read: {error.strerror}", path=str(self._path)) from None
        outcomes: dict[str, Outcome] = {}
        for line in lines:
            with suppress(ValueError, KeyError, TypeError):
                value = json.loads(line)
                if value["key"] == self._key:
                    outcomes[value["name"]] = _outcome(value)
        return outcomes

    def _lines(self) -> list[str]:
        if not self._address:
            return self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        if not load_store().exists(self._address):
            return []
        with load_store().reading(self._address) as stream:
            self._text = stream.read().decode("utf-8", "replace")
        return self._text.splitlines()

    def start(self, inputs: Iterable[str], *, afresh: bool) -> None:
        """Open the list; `afresh` empties it first. Since the list describes the inputs, it is never more readable
        than they are. Raises UsageError."""
        if self._address:
            self._text = "" if afresh else self._text
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("w" if afresh else "a", encoding="utf-8")
            state, like = self._path.stat(), (access for path in inputs if (access := access_of(path)) is not None)
            mode = narrow_mode(stat.S_IMODE(state.st_mode), state.st_gid, like)
            if mode != stat.S_IMODE(state.st_mode):  # only the owner may change the mode of a list
                self._path.chmod(mode)
            if not afresh and self._path.stat().st_size:
                self._file.write("\n")  # the last line may be incomplete
        except OSError as error:
            raise UsageError(f"{self._path}: cannot be written: {error.strerror}") from None

    def add(self, name: str, outcome: Outcome) -> None:
        if self._file is None and not self._address:
            return
        value: dict[str, Any] = {"key": self._key, "name": name, "path": outcome.path}
        value |= {field: getattr(outcome, field) for field in _FIELDS}
        value |= {field: count for field in _ROW_FIELDS if (count := getattr(outcome, field))}
        value |= {"before": asdict(outcome.before), "after": asdict(outcome.after)}
        line = json.dumps(value) + "\n"
        if self._file is None:
            self._text += line
            load_store().write(self._address, lambda stream: stream.write(self._text.encode()))
            return
        self._file.write(line)
        self._file.flush()

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


def sha256_of(path: str) -> str:
    """Return the hash of a file of any size. Raises OSError, or InputError for a file in a remote store."""
    if is_remote(path):
        with load_store().reading(path) as stream:
            return sha256_in(stream)
    with Path(path).open("rb") as stream:
        return sha256_in(stream)


def sha256_in(stream: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while piece := stream.read(_CHUNK_BYTES):
        digest.update(piece)
    return digest.hexdigest()


def is_still_done(outcome: Outcome, input_sha256: str, out_path: str) -> bool:
    """Return whether an input is unchanged, and its output is still unchanged at its place."""
    if input_sha256 != outcome.input_sha256:
        return False
    with suppress(OSError, InputError):
        return sha256_of(out_path) == outcome.output_sha256
    return False


def _outcome(value: Mapping[str, Any]) -> Outcome:
    fields = {field: value[field] for field in _FIELDS} | {field: int(value.get(field, 0)) for field in _ROW_FIELDS}
    before, after = Sizes(**value["before"]), Sizes(**value["after"])
    return Outcome(value["path"], before=before, after=after, earlier=True, **fields)


def _json_default(value: object) -> object:
    return sorted(map(str, value)) if isinstance(value, (set, frozenset)) else str(value)
