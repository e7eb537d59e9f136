"""What a tool did to the same thing one call after the other, told on one line: as it is now."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.effects import Act, act_text
from compactor_cli.text.shell import word_set

_MAKES = word_set("create open book schedule register")
_UPDATES = word_set("update modify edit change reschedule")
_ENDS = word_set("delete cancel remove close")
_WHY = frozenset(("reason", "comment", "note", "message", "why"))
"""Arguments that say why something is ended, not which part of it."""


class _Known(Struct, frozen=True):
    text: str
    act: Act


class Records:
    """How the things were made of which a result said what they are called, until they are acted on in other ways."""

    def __init__(self) -> None:
        self._made: dict[str, _Known] = {}

    def note(self, act: Act, text: str) -> tuple[Act, str, str]:
        """Return an act and its line with what is known of the thing from before, and the line that it overtakes."""
        known = self._made.pop(act.thing, None)
        told = _together(known.act, act) if known else None
        if told:
            act, text = told, act_text(f"{told.named} {told.title}".strip(), told.details)
        if act.made and act.verb in _MAKES:
            self._made[act.thing] = _Known(text, act)
        return act, text, known.text if known and told else ""


def _together(made: Act, act: Act) -> Act | None:
    """Return what is so after both acts; nothing where the later one may be about a part of the thing, or may leave
    some of what it was made with."""
    if act.object not in ((), made.object):
        return None
    if act.verb in _ENDS and act.others <= _WHY:
        # how the thing is called stands in the line that makes way
        return replace(act, title=act.title or made.title)
    if act.verb not in _UPDATES or not act.is_plain or not act.others <= made.others:
        return None
    kept = tuple((name, value) for name, value in made.details if name not in act.others)
    return replace(made, details=(*act.details, *kept))
