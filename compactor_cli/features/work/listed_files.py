"""Files that calls list or find something in; these files exist."""

from __future__ import annotations

import re

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_ROW = compiled_later(r"\n(?:[-|] )?(?:\./)?((?:[\w@+.-]+/)+[\w@+.-]*\w)(?::\d+[:\t ].*|:)?$", re.MULTILINE)
"""A line of a listing of files or of matches, with the line break before it. A search for `^` would try every
character."""
_PROGRAMS = word_set("ls find fd rg grep")
_TOOLS = word_set("list ls find search grep rg glob tree dir")
"""Words in names of tools that list files."""
_MOST = 20_000
"""Characters of a listing that are searched."""


def listed_by(call: ToolCall) -> list[str]:
    """Return the paths of files that a call lists or finds something in."""
    if call.failed or call.undecided or "/" not in call.said:
        return []
    looks = call.command.split()[0] in _PROGRAMS if call.command.strip() else _TOOLS & set(tool_words(call.tool))
    return _ROW.findall(f"\n{call.said[:_MOST]}") if looks else []
