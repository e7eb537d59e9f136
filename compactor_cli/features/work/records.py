"""What a tool did to the same thing one call after the other, told on one line: as it is now."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.acting_tools import tool_words
from compactor_cli.features.work.effects import Act, act_text
from compactor_cli.text.shell import word_set

_MAKES = word_set("create open add book schedule register")
_SETS = word_set("update modify edit change set reschedule move rename assign")
"""Verbs after which a thing is as the arguments say, whatever it was before."""
_ENDS = word_set("delete cancel remove")
_ONE_OF_SEVERAL = word_set("field fields key property attribute column setting param line row item part index position")
"""Words of arguments that say which part of a thing is meant: the next call may be about another one."""


class _Known(Struct, frozen=True):
    text: str
    act: Act


class Records:
    """The newest act of a tool on each thing that it was told the identity of, or gave one."""

    def __init__(self) -> None:
        self._newest: dict[str, _Known] = {}

    def note(self, act: Act, text: str) -> tuple[Act, str, str]:
        """Return an act and its line with what is known of the thing from before, and the line that it overtakes."""
        known = self._newest.get(act.thing)
        told = _together(known.act, act) if known else None
        if told:
            act, text = told, act_text(f"{told.named} {told.title}".strip(), told.details)
        self._newest[act.thing] = _Known(text, act)
        return act, text, known.text if known and told else ""


def _together(before: Act, act: Act) -> Act | None:
    """Return what is so after both acts; nothing where the later one may leave some of the earlier one."""
    if before.verb not in _MAKES | _SETS:
        return None
    if act.verb in _ENDS:
        # how the thing is called stands in the line that makes way
        return replace(act, title=act.title or before.title)
    if act.verb not in _SETS or act.lists or _of_a_part(before) or _of_a_part(act):
        return None
    changed = {name for name, _ in act.details}
    kept = tuple((name, value) for name, value in before.details if name not in changed)
    return replace(before, title=act.title or before.title, details=(*act.details, *kept))


def _of_a_part(act: Act) -> bool:
    """Return whether an act may be about one part of several of the thing."""
    return any(not _ONE_OF_SEVERAL.isdisjoint(tool_words(name)) for name, _ in act.details)
