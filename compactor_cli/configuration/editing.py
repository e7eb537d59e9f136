"""Edit settings files in place, keeping everything else in them, above all comments.

The result is parsed and must read as intended; otherwise the file is not changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from typing import Any

from compactor_cli.configuration.checked_values import describe_allowed, notation_of
from compactor_cli.configuration.keys import PRESETS, Key, keys, sections
from compactor_cli.configuration.settings_files import SettingsFile, parse_file, section_of
from compactor_cli.errors import SettingsError

_HEADER = re.compile(r"^((?:[ \t]*\r?\n)*(?:[ \t]*#.*\n)*)([ \t]*\[.*)", re.MULTILINE)
"""A TOML table's header, with preceding blank lines and the comment directly above it."""
_BARE_HEADER = re.compile(r"^(\n*)([ \t]*\[.*)", re.MULTILINE)
"""The same without the comment; a preceding blank line comes from tomlkit."""


def with_value(file: SettingsFile, text: str, key: Key, value: Any) -> str:
    """Return the text of the file with a key set. Raises SettingsError if that would change anything else."""
    value = list(value) if isinstance(value, tuple) else value
    words = [*file.section, *key.name.split(".")]
    expected = deepcopy(dict(parse_file(file, text)))
    inner = expected
    for word in words[:-1]:
        if inner.get(word) is None:
            inner[word] = {}
        inner = inner[word]
        if not isinstance(inner, dict):
            raise SettingsError(f"{file.path}: {word}: must be a table")
    inner[key.leaf] = value
    ended_text = text if text.endswith("\n") or not text else text + "\n"
    edited = _yaml_with(ended_text, key, value) if file.is_yaml else _toml(ended_text, words, value)
    return _verify(file, edited, expected, key.name)


def without_key(file: SettingsFile, text: str, name: str) -> str | None:
    """Return the text of the file without a key, known or unknown; None if the key is not in the file."""
    words = [*file.section, *name.split(".")]
    expected = deepcopy(dict(parse_file(file, text)))
    section_of(file, expected)  # raises if it is not a table
    inner: Any = expected
    for word in words[:-1]:
        inner = inner.get(word) if isinstance(inner, dict) else None
    if not isinstance(inner, dict) or words[-1] not in inner:
        return None
    del inner[words[-1]]
    edited = _yaml_without(text, words) if file.is_yaml else _toml(text, words, None)
    return _verify(file, edited, expected, name)


def _verify(file: SettingsFile, text: str, expected: Mapping[Any, Any], name: str) -> str:
    """Return the text. Raises SettingsError if it does not parse to the wanted document."""
    with suppress(SettingsError):
        if _without_empty(parse_file(file, text)) == _without_empty(expected):
            return text
    raise SettingsError(f"{file.path}: {name} cannot be changed without changing other keys; edit the file by hand")


