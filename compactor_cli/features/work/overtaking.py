"""Acts outside the session of which a later one leaves nothing: the same setting set anew, a table that was dropped."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.effects import Act, act_text
from compactor_cli.features.work.remote_steps import ELSEWHERE, asked_of
from compactor_cli.features.work.sql_effects import told_change
from compactor_cli.features.work.sql_statements import SqlChange
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_SETS = word_set("set scale rollout label annotate autoscale upgrade rollback update modify put")
"""First words of what programs are asked for that leaves things as it says, whatever they were before."""
_NO_SETTER = word_set("git gh")
_AMOUNTS = word_set("--replicas --desired-count --desired-capacity --new-capacity")
"""Options that say how much of something there is to be; the values of others may say what it is."""
_GIVES = "--set"
"""Option that gives a value to a name."""
_BY_WORDS = word_set("kubectl oc")
"""Programs that are told values by words that belong to no option."""
_ASSIGNED = compiled_later(r"([\w./-]+)(?:=.*|-)$", re.DOTALL)
"""A value that is given to a name, or taken from it: `LOG_LEVEL=debug`, `team-`."""
_MAKES = word_set("create open book schedule register")
_UPDATES = word_set("update modify edit change reschedule")
_ENDS = word_set("delete cancel remove close")
_WHY = frozenset(("reason", "comment", "note", "message", "why"))
"""Arguments that say why something is ended, not which part of it."""


class _Setting(Struct, frozen=True):
    """A command that sets something: its words without the values, and the names that it gives values to."""

    words: tuple[str, ...]
    names: frozenset[str]


class NewestActs:
    """What was done outside the session, by what it was done to."""

    def __init__(self) -> None:
        self._settings: dict[tuple[str, ...], dict[str, frozenset[str]]] = {}
        """Words of commands -> their texts -> names that they gave values to."""
        self._changes: dict[str, dict[str, dict[str, SqlChange]]] = {}
        """Databases -> first names of what was changed -> texts -> changes."""

    def note(self, text: str) -> Iterator[str]:
        """Take over what was done, and yield the texts of what it leaves nothing of."""
        if told := told_change(text):
            yield from self._note_change(text, *told)
        elif setting := _setting(text):
            known = self._settings.setdefault(setting.words, {})
            over = [other for other, names in known.items() if names <= setting.names and other != text]
            for other in over:
                del known[other]
            known[text] = setting.names
            yield from over

    def _note_change(self, text: str, place: str, change: SqlChange) -> Iterator[str]:
        if change.verb == "rollback":
            for changes in self._changes.pop(place, {}).values():
                yield from changes
            return
        known = self._changes.setdefault(place, {})
        for name in change.names if change.ends or change.anew else ():
            changes = known.get(name, {})
            over = [other for other, before in changes.items() if other != text and _leaves_nothing(change, before)]
            for other in over:
                del changes[other]
            yield from over
        known.setdefault(change.names[0], {})[text] = change


def _leaves_nothing(change: SqlChange, before: SqlChange) -> bool:
    """Return whether a change of something in a database leaves nothing of one before."""
    if not set(before.names) <= set(change.names):
        return False
    if before.rows:
        return change.verb == "truncate" or (change.verb == "drop" and change.kind == "table")
    if change.kind != before.kind:
        return False
    if change.columns:
        return before.columns != () and set(before.columns) <= set(change.columns)
    return change.verb == "drop" or (change.anew and before.verb == "create")


def _setting(text: str) -> _Setting | None:
    """Return what a command sets, of its text; nothing for one that does something each time, or is cut."""
    words = text.split()
    if words[0] not in ELSEWHERE - _NO_SETTER or (text.endswith("…") and not text.endswith("=…")) or " → " in text:
        return None
    if _SETS.isdisjoint(word.split("-", 1)[0] for word in asked_of(words)[1:4]):
        return None
    told, names = [], []
    before = ""
    for word in words:
        option, is_, _ = word.partition("=")
        of_option = before.startswith("-") and "=" not in before
        assigned = _ASSIGNED.match(word) if before == _GIVES or (not of_option and words[0] in _BY_WORDS) else None
        if is_ and option in _AMOUNTS:
            told.append(option)
        elif before in _AMOUNTS:
            pass
        elif assigned and not word.startswith("-") and not (before == _GIVES and "," in word):
            names.append(assigned[1])
        else:
            told.append(word)
        before = word
    return _Setting(tuple(told), frozenset(names))


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
