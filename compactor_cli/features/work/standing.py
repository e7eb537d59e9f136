"""How things stand on which tools acted, as the newest act left them: closed, cancelled, open again."""

from __future__ import annotations

import re

from msgspec import Struct

from compactor_cli.features.work.tool_names import acting_verb, names_action, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_OPPOSITES = (
    "close reopen resolve unresolve complete",
    "cancel uncancel restore reinstate reactivate reopen delete undelete",
    "archive unarchive restore",
    "enable disable activate deactivate reactivate pause unpause resume suspend unsuspend",
    "approve reject dismiss",
    *("lock unlock", "publish unpublish", "subscribe unsubscribe", "star unstar", "mute unmute", "pin unpin"),
    *("block unblock", "hold release"),
)
"""Verbs of which one leaves nothing of what another did to the same thing."""
_ASPECTS = {
    verb: frozenset(at for at, verbs in enumerate(_OPPOSITES) if verb in verbs.split())
    for verb in " ".join(_OPPOSITES).split()
}
_SETS = word_set("update modify edit change set transition put patch write")
_SET = frozenset((0, 1, 3))
"""What a state that is set may say: that something is closed, cancelled, or does not run."""
_STATE = word_set("state status state_reason")
_WHY = word_set("reason comment note message why resolution")
"""Arguments that say why: of what is no longer so, they are not told."""
_WITHIN = word_set("repo repository owner project account workspace org organization team tenant")
_ASIDE = word_set("state status id number manage manager tool api write lookup")
"""Words of names that are not those of things."""
_NAMES_ITSELF = compiled_later(r"\d+|(?=\S*\d)[\w#][\w.:#/-]{2,39}")
_DETAILS = compiled_later(r"(.+?) \((.+)\)$")
_TELLING_NUMBER = 4
"""Digits from which on a number hardly stands for two things."""


class Standing(Struct, frozen=True):
    """What an act says of how a thing stands."""

    thing: tuple[str, ...]
    """Its identity, and in what it is one."""
    kind: tuple[str, ...]
    """Words for what kind of thing it is."""
    aspects: frozenset[int]
    says_more: bool
    """Not all that it says is of that."""

    def overtakes(self, before: Standing) -> bool:
        """Return whether nothing is left of an act on the same thing that took place before."""
        shorter, longer = sorted((self.kind, before.kind), key=len)
        same = self.thing == before.thing and not before.says_more and longer[len(longer) - len(shorter) :] == shorter
        return same and not self.aspects.isdisjoint(before.aspects)


def standing(text: str) -> Standing | None:
    """Return what the line of an act says of how a thing stands; nothing where it may be about a part of the
    thing."""
    told = _DETAILS.match(text)
    tool, *words = (told[1] if told else text).split(" ")
    asked = words.pop(0) if words and names_action(words[0]) else ""
    verb = tool_words(asked)[0] if asked else _verb(tool)
    aspects = _SET if verb in _SETS else _ASPECTS.get(verb)
    details = _named(told[2]) if told else {}
    if aspects is None or details is None or (verb in _SETS and not {"state", "status"} & details.keys()):
        return None
    others = [name for name in details if name not in _STATE | _WITHIN and (verb in _SETS or name not in _WHY)]
    if words and _NAMES_ITSELF.fullmatch(words[0]) and (verb in _SETS or not others):
        if any(map(str.isdigit, "".join(words[1:2]))) or any(word.startswith("-") for word in words):
            return None  # two identities, or options of a command
        identity, kind = words[0], _kind(tool, asked, verb)
    elif not words and len(others) == 1 and _NAMES_ITSELF.fullmatch(details[name := others[0]]):
        identity, kind = details[others.pop()], _stems(tool_words(name))
    else:
        return None
    within = sorted(value for name, value in details.items() if name in _WITHIN)
    if not kind or (identity.isdigit() and len(identity) < _TELLING_NUMBER and not within):
        return None
    says_more = verb in _SETS and bool(words[1:] or others)  # a new title, or all else that was set
    return Standing((identity, *within), kind, aspects, says_more)


def _named(told: str) -> dict[str, str] | None:
    """Return the details of an act by their names; nothing where what they say is not sure."""
    details: dict[str, str] = {}
    name = ""
    for part in told.split(", "):
        word, _, value = part.partition(" ")
        if name in _WHY and word not in _STATE | _WITHIN:
            continue  # a reason goes on behind its comma
        if not re.fullmatch(r"[A-Za-z_]+", word) or not value or word in details:
            return None
        name = word
        details[word] = value
    return details


def _verb(tool: str) -> str:
    """Return what a tool does, by its name; the last word where the first may be a thing: `order_cancel`."""
    verb, words = acting_verb(tool), tool_words(tool)
    return words[-1] if verb not in _ASPECTS and verb not in _SETS and words[-1:] else verb


def _kind(tool: str, asked: str, verb: str) -> tuple[str, ...]:
    words = tool_words(tool)
    if asked:
        return _stems(tool_words(asked)[1:]) or _stems(words)
    at = words.index(verb)
    return _stems(words[at + 1 :]) or _stems(words[:at])


def _stems(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word.rstrip("s") for word in words if word not in _ASIDE)
