"""The state in which the newest act left the things that tools acted on: closed, cancelled, open again. It replaces
what earlier acts said about it."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from compactor_cli.features.work.act_identities import is_identifying, is_reason_argument, name_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.tool_names import acting_verb, possible_action, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_OPPOSITE_VERBS = (
    "close reopen resolve unresolve",
    "cancel uncancel reinstate reactivate reopen delete undelete restore",
    "archive unarchive restore",
    "enable disable activate deactivate reactivate pause unpause resume suspend unsuspend",
    "approve reject",
    *("lock unlock", "publish unpublish", "subscribe unsubscribe", "star unstar", "mute unmute", "pin unpin"),
    *("block unblock", "hold release"),
)
"""Verbs of one aspect: each of them cancels the effect of the others on the same thing."""
_VERB_ASPECTS = {
    verb: frozenset(index for index, verbs in enumerate(_OPPOSITE_VERBS) if verb in verbs.split())
    for verb in " ".join(_OPPOSITE_VERBS).split()
}
_SETTING_VERBS = word_set("update modify edit change set transition")
_STATE_ASPECTS = {
    **dict.fromkeys(("open", "closed"), frozenset((0,))),
    "reopened": frozenset((0, 1)),
    **dict.fromkeys(("cancelled", "canceled"), frozenset((1,))),
    **dict.fromkeys(("active", "inactive", "paused", "resumed", "enabled", "disabled"), frozenset((3,))),
}
"""States that can be set -> their aspects."""
_STATE_ARGUMENTS = ("state", "status")
"""Arguments with the state; once it is outdated, they are not reported."""
_IDENTITY_WORDS = word_set("id number key")
_GENERIC_KINDS = frozenset(("entity",))
"""Words in names of arguments for things of any kind."""
_ACTION_WORDS = word_set("action operation op method command verb")
_STATE_MEMBERS = word_set("state status result outcome")
"""Last words of members of a result that state how a thing stands."""
_WORD = compiled_later(r"[a-z]+")
_DONE_STATES = word_set("ok success succeeded successful done complete completed true updated deleted")
"""States in a result that say no more than that the act took place."""
_STATES_AFTER = {
    "reopen": "open",
    **dict.fromkeys(word_set("enable activate reactivate resume unblock unsuspend unpause"), "active"),
}
"""The state after an act, if it is not a form of the verb."""
_MAX_RESULT_CHARS = 2_000
"""Maximum length of a result that is searched; a longer one may contain anything."""
_NOT_YET = compiled_later(
    r"(?i)\b(?:not|no|nothing|unchanged|already|pending|queued|scheduled|waiting|awaiting|submitted|requested|"
    r"requires?|"
    r"needs?|approval|cannot|can't|unable|fail\w*|errors?|reject\w*|den(?:y|ied)|declined|refused|forbidden|ignored|"
    r"skipped|unknown|invalid|dry|would)\b"
)
"""Words in a result that may mean that an act did not take place, or not yet."""


_MAX_ACTS = 20
"""Maximum number of acts on one thing that are compared with a newer one."""


class Standing(Struct, frozen=True):
    """What an act says about the state of a thing."""

    thing: tuple[str, ...]
    """Its identity, its kind, and all other arguments of the act."""
    aspects: frozenset[int]
    took_place: bool
    """Whether the result says nothing to the contrary."""


class NewestActs:
    """Acts outside the session, grouped by what they were done to."""

    def __init__(self) -> None:
        self._acts: dict[tuple[str, ...], dict[str, frozenset[int]]] = {}
        """Things -> texts of acts, newest last -> aspects of the thing's state after the act."""

    def record_act(self, text: str, standing: Standing) -> list[str]:
        """Record an act, and return the texts of earlier acts whose effect it cancels."""
        acts = self._acts.setdefault(standing.thing, {})
        acts.pop(text, None)
        same_aspect = (other for other, aspects in acts.items() if not aspects.isdisjoint(standing.aspects))
        cancelled = [*same_aspect] if standing.took_place else []
        for other in cancelled:
            del acts[other]
        acts[text] = standing.aspects
        if len(acts) > _MAX_ACTS:
            del acts[next(iter(acts))]
        return cancelled


