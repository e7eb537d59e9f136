"""Tools that only look at something, and tools that run code, by their names."""

from __future__ import annotations

from typing import Any

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.text.shell import word_set

_LOOKING = word_set(
    "get list search find read view fetch show check lookup look query think calculate grep glob ls cat open "
    "scroll goto ask web browse todo task plan exit enter finish submit wait write_stdin"
)
_LOOKING_AT_END = word_set("get list search find read view show status tree")
"""What tools are called at the end that begin with what they look at: `pull_request_read`."""
_KEPT = word_set("log logs output outputs history transcript")
"""What tools show by their names that was said some time before."""
_RUNNING = word_set(
    "run exec execute eval evaluate python ipython jupyter cell cells notebook kernel repl interpreter interpret code"
)
_CODE_KEYS = frozenset(("code", "source", "cell", "program", "snippet", "python"))


def only_looks_by_name(tool: str) -> bool:
    """Return whether the name of a tool says that it only looks at something; also of one without a name."""
    words = tool_words(tool)
    return not words or words[0] in _LOOKING or words[-1] in _LOOKING_AT_END


def runs_code(tool: str, arguments: Any) -> bool:
    """Return whether a call runs code, rather than showing what code put out before."""
    words = tool_words(tool)
    if not _KEPT.isdisjoint(words) or only_looks_by_name(tool):
        return False
    given = isinstance(arguments, dict) and any(isinstance(arguments.get(key), str) for key in _CODE_KEYS)
    return given or not _RUNNING.isdisjoint(words)
