"""Settings files changed in place: everything else in them stays, comments above all.

A new key is a new line at the place where a reader would look for it, and in YAML a value changes in its
own lines. The result is parsed and has to read as what was meant; where it does not, and for values in
TOML, there are libraries that know the whole of the language.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from compactor_cli.errors import SettingsError
from compactor_cli.settings.checked_values import written
from compactor_cli.settings.keys import Key
from compactor_cli.settings.settings_files import SettingsFile, parse, section_of


def with_value(file: SettingsFile, text: str, key: Key, value: Any) -> str:
    """The text of the file with a key set."""
    value = list(value) if isinstance(value, tuple) else value
    document = parse(file, text)
    wanted = _changed(file, document, key, value)
    if not _has(section_of(file, document), key.name):
        changed = (_yaml_line if file.is_yaml else _toml_line)(file, text, key, value)
    else:
        changed = _replaced_lines(file, text, key, value) if file.is_yaml else None
    if changed is not None and _reads_as(file, changed, wanted):
        return changed
    edited = _edited(file, text, key.name, value, remove=False)
    spaced = edited if file.is_yaml else _spaced(edited, ".".join((*file.section, key.section)))
    return spaced if _reads_as(file, spaced, wanted) else edited


def _spaced(text: str, table: str) -> str:
    """A blank line behind a table that was added before others."""
    lines = _lines(text)
    headers = [at for at, line in enumerate(lines) if line.startswith("[")]
    own = next((at for at in headers if lines[at].strip() == f"[{table}]"), None)
    following = next((at for at in headers if own is not None and at > own), None)
    if following is not None and lines[following - 1].strip():
        lines.insert(following, "\n")
    return "".join(lines)


def without(file: SettingsFile, text: str, name: str) -> str | None:
    """The text of the file without a key, which need not be a known one; None when it is not there."""
    document = parse(file, text)
    if not _has(section_of(file, document), name):
        return None
    if file.is_yaml:
        lines = _lines(text)
        own = _value_lines(file, lines, name)
        if own is not None:
            return "".join((*lines[: own.start], *lines[own.stop :]))
    return _edited(file, text, name, None, remove=True)


def _has(document: Mapping[Any, Any], name: str) -> bool:
    inner: Any = document
    for word in name.split("."):
        if not isinstance(inner, Mapping) or word not in inner:
            return False
        inner = inner[word]
    return True


def _changed(file: SettingsFile, document: Mapping[Any, Any], key: Key, value: Any) -> dict[Any, Any]:
    """Return what the document has to read as once the key is set."""
    whole = deepcopy(dict(document))
    inner = whole
    for word in (*file.section, *filter(None, (key.section,))):
        if inner.get(word) is None:
            inner[word] = {}
        inner = inner[word]
        if not isinstance(inner, dict):
            raise SettingsError(f"{file.path}: {word}: must be a table")
    inner[key.leaf] = value
    return whole


def _removed(document: Mapping[Any, Any], name: str) -> dict[Any, Any]:
    whole = deepcopy(dict(document))
    inner = whole
    *sections, leaf = name.split(".")
    for word in sections:
        inner = inner[word]
    del inner[leaf]
    return whole


def _reads_as(file: SettingsFile, text: str, wanted: Mapping[Any, Any]) -> bool:
    try:
        return _without_empty(parse(file, text)) == _without_empty(wanted)
    except SettingsError:
        return False


def _without_empty(document: Mapping[Any, Any]) -> dict[Any, Any]:
    """In YAML a section without keys is null."""
    return {name: value for name, value in document.items() if value is not None and value != {}}


# lines


def _toml_line(file: SettingsFile, text: str, key: Key, value: Any) -> str | None:
    """The text with a line more; None where the table has no header of its own."""
    lines = _lines(text)
    table = ".".join((*file.section, *filter(None, (key.section,))))
    headers = [at for at, line in enumerate(lines) if line.lstrip().startswith("[")]
    start = 0
    if table:
        own = [at for at in headers if re.match(rf"\s*\[\s*{re.escape(table)}\s*\]\s*(#.*)?$", lines[at])]
        if not own:
            return None
        start = own[0] + 1
    end = min((at for at in headers if at >= start), default=len(lines))
    return _with_line(
        lines, start, end, rf"#\s?{key.leaf}(\s*=| is unset)", f"{key.leaf} = {written(value)}", in_table=bool(table)
    )


def _yaml_line(file: SettingsFile, text: str, key: Key, value: Any) -> str | None:
    """The text with a line more, or with a section more at its end."""
    lines = _lines(text)
    line = f"{key.leaf}: {written(value)}"
    mark = rf"\s*#\s?{key.leaf}:"
    if not key.section:
        marked = [at for at, found in enumerate(lines) if re.match(mark, found) and not found.startswith(" ")]
        at = marked[0] + 1 if marked else len(lines)
        return "".join((*lines[:at], line + "\n", *lines[at:]))
    start, end = _yaml_section(lines, key.section)
    if not start:
        return "".join((*lines, f"{key.section}:\n  {line}\n"))
    children = [re.match(r"( +)\w", found) for found in lines[start:end]]
    indent = next((child[1] for child in children if child), "  ")
    return _with_line(lines, start, end, mark, indent + line, in_table=True)


def _yaml_section(lines: list[str], section: str) -> tuple[int, int]:
    """The lines below the header of a section; 0, 0 when it has none of its own."""
    starts = [at for at, line in enumerate(lines) if re.match(r"[^\s#-]", line)]
    own = [at for at in starts if re.match(rf"{re.escape(section)}:\s*(#.*)?$", lines[at])]
    if not own:
        return 0, 0
    return own[0] + 1, min((at for at in starts if at > own[0]), default=len(lines))


def _value_lines(file: SettingsFile, lines: list[str], name: str) -> range | None:
    """The lines of a key and its value in YAML; None where it has none to itself."""
    section, _, leaf = name.rpartition(".")
    wanted = _removed(parse(file, "".join(lines)), name)
    start, end = _yaml_section(lines, section) if section else (0, len(lines))
    own = [at for at in range(start, end) if re.match(rf"{' *' if section else ''}{re.escape(leaf)}:", lines[at])]
    for at in own[:1]:
        for last in range(at + 1, end + 1):
            if _reads_as(file, "".join((*lines[:at], *lines[last:])), wanted):
                return range(at, last)
    return None


def _replaced_lines(file: SettingsFile, text: str, key: Key, value: Any) -> str | None:
    """The text with another value in the lines of a key, and the comment behind it where it was."""
    import yaml

    lines = _lines(text)
    own = _value_lines(file, lines, key.name)
    if own is None:
        return None
    line = lines[own.start]
    body = line.strip()
    indent, ending = line[: line.index(body)], line[line.rindex(body) + len(body) :]
    try:
        node: Any = yaml.compose(body, Loader=yaml.SafeLoader)
        comment = body[node.value[0][1].end_mark.column :]
    except yaml.YAMLError:  # the value goes on in the next line
        comment = ""
    comment = comment if comment.lstrip().startswith("#") else ""
    return "".join((*lines[: own.start], f"{indent}{key.leaf}: {written(value)}{comment}{ending}", *lines[own.stop :]))


def _lines(text: str) -> list[str]:
    """The lines with their ends; the last one has one too."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
    return lines