def may_not_have_happened(output: str) -> bool:
    """Return whether the result of an act may say that it did not take place, or not yet."""
    return len(output) > _MAX_RESULT_CHARS or _NOT_YET.search(output.replace("_", " ")) is not None


def standing_after(call: ToolCall) -> Standing | None:
    """Return the state of a thing after an act; None if the act may affect only a part of it, or something else of
    that name."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    action_words = tool_words(possible_action(call.tool, arguments))
    words = tool_words(call.tool)
    verb = action_words[0] if action_words else _verb(call.tool, words)
    kind = {word.rstrip("s") for word in (*words, *action_words[1:]) if action_words or word != verb}
    identities = [name for name in arguments if _is_identity(name, arguments[name], kind)]
    aspects, values = _VERB_ASPECTS.get(verb), [name for name in _STATE_ARGUMENTS if name in arguments]
    if verb in _SETTING_VERBS:
        aspects = _STATE_ASPECTS.get(str(arguments[values[0]]).lower()) if len(values) == 1 else None
    if aspects is None or not kind or len(identities) != 1:
        return None
    handled = {
        *identities,
        *filter(is_reason_argument, arguments),
        *(name for name in arguments if name in _ACTION_WORDS and action_words),
    }
    handled |= set(values) if verb in _SETTING_VERBS else set()
    other_arguments = {name: value for name, value in arguments.items() if name not in handled}
    thing = (str(arguments[identities[0]]), *sorted(kind), json.dumps(other_arguments, sort_keys=True, default=str))
    expected_state = str(arguments[values[0]]).lower() if verb in _SETTING_VERBS else _STATES_AFTER.get(verb, "")
    return Standing(thing, aspects, _took_place(call.output, verb, expected_state))


def _is_identity(name: str, value: Any, kind: set[str]) -> bool:
    """Return whether an argument identifies a thing of this kind: `id`, `ticket_id`, `ticket`."""
    other_words, ends_as_identity = (
        name_words(name) - _IDENTITY_WORDS - _GENERIC_KINDS,
        not _IDENTITY_WORDS.isdisjoint(tool_words(name)[-1:]),
    )
    if isinstance(value, bool) or not isinstance(value, str | int) or not other_words <= kind:
        return False
    return ends_as_identity or (other_words != set() and is_identifying(str(value)))


def _verb(tool: str, words: tuple[str, ...]) -> str:
    """Return the verb in a tool's name. It may be the last word if the first one is a thing: `order_cancel`."""
    verb = acting_verb(tool)
    return words[-1] if verb not in _VERB_ASPECTS and verb not in _SETTING_VERBS and words else verb


def _took_place(output: str, verb: str, expected_state: str) -> bool:
    """Return whether a result contradicts nothing about the state in which an act was to leave the thing.
    `expected_state`: that state, if it is not a form of the verb."""
    if may_not_have_happened(output):
        return False
    value = result_members(output)
    nested = [item for item in value.values() if isinstance(item, dict)]
    stated_members = [(name, item) for members in (value, *nested) for name, item in members.items()]
    states = [
        str(item).lower() for name, item in stated_members if not _STATE_MEMBERS.isdisjoint(tool_words(name)[-1:])
    ]
    states = [state for state in states if " " not in state]
    own_stems = () if verb in _SETTING_VERBS else (verb.rstrip("e"),)
    if any(
        state not in _DONE_STATES and state != expected_state and not state.startswith(own_stems) for state in states
    ):
        return False
    aspects = _STATE_ASPECTS[expected_state] if verb in _SETTING_VERBS else _VERB_ASPECTS[verb]
    other_states = {word for word, of in _STATE_FORMS.items() if not aspects.isdisjoint(of)} - {
        expected_state,
        _past_tense(verb),
    }
    return other_states.isdisjoint(_WORD.findall(output.lower()))


def _past_tense(verb: str) -> str:
    return f"{verb}{'d' if verb.endswith('e') else 'ed'}"


_STATE_FORMS = {
    **{_past_tense(verb): aspects for verb, aspects in _VERB_ASPECTS.items()},
    **_STATE_ASPECTS,
    "cancelled": _VERB_ASPECTS["cancel"],
}
"""Words with which results state how a thing stands -> their aspects."""
