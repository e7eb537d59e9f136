"""Decide what later acts do to earlier ones. They can cancel their effect, such as changing the same setting again
or reopening a ticket; update their description; or make up for a failure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.act_identities import says_why
from compactor_cli.features.work.command_keys import does_same
from compactor_cli.features.work.effects import Act, Effect, act_text
from compactor_cli.features.work.remote_steps import ELSEWHERE, asked_of
from compactor_cli.features.work.shell_effects import effect_key
from compactor_cli.features.work.sql_effects import told_change
from compactor_cli.features.work.sql_statements import SqlChange
from compactor_cli.features.work.standing import Standing
from compactor_cli.features.work.tool_names import names_action, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_SETS = word_set("set scale rollout label annotate autoscale upgrade rollback update modify put")
"""First words of subcommands that put things into the stated condition, whatever it was before."""
_NO_SETTER = word_set("git gh")
_AMOUNTS = word_set("--replicas --desired-count --desired-capacity --new-capacity")
"""Options that state an amount; values of other options may identify the object."""
_GIVES = "--set"
"""The option that assigns a value to a name."""
_BY_WORDS = word_set("kubectl oc")
"""Programs that take assignments as plain words, without an option."""
_ASSIGNED = compiled_later(r"([\w./-]+)(?:=.*|-)$", re.DOTALL)
"""A value assigned to a name or removed from it: `LOG_LEVEL=debug`, `team-`."""
_MAKES = word_set("create open book schedule register")
_UPDATES = word_set("update modify edit change reschedule")
_ENDS = word_set("delete cancel remove close")
_TEXT, _TEXT_WORDS = 24, 4
"""Minimum characters and words of an argument that counts as prose, which may be rephrased."""
_WHEN = compiled_later(r"[^A-Za-z]*(?:\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d)[^A-SU-Za-z]*")
_WORD = compiled_later(r"[^\W\d_]{3,}")
_NUMBER = compiled_later(r"\d+")
_TWICE = 2
"""Minimum occurrences in a line of what is wrong: once in the attempt and once in the reason."""
_WHO = word_set("assignee account owner person")
"""Words of argument names for the single person that a thing is assigned to."""
_MISSPELT, _SHORTEST = 2, 5
"""Maximum edits by which a misspelt name differs, and its minimum length; shorter names count as different."""

_MOST_ACTS = 20
"""Maximum number of acts on one thing that are compared with a newer one."""


class _Setting(Struct, frozen=True):
    """A command that sets something: its words without values, and the names that it assigns values to."""

    words: tuple[str, ...]
    names: frozenset[str]


class NewestActs:
    """Acts outside the session, grouped by what they were done to."""

    def __init__(self) -> None:
        self._settings: dict[tuple[str, ...], dict[str, frozenset[str]]] = {}
        """Words of commands -> texts of these -> names that they assigned values to."""
        self._changes: dict[str, dict[str, dict[str, SqlChange]]] = {}
        """Databases -> first names of what was changed -> texts -> changes."""
        self._standing: dict[tuple[str, ...], dict[str, frozenset[int]]] = {}
        """Things -> texts of acts, newest last -> aspects of the thing's state after the act."""

    def note(self, text: str, stands: Standing | None = None) -> Iterator[str]:
        """Record an act, and yield the texts of earlier acts whose effect it cancels. `stands`: the state of the
        thing after the act, if stated."""
        if told := told_change(text):
            yield from self._note_change(text, *told)
        elif setting := _setting(text):
            known = self._settings.setdefault(setting.words, {})
            over = [other for other, names in known.items() if names <= setting.names and other != text]
            for other in over:
                del known[other]
            known[text] = setting.names
            yield from over
        elif stands:
            acts = self._standing.setdefault(stands.thing, {})
            acts.pop(text, None)
            alike = (other for other, aspects in acts.items() if not aspects.isdisjoint(stands.aspects))
            over = [*alike] if stands.took_place else []
            for other in over:
                del acts[other]
            acts[text] = stands.aspects
            if len(acts) > _MOST_ACTS:
                del acts[next(iter(acts))]
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
    """Return whether a change in a database cancels the effect of an earlier one."""
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
    """Return what a command sets, from its text; None for a command that acts anew each time, or whose text is cut."""
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
    """Acts that created things and whose results named them. Updates are merged into the creation; any other act on
    the thing ends this."""

    def __init__(self) -> None:
        self._made: dict[str, _Known] = {}

    def note(self, act: Act, text: str) -> tuple[Act, str, str]:
        """Return an act and its line, merged with what is known about the thing, and the line that it replaces."""
        known = self._made.pop(act.thing, None)
        told = _together(known.act, act) if known else None
        if told:
            act, text = told, act_text(f"{told.named} {told.title}".strip(), told.details)
        if act.made and act.verb in _MAKES:
            self._made[act.thing] = _Known(text, act)
        return act, text, known.text if known and told else ""


