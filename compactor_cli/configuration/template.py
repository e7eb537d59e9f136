"""A settings file to begin with: every key, commented out, with its meaning and what is allowed."""

from __future__ import annotations

from collections.abc import Iterator

from compactor_cli.configuration.checked_values import allowed, written
from compactor_cli.configuration.keys import Key, keys, sections
from compactor_cli.configuration.presets import PRESETS

_HEAD = """\
# Settings of compactor; docs/settings.md says more.
# A line such as #keep_last{colon}0 is a setting that is commented out, and shows its default.
# `compactor config` shows what is in effect, and where each value came from.
"""


def template(*, yaml: bool) -> str:
    """Return the text of a file of defaults. In TOML, a key that is unset by default has no value to show."""
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
    yield f"# Allowed: {allowed(key)}"
    if yaml:
        yield f"#{key.leaf}: {'null' if key.default is None else written(key.default)}"
    elif key.default is None:
        yield f"# {key.leaf} is unset"
    else:
        yield f"#{key.leaf} = {written(key.default)}"