def _without_empty(document: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a document without empty sections; in YAML, a section without keys is null."""
    return {name: value for name, value in document.items() if value is not None and value != {}}


# TOML, with tomlkit


def _toml(text: str, words: list[str], value: Any) -> str:
    """Return TOML with a value set, or removed if it is None. Comments directly above a header are kept apart: tomlkit
    would insert a new key after them."""
    import tomlkit

    comments_above: dict[str, list[str]] = {}
    for match in _HEADER.finditer(text):
        comments_above.setdefault(match[2], []).append(match[1])
    document = tomlkit.parse(_HEADER.sub(r"\2", text))
    inner: Any = document
    for index, word in enumerate(words[:-1]):
        if word not in inner:
            inner[word] = tomlkit.table(is_super_table=index + 2 < len(words))
        inner = inner[word]
    if value is None:
        del inner[words[-1]]
    else:
        inner[words[-1]] = value
    edited = _BARE_HEADER.sub(
        lambda match: (comments_above.get(match[2]) or [match[1]]).pop(0) + match[2], document.as_string()
    )
    return edited.replace("\r\n", "\n").replace("\n", "\r\n") if _line_ending(text) == "\r\n" else edited


# YAML, edited at the positions that PyYAML reports: a library that rewrites the document would realign and requote it


def _yaml_with(text: str, key: Key, value: Any) -> str:
    """Return YAML with a key set, either at its place or on a new line of its section, which may also be new."""
    import yaml

    document: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    root = document if isinstance(document, yaml.MappingNode) else None
    end, indent = (root.end_mark.index, root.start_mark.column) if root else (len(text), 0)
    flow = root is not None and root.flow_style
    entry = f" {notation_of(value)}"
    if not key.section:
        return _put_entry(text, root, key.leaf, entry, end)
    section = _value_node(root, key.section)
    if isinstance(section, yaml.MappingNode):
        return _put_entry(text, section, key.leaf, entry, _line_end(text, section))
    if section is not None and not section.value and not flow:
        return _put_entry(text, None, key.leaf, entry, _line_end(text, section), indent + 2)
    entry = (
        f" {{{key.leaf}:{entry}}}" if section or flow else f"{_line_ending(text)}{' ' * (indent + 2)}{key.leaf}:{entry}"
    )
    return _put_entry(text, root, key.section, entry, end)


def _put_entry(text: str, mapping: Any, word: str, entry: str, position: int, indent: int = 0) -> str:
    """Return the text with an entry of a mapping set: at its place, inside braces, or on a line at `position`."""
    entries = mapping.value if mapping else []
    for key, value in entries:
        if key.value == word:
            start, begin = text.index(":", key.end_mark.index) + 1, value.start_mark.index
            gap, old = text[start:begin], text[begin : _value_end(value)].rstrip()
            entry = f"{entry}{gap.rstrip()}" if not gap or "\n" in gap else gap + entry.lstrip()
            return text[:start] + entry + text[begin + len(old) :]
    if mapping and mapping.flow_style:
        position = _value_end(entries[-1][1]) if entries else mapping.start_mark.index + 1
        return f"{text[:position]}{', ' if entries else ''}{word}:{entry}{text[position:]}"
    indent = mapping.start_mark.column if mapping else indent
    return f"{text[:position]}{' ' * indent}{word}:{entry}{_line_ending(text)}{text[position:]}"


def _yaml_without(text: str, words: list[str]) -> str:
    """Return YAML without a key; unchanged if the key is not in the section itself, as with merged mappings."""
    import yaml

    mapping: Any = yaml.compose(text, Loader=yaml.SafeLoader)
    for word in words[:-1]:
        mapping = _value_node(mapping, word)
    entries = mapping.value if mapping else []
    index = next((index for index, (key, _) in enumerate(entries) if key.value == words[-1]), None)
    if index is None:
        return text
    key, value = entries[index]
    start = key.start_mark.index
    if not mapping.flow_style:
        return text[: text.rfind("\n", 0, start) + 1] + text[_line_end(text, value) :]
    if index:
        return text[: _value_end(entries[index - 1][1])] + text[_value_end(value) :]
    return text[:start] + text[entries[1][0].start_mark.index if entries[1:] else mapping.end_mark.index - 1 :]


def _value_node(mapping: Any, word: str) -> Any:
    return next((value for key, value in (mapping.value if mapping else ()) if key.value == word), None)


def _value_end(node: Any) -> int:
    """Return where a value ends. PyYAML's end mark of a block list or mapping is where the next token begins, and an
    unindented list is not marked as a block. So the end is taken from the last scalar inside."""
    while node.id != "scalar" and not node.flow_style and node.value:
        last = node.value[-1]
        node = last[1] if node.id == "mapping" else last
    return int(node.end_mark.index)


def _line_end(text: str, node: Any) -> int:
    return (text + "\n").index("\n", _value_end(node) - 1) + 1


def _line_ending(text: str) -> str:
    """Return the line ending of a text: CRLF if all lines use it."""
    return "\r\n" if 0 < text.count("\n") == text.count("\r\n") else "\n"


_HEAD = """\
# Settings of compactor; docs/settings.md says more.
# A line such as #keep_last{colon}0 is a setting that is commented out, and shows its default.
# `compactor config` shows what is in effect, and where each value came from.
"""


def settings_template(*, yaml: bool) -> str:
    """Return a settings file that shows the defaults. In TOML, a key that is unset by default has no value to show."""
    lines = [_HEAD.format(colon=": " if yaml else " = ")]
    for section in ("", *sections()):
        indent = "  " if yaml and section else ""
        if section:
            lines.append(f"{section}:\n" if yaml else f"[{section}]\n")
        for key in keys().values():
            if key.section == section:
                lines += [indent + line for line in _entry(key, yaml=yaml)]
                lines.append("")
    return "\n".join(lines).rstrip("\n") + "\n"


def _entry(key: Key, *, yaml: bool) -> Iterator[str]:
    yield f"# {key.meaning}"
    if key.name == "preset":
        yield from (f"#   {name}: {preset.purpose}" for name, preset in PRESETS.items())
    yield f"# Allowed: {describe_allowed(key)}"
    if yaml:
        yield f"#{key.leaf}: {'null' if key.default is None else notation_of(key.default)}"
    elif key.default is None:
        yield f"# {key.leaf} is unset"
    else:
        yield f"#{key.leaf} = {notation_of(key.default)}"