def _together(made: Act, act: Act) -> Act | None:
    """Return the combined result of both acts; None if the later one may affect only a part of the thing, or may
    leave some of its creation unchanged."""
    if act.object not in ((), made.object):
        return None
    if act.verb in _ENDS and all(map(says_why, act.others)):
        # the title is in the line that is replaced
        return replace(act, title=act.title or made.title)
    if act.verb not in _UPDATES or not act.is_plain or not act.others <= made.others:
        return None
    kept = tuple((name, value) for name, value in made.details if name not in act.others)
    return replace(made, details=(*act.details, *kept))


def carried_key(what: str) -> str:
    """Return the key of an effect that an earlier round reported as failed. For an act that no tool name identifies,
    it is the whole text."""
    named = effect_key(what)
    asked = named.partition(" ")[2]
    bare = what.startswith(f"{named} (") and (not asked or names_action(asked))
    return what if bare else named


def corrects(done: Effect, failed: str, line: str, names: Collection[str]) -> bool:
    """Return whether an effect is the earlier failure done again, possibly corrected. `failed` is the key of the
    failure, `line` its line, `names` the names of its arguments if known."""
    if does_same(done.key, failed):
        return True
    if not done.asked or not failed.startswith(f"{done.asked} "):
        return False
    if failed.startswith(f"{done.asked} ("):
        return _asks_same(dict(done.given), failed.removeprefix(f"{done.asked} (").removesuffix(")"))
    words, others = done.key.split(), failed.split()
    differing = [(word, other) for word, other in zip(words, others, strict=False) if word != other]
    if len(words) != len(others) or len(differing) != 1:
        return False
    return _is_put_right(*differing[0], line) or _is_given_to_another(done, words, differing[0][0], names)


def _is_given_to_another(done: Effect, words: list[str], value: str, names: Collection[str]) -> bool:
    """Return whether a tool assigned the thing that it is named for to someone else than before; a thing has one
    assignee but may have several of everything else. `words`: the tool, the thing, the assignee; `names`: arguments
    of the failed call."""
    tool = {word.rstrip("s") for word in tool_words(done.asked)}
    about = {said: {word.rstrip("s") for word in tool_words(name)} for name, said in reversed(done.given)}
    thing, gets = about.get("".join(words[1:2]), set()), about.get(value, set())
    same = set(names) == {name for name, _ in done.given}
    return same and tool_words(done.asked)[0] == "assign" and bool(thing & tool) and not _WHO.isdisjoint(gets)


def _asks_same(given: dict[str, str], told: str) -> bool:
    """Return whether the new call has all known arguments of the failed one, except for dates and times and for
    texts that are similar."""
    names = "|".join(re.escape(name) for name in sorted(given, key=len, reverse=True))
    before, *found = re.split(rf"(?:^|, )({names}) ", told) if names else [told]
    pairs = [(given[name], value) for name, value in zip(found[::2], found[1::2], strict=True)]
    same = sum(now == value for now, value in pairs)
    return not before and same > 0 and all(now == value or _is_alike(now, value) for now, value in pairs)


def _is_alike(now: str, before: str) -> bool:
    """Return whether both are dates or times, or both are long texts that share half of their words and have no new
    number."""
    if _WHEN.fullmatch(now) and _WHEN.fullmatch(before):
        return True
    words, others = set(_WORD.findall(now.lower())), set(_WORD.findall(before.lower()))
    return (
        len(now) >= _TEXT
        and len(now.split()) >= _TEXT_WORDS
        and set(_NUMBER.findall(now)) <= set(_NUMBER.findall(before))
        and 2 * len(words & others) >= min(len(words), len(others))
    )


def _is_put_right(word: str, wrong: str, line: str) -> bool:
    """Return whether an address is a corrected form of one that the line reports as wrong."""
    if "@" not in word or "@" not in wrong or line.count(wrong) < _TWICE:
        return False
    (name, domain), (other, place) = word.lower().split("@", 1), wrong.lower().split("@", 1)
    return _is_same_name(name, other) and (_is_misspelt(domain, place) or _share_word(domain, place))


def _is_same_name(name: str, other: str) -> bool:
    """Return whether two mailbox names may belong to the same person. They must differ in at most two letters, or
    share the last word. In that case one of them consists of it alone, or abbreviates the first word to its letter."""
    if _is_misspelt(name, other):
        return True
    words, others = re.split(r"[._-]", name), re.split(r"[._-]", other)
    is_shortened = min(len(words[0]), len(others[0])) == 1 and words[0][:1] == others[0][:1]
    return words[-1] == others[-1] and (1 in (len(words), len(others)) or is_shortened)


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether two names are equal, or differ in at most two letters but in no number."""
    if one == other:
        return True
    if min(len(one), len(other)) < _SHORTEST or _NUMBER.findall(one) != _NUMBER.findall(other):
        return False
    costs = list(range(len(other) + 1))
    for at, sign in enumerate(one, 1):
        before, costs[0] = costs[0], at
        for place, wanted in enumerate(other, 1):
            best = min(costs[place] + 1, costs[place - 1] + 1, before + (sign != wanted))
            before, costs[place] = costs[place], best
    return costs[-1] <= _MISSPELT


def _share_word(domain: str, other: str) -> bool:
    """Return whether two domains share a word, not counting the last one."""
    words, others = (_WORD.findall(text.rpartition(".")[0]) for text in (domain, other))
    return not set(words).isdisjoint(others)
