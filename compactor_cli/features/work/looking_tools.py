"""Tools that only look at something, and tools that run code, by their names."""

from __future__ import annotations

from typing import Any

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_LOOKING = word_set(
    "get list search find read view fetch show check lookup look query think calculate grep glob ls cat open "
    "scroll goto ask web browse todo task plan exit enter finish submit wait write_stdin"
)
_LOOKING_AT_END = word_set("get list search find read view show status tree")
"""What tools are called at the end that begin with what they look at: `pull_request_read`."""
_KEPT = word_set(
    "log logs output outputs history transcript detail details info report reports summary context content contents "
    "snippet snippets result results"
)
"""What tools show by their names that was said some time before, or is told of something."""
_RUNNING = ("run", "execute")
_RUN = word_set("code python cell cells notebook script file program kernel ipython jupyter block")
"""What tools run whose names begin so."""
_INTERPRETERS = word_set("python ipython repl interpreter")
_BESIDE = _INTERPRETERS | word_set("run exec execute eval code jupyter")
"""Words with which an interpreter alone makes the name of a tool."""
_CODE_KEYS = ("code", "source", "script", "cell", "program", "python")
_STATEMENT = compiled_later(r"\w\s*[(\[=]|\n\s*\S|^\s*(?:import|from|raise|assert|del|print)\s")
"""Tells code from what names some."""


def only_looks_by_name(tool: str) -> bool:
    """Return whether the name of a tool says that it only looks at something; also of one without a name."""
    words = tool_words(tool)
    return not words or words[0] in _LOOKING or words[-1] in _LOOKING_AT_END


def runs_code(tool: str, arguments: Any) -> bool:
    """Return whether a call runs code, rather than showing what code put out before."""
    words = tool_words(tool)
    if not _KEPT.isdisjoint(words) or only_looks_by_name(tool):
        return False
    if words[0] in _RUNNING and not _RUN.isdisjoint(words[1:2]):
        return True
    if _BESIDE.issuperset(words) and not _INTERPRETERS.isdisjoint(words):
        return True
    if not isinstance(arguments, dict):
        return False
    values = (arguments.get(key) for key in _CODE_KEYS)
    given = arguments.get("input")
    return (isinstance(given, str) and "\n" in given.strip()) or any(
        isinstance(value, str) and _STATEMENT.search(value) for value in values
    )