def _with_line(lines: list[str], start: int, end: int, mark: str, line: str, *, in_table: bool) -> str:
    """A line more between two others: under the one that is commented out, else behind the last that is set."""
    marked = [at for at in range(start, end) if re.match(mark, lines[at])]
    used = [at for at in range(start, end) if lines[at].strip() and not lines[at].lstrip().startswith("#")]
    if marked:
        at = marked[0] + 1
    elif used:
        at = used[-1] + 1
    elif in_table:
        at = start
    else:
        at = _before_heading(lines, end)
        line = line if at == len(lines) or not lines[at].strip() else f"{line}\n"
    ending = "\r\n" if any(found.endswith("\r\n") for found in lines[:1]) else "\n"
    return "".join((*lines[:at], line.replace("\n", ending) + ending, *lines[at:]))


def _before_heading(lines: list[str], end: int) -> int:
    """The place before a header and the comment that stands right above it."""
    at = end
    while end < len(lines) and at > 0 and lines[at - 1].startswith("#"):
        at -= 1
    return at


# libraries


def _edited(file: SettingsFile, text: str, name: str, value: Any, *, remove: bool) -> str:
    words = [*file.section, *name.split(".")]
    return (_with_ruamel if file.is_yaml else _with_tomlkit)(text, words, value, remove)


def _with_tomlkit(text: str, words: list[str], value: Any, remove: bool) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    inner: Any = document
    for at, word in enumerate(words[:-1]):
        if word not in inner:
            inner[word] = tomlkit.table(is_super_table=at + 2 < len(words))
        inner = inner[word]
    if remove:
        del inner[words[-1]]
    else:
        inner[words[-1]] = value
    return tomlkit.dumps(document)


def _with_ruamel(text: str, words: list[str], value: Any, remove: bool) -> str:
    from io import StringIO

    from ruamel.yaml import YAML
    from ruamel.yaml.util import load_yaml_guess_indent

    document, sequence, dash = load_yaml_guess_indent(text)
    indents = re.findall(r"^\w+:[ \t]*(?:#.*)?\n(?:[ \t]*(?:#.*)?\n)*( +)\w", text, re.MULTILINE)
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 10**6  # long lines stay lines
    yaml.representer.add_representer(
        float, lambda dumper, number: dumper.represent_scalar("tag:yaml.org,2002:float", written(number))
    )
    yaml.indent(mapping=len(indents[0]) if indents else 2, sequence=sequence or 2, offset=dash or 0)
    inner = document = {} if document is None else document
    for word in words[:-1]:
        if inner.get(word) is None:
            inner[word] = {}
        inner = inner[word]
    if remove:
        del inner[words[-1]]
    else:
        inner[words[-1]] = value
    out = StringIO()
    yaml.dump(document, out)
    return out.getvalue()
