"""Files that another agent changed, to which the session gave a task: what git shows as changed afterwards."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from msgspec import Struct, field

from compactor_cli.features.work.acting_tools import LOOKING, tool_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.git_files import past_options
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_HELPERS = word_set("agent agents subagent delegate")
_TASKS = (("task",), ("new", "task"), ("run", "task"))
"""Whole names of tools that give a task to another agent."""
_ASKED = ("prompt", "task", "message", "instructions", "objective", "description", "input")
_FEW_WORDS = 3
_BESIDE = word_set("cd head tail cat")
"""Programs that may stand beside git in a command whose output is read."""
_SHORT = compiled_later(r"^(?: ?([MAD])[MD]?|(\?\?)) {1,2}\"?([^\s\"][^\"\n]*?)\"?$", re.MULTILINE)
_LONG = compiled_later(r"^\t(modified|new file|deleted): +(\S.*)$", re.MULTILINE)
_STAT = compiled_later(r"^ (\S[^|\n]*?) +\| +(?:\d+ [+-]*|Bin .*)$", re.MULTILINE)
_NAME = compiled_later(r"^(?:([MAD])\t)?([^\s:][^:\n]*\.\w+)$", re.MULTILINE)
_DONE = {"A": "created", "??": "created", "new file": "created", "D": "deleted", "deleted": "deleted"}
_NO_PATH = compiled_later(r"^\.\.\./| => | -> |/$")
"""What is cut, moved, or a folder."""


class HelpersChanges(Struct):
    """What git shows as changed, and whether another agent may have changed it."""

    asked: int | None = None
    """Number of the last call that gave a task to another agent."""
    before: set[str] = field(default_factory=set)
    """Paths that were changed before there was one."""

    def note(self, call: ToolCall, parts: Sequence[Step], order: int, known: Collection[str]) -> list[tuple[str, str]]:
        """Take over a call, and return path and action of what git shows that no call changed. `known`: paths of which
        calls tell that they were changed."""
        if _gives_task(call):
            self.asked = order
        shown = list(_shown(call, parts)) if parts and not call.failed and not call.undecided else []
        if self.asked is None:
            self.before.update(path for path, _ in shown)
            return []
        return [(path, done) for path, done in shown if path not in self.before and not _is_known(path, known)]


def _gives_task(call: ToolCall) -> bool:
    words = tool_words(call.tool)
    if call.command or not words or words[0] in LOOKING or not isinstance(call.arguments, dict):
        return False
    asked = (call.arguments.get(key) for key in _ASKED)
    says = any(isinstance(text, str) and len(text.split()) >= _FEW_WORDS for text in asked)
    return says and (words in _TASKS or not _HELPERS.isdisjoint(words))


def _is_known(path: str, known: Collection[str]) -> bool:
    return any(f"/{name}".endswith(f"/{path}") or f"/{path}".endswith(f"/{name}") for name in known)


def _shown(call: ToolCall, parts: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """Yield path and action of the changes, in no commit, that a command of git shows, which does nothing else."""
    asked = [past_options(step.words[1:]) for step in parts if step.words[0] == "git"]
    others = (step.words[0] for step in parts if step.words[0] != "git")
    if len(asked) != 1 or not _BESIDE.issuperset(others):
        return
    verb, rest = asked[0][:1], asked[0][1:]
    if verb == ["status"]:
        found = [(mark or new, path) for mark, new, path in _SHORT.findall(call.said)] or _LONG.findall(call.said)
    elif verb == ["diff"] and all(word.startswith("-") or word == "HEAD" for word in rest):
        names = not {"--name-only", "--name-status"}.isdisjoint(rest)
        found = _NAME.findall(call.said) if names else [("M", path) for path in _STAT.findall(call.said)]
    else:
        return
    yield from ((path, _DONE.get(mark, "edited")) for mark, path in found if not _NO_PATH.search(path))
