"""The state in which the newest act left the things that tools acted on: closed, cancelled, open again."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from compactor_cli.features.work.act_identities import name_words, names_itself, says_why
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.tool_names import acting_verb, told_action, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_OPPOSITES = (
    "close reopen resolve unresolve",
    "cancel uncancel reinstate reactivate reopen delete undelete restore",
    "archive unarchive restore",
    "enable disable activate deactivate reactivate pause unpause resume suspend unsuspend",
    "approve reject",
    *("lock unlock", "publish unpublish", "subscribe unsubscribe", "star unstar", "mute unmute", "pin unpin"),
    *("block unblock", "hold release"),
)
"""Verbs of one aspect: each of them cancels the effect of the others on the same thing."""
_ASPECTS = {
    verb: frozenset(at for at, verbs in enumerate(_OPPOSITES) if verb in verbs.split())
    for verb in " ".join(_OPPOSITES).split()
}
_SETS = word_set("update modify edit change set transition")
_VALUES = {
    **dict.fromkeys(("open", "closed"), frozenset((0,))),
    "reopened": frozenset((0, 1)),
    **dict.fromkeys(("cancelled", "canceled"), frozenset((1,))),
    **dict.fromkeys(("active", "inactive", "paused", "resumed", "enabled", "disabled"), frozenset((3,))),
}
"""States that can be set -> their aspects."""
_STATE = ("state", "status")
"""Arguments with the state; once it is outdated, they are not reported."""
_IDENTIFIES = word_set("id number key")
_OF_ANY_KIND = frozenset(("entity",))
"""Words in names of arguments for things of any kind."""
_ACTION = word_set("action operation op method command verb")
_TELLS = word_set("state status result outcome")
"""Last words of members of a result that state how a thing stands."""
_WORD = compiled_later(r"[a-z]+")
_DONE = word_set("ok success succeeded successful done complete completed true updated deleted")
"""States in a result that say no more than that the act took place."""
_LEFT = {
    "reopen": "open",
    **dict.fromkeys(word_set("enable activate reactivate resume unblock unsuspend unpause"), "active"),
}
"""The state after an act, if it is not a form of the verb."""
_LONGEST = 2_000
"""Maximum length of a result that is searched; a longer one may contain anything."""
_NOT_YET = compiled_later(
    r"(?i)\b(?:not|no|nothing|unchanged|already|pending|queued|scheduled|waiting|awaiting|submitted|requested|requires?|"
    r"needs?|approval|cannot|can't|unable|fail\w*|errors?|reject\w*|den(?:y|ied)|declined|refused|forbidden|ignored|"
    r"skipped|unknown|invalid|dry|would)\b"
)
"""Words in a result that may mean that an act did not take place, or not yet."""


class Standing(Struct, frozen=True):
    """What an act says about the state of a thing."""

    thing: tuple[str, ...]
    """Its identity, its kind, and all other arguments of the act."""
    aspects: frozenset[int]
    took_place: bool
    """Whether the result says nothing to the contrary."""


def leaves_open(said: str) -> bool:
    """Return whether the result of an act may say that it did not take place, or not yet."""
    return len(said) > _LONGEST or _NOT_YET.search(said.replace("_", " ")) is not None


def standing(call: ToolCall) -> Standing | None:
    """Return the state of a thing after an act; None if the act may affect only a part of it, or something else of
    that name."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    asked = tool_words(told_action(call.tool, arguments))
    words = tool_words(call.tool)
    verb = asked[0] if asked else _verb(call.tool, words)
    kind = {word.rstrip("s") for word in (*words, *asked[1:]) if asked or word != verb}
    identities = [name for name in arguments if _identifies(name, arguments[name], kind)]
    aspects, values = _ASPECTS.get(verb), [name for name in _STATE if name in arguments]
    if verb in _SETS:
        aspects = _VALUES.get(str(arguments[values[0]]).lower()) if len(values) == 1 else None
    if aspects is None or not kind or len(identities) != 1:
        return None
    aside = {*identities, *filter(says_why, arguments), *(name for name in arguments if name in _ACTION and asked)}
    aside |= set(values) if verb in _SETS else set()
    others = {name: value for name, value in arguments.items() if name not in aside}
    thing = (str(arguments[identities[0]]), *sorted(kind), json.dumps(others, sort_keys=True, default=str))
    told = str(arguments[values[0]]).lower() if verb in _SETS else _LEFT.get(verb, "")
    return Standing(thing, aspects, _took_place(call.said, verb, told))


def _identifies(name: str, value: Any, kind: set[str]) -> bool:
    """Return whether an argument identifies a thing of this kind: `id`, `ticket_id`, `ticket`."""
    of, ends = name_words(name) - _IDENTIFIES - _OF_ANY_KIND, not _IDENTIFIES.isdisjoint(tool_words(name)[-1:])
    if isinstance(value, bool) or not isinstance(value, str | int) or not of <= kind:
        return False
    return ends or (of != set() and names_itself(str(value)))


def _verb(tool: str, words: tuple[str, ...]) -> str:
    """Return the verb in a tool's name. It may be the last word if the first one is a thing: `order_cancel`."""
    verb = acting_verb(tool)
    return words[-1] if verb not in _ASPECTS and verb not in _SETS and words else verb


def _took_place(said: str, verb: str, left: str) -> bool:
    """Return whether a result contradicts nothing about the state in which an act was to leave the thing. `left`:
    that state, if it is not a form of the verb."""
    if leaves_open(said):
        return False
    value = result_members(said)
    within = [item for item in value.values() if isinstance(item, dict)]
    told = [(name, item) for members in (value, *within) for name, item in members.items()]
    states = [str(item).lower() for name, item in told if not _TELLS.isdisjoint(tool_words(name)[-1:])]
    states = [state for state in states if " " not in state]
    own = () if verb in _SETS else (verb.rstrip("e"),)
    if any(state not in _DONE and state != left and not state.startswith(own) for state in states):
        return False
    aspects = _VALUES[left] if verb in _SETS else _ASPECTS[verb]
    others = {form for form, of in _FORMS.items() if not aspects.isdisjoint(of)} - {left, _past(verb)}
    return others.isdisjoint(_WORD.findall(said.lower()))


def _past(verb: str) -> str:
    return f"{verb}{'d' if verb.endswith('e') else 'ed'}"


_FORMS = {**{_past(verb): aspects for verb, aspects in _ASPECTS.items()}, **_VALUES, "cancelled": _ASPECTS["cancel"]}
"""Words with which results state how a thing stands -> their aspects."""
