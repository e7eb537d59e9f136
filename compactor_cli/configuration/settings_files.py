"""Find settings files and read them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.configuration.keys import keys
from compactor_cli.configuration.layers import Layer, Origin
from compactor_cli.errors import InputError, SettingsError

SUFFIXES = (".toml", ".yaml", ".yml")
PYPROJECT = "pyproject.toml"


class SettingsFile(Struct, frozen=True):
    """A possible settings file. `kind` is user file, project file or file (the one named by --config)."""

    kind: str
    path: Path

    @property
    def section(self) -> tuple[str, ...]:
        """Return the table in the file that holds the settings."""
        return ("tool", "compactor") if self.path.name == PYPROJECT else ()

    @property
    def is_yaml(self) -> bool:
        return self.path.suffix.lower() in (".yaml", ".yml")

    @property
    def exists(self) -> bool:
        try:
            return self.path.exists()
        except OSError:  # it is in another user's folder
            return False

    @property
    def origin(self) -> Origin:
        return Origin(self.kind, str(self.path))


def files_in_use(config: str, folder: Path) -> list[SettingsFile]:
    """Return the files to read, weakest first: only the one from --config, or else the user's and the project's."""
    if config:
        return [named_file(config)]
    files = [user_file(), project_file(folder)]
    return [file for file in files if file is not None and file.exists]


def named_file(path: str) -> SettingsFile:
    return SettingsFile("file", _expanded(path))


def working_folder() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:  # the folder was deleted, along with its settings
        return Path("/")


def user_file() -> SettingsFile:
    from platformdirs import user_config_path

    folder = user_config_path("compactor", appauthor=False)
    return SettingsFile("user file", _find_single(folder, "config") or folder / "config.toml")


def project_file(folder: Path) -> SettingsFile | None:
    """Return the settings file of the nearest folder that has one, from this folder upwards."""
    for parent in (folder, *folder.parents):
        path = _find_single(parent, "compactor")
        if path is None and _has_section(parent / PYPROJECT):
            path = parent / PYPROJECT
        if path is not None:
            return SettingsFile("project file", path)
    return None


def read_file(file: SettingsFile) -> Layer:
    """Return the keys that a file sets. Raises SettingsError."""
    from compactor_cli.configuration.layers import layer_of

    document = section_of(file, parse_file(file, read_text(file)))
    layer = dict(layer_of(document, file.origin))
    for name, entry in layer.items():
        if keys()[name].form == "path" and entry.value:
            # paths in a file do not depend on where the program is started
            layer[name] = replace(entry, value=str(file.path.parent / _expanded(entry.value)))
    return layer


def read_text(file: SettingsFile) -> str:
    try:
        return file.path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise SettingsError(f"{file.path}: file not found") from None
    except OSError as error:
        raise SettingsError(f"{file.path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SettingsError(f"{file.path}: not UTF-8: {error.reason} at byte {error.start}") from None


def parse_file(file: SettingsFile, text: str) -> Mapping[Any, Any]:
    """Return the parsed document. Raises SettingsError with the line of an error."""
    return _parse_yaml(str(file.path), text) if file.is_yaml else _parse_toml(str(file.path), text)


def section_of(file: SettingsFile, document: Mapping[Any, Any]) -> Mapping[Any, Any]:
    """Return the settings in a document: all of it, or one table."""
    for name in file.section:
        document = document.get(name, {})
        if not isinstance(document, Mapping):
            raise SettingsError(f"{file.path}: {name}: must be a table")
    return document


def _find_single(folder: Path, stem: str) -> Path | None:
    """Return the file with this stem in a folder, whatever its suffix. Raises SettingsError if there are two."""
    paths = [path for suffix in SUFFIXES if _is_file(path := folder / f"{stem}{suffix}")]
    if len(paths) > 1:
        raise SettingsError(f"{' and '.join(map(str, paths))}: two settings files in one folder; keep one")
    return paths[0] if paths else None


def _expanded(path: str) -> Path:
    try:
        return Path(path).expanduser()
    except RuntimeError:  # ~ of an unknown user
        return Path(path)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # in another user's folder
        return False


def _has_section(path: Path) -> bool:
    """Return whether a pyproject.toml has our section. A file that does not contain our name is not parsed."""
    try:
        if b"compactor" not in path.read_bytes():
            return False
    except OSError:  # missing, or owned by another user
        return False
    file = SettingsFile("project file", path)
    tool = parse_file(file, read_text(file)).get("tool")
    return isinstance(tool, Mapping) and "compactor" in tool


def _parse_toml(name: str, text: str) -> Mapping[Any, Any]:
    import tomli

    try:
        return tomli.loads(text)
    except tomli.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        line_number = int(line[1]) if line else text.count("\n") + 1  # the end of the file
        raise SettingsError(f"{name}:{line_number}: not TOML: {error}") from None
    except RecursionError:
        raise SettingsError(f"{name}: not TOML: nested too deeply") from None


def _parse_yaml(name: str, text: str) -> Mapping[Any, Any]:
    from compactor_cli.text.yaml_document import read_document

    try:
        document = read_document(text, name).value
    except InputError as error:
        raise SettingsError(str(error)) from None
    if document is None:
        return {}
    if not isinstance(document, Mapping):
        raise SettingsError(f"{name}:1: must hold keys and values")
    return document
