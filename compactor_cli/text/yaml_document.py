"""Read YAML text into its value, and the line of each place in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from compactor_cli.errors import InputError

YamlPath = tuple["str | int", ...]
_KEY_TAGS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge")
"""Tags that keys may have: YAML reads `yes` and `1` as something other than a string."""
_MAX_DEPTH = 12
"""Maximum depth that is searched for lines and duplicate keys; a valid file has five levels."""
_UNREADABLE = (ValueError, LookupError, AttributeError, TypeError)
"""What PyYAML raises for a value that does not fit its tag, such as an impossible date."""


class YamlDocument(Struct, frozen=True):
    """A YAML document; its errors name the file, the line and the place."""

    path: str
    value: Any
    lines: dict[YamlPath, int]

    def error(self, key_path: YamlPath, problem: str) -> InputError:
        """Return an error at a place; the line is that of the nearest place around it with a known line."""
        nearest = next((key_path[:end] for end in range(len(key_path), -1, -1) if key_path[:end] in self.lines), ())
        message = f"{format_path(key_path)}: {problem}" if key_path else problem
        return InputError(message, path=self.path, line=self.lines.get(nearest))


def format_path(key_path: YamlPath) -> str:
    """Write `("segments", 2, "when")` as `segments[2].when`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in key_path)
    return text.removeprefix(".")


def read_document(text: str, path: str) -> YamlDocument:
    """Read YAML. Raises InputError with the line of the problem."""
    import yaml

    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        lines = dict(_lines(node, (), path)) if node is not None else {}
        if node is not None:
            lines[()] = node.start_mark.line + 1
        return YamlDocument(path, loader.construct_document(node) if node is not None else None, lines)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        problem = getattr(error, "problem", None) or str(error).splitlines()[0]
        raise InputError(f"not YAML: {problem}", path=path, line=mark.line + 1 if mark else None) from None
    except RecursionError:
        raise InputError("nested too deeply to be read", path=path) from None
    except _UNREADABLE as error:
        raise InputError(f"not YAML: {error}", path=path) from None


def _lines(node: Any, key_path: YamlPath, path: str) -> Iterator[tuple[YamlPath, int]]:
    """Yield every place with its line, from 1. Raises InputError for a key that is duplicated or not a string."""
    import yaml

    if len(key_path) > _MAX_DEPTH:
        return
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _KEY_TAGS:
                written = f"the key {key.value}" if isinstance(key, yaml.ScalarNode) else "a key"
                raise InputError(f"{written} is no text; write it in quotes", path=path, line=line)
            inner = (*key_path, key.value)
            if key.value in seen:
                raise InputError(f"{format_path(inner)}: given twice; keep one", path=path, line=line)
            seen.add(key.value)
            yield inner, line
            yield from _lines(value, inner, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*key_path, index), item.start_mark.line + 1
            yield from _lines(item, (*key_path, index), path)
