"""Files that calls list or find something in; these files exist."""

from __future__ import annotations

import re

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.tool_names import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_LISTED_PATH = compiled_later(r"\n(?:[-|] )?(?:\./)?((?:[\w@+.-]+/)+[\w@+.-]*\w)(?::\d+[:\t ].*|:)?$", re.MULTILINE)
"""A line of a listing of files or of matches, with the line break before it. A search for `^` would try every
character."""
_LISTING_PROGRAMS = word_set("ls find fd rg grep")
_LISTING_WORDS = word_set("list ls find search grep rg glob tree dir")
"""Words in names of tools that list files."""
_MAX_SEARCHED_CHARS = 20_000
"""Characters of a listing that are searched."""


def paths_listed_by(call: ToolCall) -> list[str]:
    """Return the paths of files that a call lists or finds something in."""
    if call.failed or call.undecided or "/" not in call.output:
        return []
    is_listing = (
        call.command.split()[0] in _LISTING_PROGRAMS
        if call.command.strip()
        else _LISTING_WORDS & set(tool_words(call.tool))
    )
    return _LISTED_PATH.findall(f"\n{call.output[:_MAX_SEARCHED_CHARS]}") if is_listing else []
