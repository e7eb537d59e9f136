"""Read YAML text into its value, and the line of each place in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from compactor_cli.errors import InputError

Place = tuple["str | int", ...]
_KEYS = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:merge")
"""Tags that keys may have: YAML reads `yes` and `1` as something other than a string."""
_DEPTH = 12
"""Maximum depth that is searched for lines and duplicate keys; a valid file has five levels."""
_UNREADABLE = (ValueError, LookupError, AttributeError, TypeError)
"""What PyYAML raises for a value that does not fit its tag, such as an impossible date."""


class YamlDocument(Struct, frozen=True):
    """A YAML document; its errors name the file, the line and the place."""

    path: str
    value: Any
    lines: dict[Place, int]

    def error(self, place: Place, problem: str) -> InputError:
        """Return an error at a place; the line is that of the nearest place around it with a known line."""
        nearest = next((place[:end] for end in range(len(place), -1, -1) if place[:end] in self.lines), ())
        message = f"{shown(place)}: {problem}" if place else problem
        return InputError(message, path=self.path, line=self.lines.get(nearest))


def shown(place: Place) -> str:
    """Write `("segments", 2, "when")` as `segments[2].when`."""
    text = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place)
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


def _lines(node: Any, place: Place, path: str) -> Iterator[tuple[Place, int]]:
    """Yield every place with its line, from 1. Raises InputError for a key that is duplicated or not a string."""
    import yaml

    if len(place) > _DEPTH:
        return
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode) or key.tag not in _KEYS:
                written = f"the key {key.value}" if isinstance(key, yaml.ScalarNode) else "a key"
                raise InputError(f"{written} is no text; write it in quotes", path=path, line=line)
            inner = (*place, key.value)
            if key.value in seen:
                raise InputError(f"{shown(inner)}: given twice; keep one", path=path, line=line)
            seen.add(key.value)
            yield inner, line
            yield from _lines(value, inner, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            yield (*place, index), item.start_mark.line + 1
            yield from _lines(item, (*place, index), path)
