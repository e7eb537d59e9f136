"""Decide what later acts do to earlier ones. They can cancel their effect, such as changing the same setting again
or reopening a ticket; update their description; or make up for a failure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.act_identities import is_reason_argument
from compactor_cli.features.work.command_keys import is_same_command
from compactor_cli.features.work.effects import Act, Effect, act_text
from compactor_cli.features.work.remote_steps import REMOTE_PROGRAMS, without_leading_options
from compactor_cli.features.work.shell_effects import effect_key
from compactor_cli.features.work.sql_effects import parse_change_line
from compactor_cli.features.work.sql_statements import SqlChange
from compactor_cli.features.work.standing import Standing
from compactor_cli.features.work.tool_names import is_action_name, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_SETTING_VERBS = word_set("set scale rollout label annotate autoscale upgrade rollback update modify put")
"""First words of subcommands that put things into the stated condition, whatever it was before."""
_NOT_SETTING_PROGRAMS = word_set("git gh")
_AMOUNT_OPTIONS = word_set("--replicas --desired-count --desired-capacity --new-capacity")
"""Options that state an amount; values of other options may identify the object."""
_ASSIGNING_OPTION = "--set"
"""The option that assigns a value to a name."""
_ASSIGNING_PROGRAMS = word_set("kubectl oc")
"""Programs that take assignments as plain words, without an option."""
_ASSIGNMENT = compiled_later(r"([\w./-]+)(?:=.*|-)$", re.DOTALL)
"""A value assigned to a name or removed from it: `LOG_LEVEL=debug`, `team-`."""
_CREATING_VERBS = word_set("create open book schedule register")
_UPDATING_VERBS = word_set("update modify edit change reschedule")
_ENDING_VERBS = word_set("delete cancel remove close")
_MIN_PROSE_CHARS, _MIN_PROSE_WORDS = 24, 4
"""Minimum characters and words of an argument that counts as prose, which may be rephrased."""
_DATE_OR_TIME = compiled_later(r"[^A-Za-z]*(?:\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d)[^A-SU-Za-z]*")
_WORD = compiled_later(r"[^\W\d_]{3,}")
_NUMBER = compiled_later(r"\d+")
_MIN_OCCURRENCES = 2
"""Minimum occurrences in a line of what is wrong: once in the attempt and once in the reason."""
_PERSON_WORDS = word_set("assignee account owner person")
"""Words of argument names for the single person that a thing is assigned to."""
_MAX_LETTER_EDITS, _MIN_NAME_CHARS = 2, 5
"""Maximum edits by which a misspelt name differs, and its minimum length; shorter names count as different."""

_MAX_ACTS = 20
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

    def record_act(self, text: str, standing: Standing | None = None) -> Iterator[str]:
        """Record an act, and yield the texts of earlier acts whose effect it cancels. `standing`: the state of the
        thing after the act, if stated."""
        if sql_change := parse_change_line(text):
            yield from self._record_sql_change(text, *sql_change)
        elif setting := _parse_setting(text):
            settings = self._settings.setdefault(setting.words, {})
            cancelled = [other for other, names in settings.items() if names <= setting.names and other != text]
            for other in cancelled:
                del settings[other]
            settings[text] = setting.names
            yield from cancelled
        elif standing:
            acts = self._standing.setdefault(standing.thing, {})
            acts.pop(text, None)
            same_aspect = (other for other, aspects in acts.items() if not aspects.isdisjoint(standing.aspects))
            cancelled = [*same_aspect] if standing.took_place else []
            for other in cancelled:
                del acts[other]
            acts[text] = standing.aspects
            if len(acts) > _MAX_ACTS:
                del acts[next(iter(acts))]
            yield from cancelled

    def _record_sql_change(self, text: str, database: str, change: SqlChange) -> Iterator[str]:
        if change.verb == "rollback":
            for changes in self._changes.pop(database, {}).values():
                yield from changes
            return
        tables = self._changes.setdefault(database, {})
        for name in change.names if change.removes or change.replaces else ():
            changes = tables.get(name, {})
            cancelled = [
                other for other, before in changes.items() if other != text and _cancels_change(change, before)
            ]
            for other in cancelled:
                del changes[other]
            yield from cancelled
        tables.setdefault(change.names[0], {})[text] = change


def _cancels_change(change: SqlChange, before: SqlChange) -> bool:
    """Return whether a change in a database cancels the effect of an earlier one."""
    if not set(before.names) <= set(change.names):
        return False
    if before.changes_rows:
        return change.verb == "truncate" or (change.verb == "drop" and change.kind == "table")
    if change.kind != before.kind:
        return False
    if change.columns:
        return before.columns != () and set(before.columns) <= set(change.columns)
    return change.verb == "drop" or (change.replaces and before.verb == "create")


def _parse_setting(text: str) -> _Setting | None:
    """Return what a command sets, from its text; None for a command that acts anew each time, or whose text is cut."""
    words = text.split()
    if (
        words[0] not in REMOTE_PROGRAMS - _NOT_SETTING_PROGRAMS
        or (text.endswith("…") and not text.endswith("=…"))
        or " → " in text
    ):
        return None
    if _SETTING_VERBS.isdisjoint(word.split("-", 1)[0] for word in without_leading_options(words)[1:4]):
        return None
    plain_words, names = [], []
    previous = ""
    for word in words:
        option, has_value, _ = word.partition("=")
        is_option_value = previous.startswith("-") and "=" not in previous
        assignment = (
            _ASSIGNMENT.match(word)
            if previous == _ASSIGNING_OPTION or (not is_option_value and words[0] in _ASSIGNING_PROGRAMS)
            else None
        )
        if has_value and option in _AMOUNT_OPTIONS:
            plain_words.append(option)
        elif previous in _AMOUNT_OPTIONS:
            pass
        elif assignment and not word.startswith("-") and not (previous == _ASSIGNING_OPTION and "," in word):
            names.append(assignment[1])
        else:
            plain_words.append(word)
        previous = word
    return _Setting(tuple(plain_words), frozenset(names))


class _CreatedThing(Struct, frozen=True):
    text: str
    act: Act


class CreatedThings:
    """Acts that created things and whose results named them. Updates are merged into the creation; any other act on
    the thing ends this."""

    def __init__(self) -> None:
        self._created: dict[str, _CreatedThing] = {}

    def record_act(self, act: Act, text: str) -> tuple[Act, str, str]:
        """Return an act and its line, merged with what is known about the thing, and the line that it replaces."""
        creation = self._created.pop(act.thing, None)
        merged = _merge_acts(creation.act, act) if creation else None
        if merged:
            act, text = merged, act_text(f"{merged.head} {merged.title}".strip(), merged.details)
        if act.is_creation and act.verb in _CREATING_VERBS:
            self._created[act.thing] = _CreatedThing(text, act)
        return act, text, creation.text if creation and merged else ""


def _merge_acts(creation: Act, act: Act) -> Act | None:
    """Return the combined result of both acts; None if the later one may affect only a part of the thing, or may
    leave some of its creation unchanged."""
    if act.action_object not in ((), creation.action_object):
        return None
    if act.verb in _ENDING_VERBS and all(map(is_reason_argument, act.argument_names)):
        # the title is in the line that is replaced
        return replace(act, title=act.title or creation.title)
    if act.verb not in _UPDATING_VERBS or not act.is_plain or not act.argument_names <= creation.argument_names:
        return None
    kept = tuple((name, value) for name, value in creation.details if name not in act.argument_names)
    return replace(creation, details=(*act.details, *kept))


def earlier_effect_key(line: str) -> str:
    """Return the key of an effect that an earlier round reported as failed. For an act that no tool name identifies,
    it is the whole text."""
    act_key = effect_key(line)
    arguments_text = act_key.partition(" ")[2]
    has_only_details = line.startswith(f"{act_key} (") and (not arguments_text or is_action_name(arguments_text))
    return line if has_only_details else act_key


def is_corrected_retry(done: Effect, failed: str, line: str, names: Collection[str]) -> bool:
    """Return whether an effect is the earlier failure done again, possibly corrected. `failed` is the key of the
    failure, `line` its line, `names` the names of its arguments if known."""
    if is_same_command(done.key, failed):
        return True
    if not done.action or not failed.startswith(f"{done.action} "):
        return False
    if failed.startswith(f"{done.action} ("):
        return _has_same_arguments(dict(done.arguments), failed.removeprefix(f"{done.action} (").removesuffix(")"))
    done_words, failed_words = done.key.split(), failed.split()
    differing = [(word, other) for word, other in zip(done_words, failed_words, strict=False) if word != other]
    if len(done_words) != len(failed_words) or len(differing) != 1:
        return False
    return _is_corrected_address(*differing[0], line) or _is_given_to_another(done, done_words, differing[0][0], names)


def _is_given_to_another(done: Effect, words: list[str], value: str, names: Collection[str]) -> bool:
    """Return whether a tool assigned the thing that it is named for to someone else than before; a thing has one
    assignee but may have several of everything else. `words`: the tool, the thing, the assignee; `names`: arguments
    of the failed call."""
    tool = {word.rstrip("s") for word in tool_words(done.action)}
    argument_words = {
        argument: {word.rstrip("s") for word in tool_words(name)} for name, argument in reversed(done.arguments)
    }
    object_words, receiver_words = argument_words.get("".join(words[1:2]), set()), argument_words.get(value, set())
    has_same_names = set(names) == {name for name, _ in done.arguments}
    return (
        has_same_names
        and tool_words(done.action)[0] == "assign"
        and bool(object_words & tool)
        and not _PERSON_WORDS.isdisjoint(receiver_words)
    )


def _has_same_arguments(new_values: dict[str, str], failed_text: str) -> bool:
    """Return whether the new call has all known arguments of the failed one, except for dates and times and for
    texts that are similar."""
    names = "|".join(re.escape(name) for name in sorted(new_values, key=len, reverse=True))
    leading, *parts = re.split(rf"(?:^|, )({names}) ", failed_text) if names else [failed_text]
    pairs = [(new_values[name], value) for name, value in zip(parts[::2], parts[1::2], strict=True)]
    unchanged = sum(new == value for new, value in pairs)
    return not leading and unchanged > 0 and all(new == value or _is_rephrased(new, value) for new, value in pairs)


def _is_rephrased(new: str, old: str) -> bool:
    """Return whether both are dates or times, or both are long texts that share half of their words and have no new
    number."""
    if _DATE_OR_TIME.fullmatch(new) and _DATE_OR_TIME.fullmatch(old):
        return True
    new_words, old_words = set(_WORD.findall(new.lower())), set(_WORD.findall(old.lower()))
    return (
        len(new) >= _MIN_PROSE_CHARS
        and len(new.split()) >= _MIN_PROSE_WORDS
        and set(_NUMBER.findall(new)) <= set(_NUMBER.findall(old))
        and 2 * len(new_words & old_words) >= min(len(new_words), len(old_words))
    )


def _is_corrected_address(address: str, wrong_address: str, line: str) -> bool:
    """Return whether an address is a corrected form of one that the line reports as wrong."""
    if "@" not in address or "@" not in wrong_address or line.count(wrong_address) < _MIN_OCCURRENCES:
        return False
    (name, domain), (other_name, other_domain) = address.lower().split("@", 1), wrong_address.lower().split("@", 1)
    return _is_same_name(name, other_name) and (_is_misspelt(domain, other_domain) or _share_word(domain, other_domain))


def _is_same_name(name: str, other: str) -> bool:
    """Return whether two mailbox names may belong to the same person. They must differ in at most two letters, or
    share the last word. In that case one of them consists of it alone, or abbreviates the first word to its letter."""
    if _is_misspelt(name, other):
        return True
    words, others = re.split(r"[._-]", name), re.split(r"[._-]", other)
    is_shortened = min(len(words[0]), len(others[0])) == 1 and words[0][:1] == others[0][:1]
    return words[-1] == others[-1] and (1 in (len(words), len(others)) or is_shortened)


def _is_misspelt(first: str, second: str) -> bool:
    """Return whether two names are equal, or differ in at most two letters but in no number."""
    if first == second:
        return True
    if min(len(first), len(second)) < _MIN_NAME_CHARS or _NUMBER.findall(first) != _NUMBER.findall(second):
        return False
    costs = list(range(len(second) + 1))
    for row, sign in enumerate(first, 1):
        diagonal, costs[0] = costs[0], row
        for column, letter in enumerate(second, 1):
            cost = min(costs[column] + 1, costs[column - 1] + 1, diagonal + (sign != letter))
            diagonal, costs[column] = costs[column], cost
    return costs[-1] <= _MAX_LETTER_EDITS


def _share_word(domain: str, other: str) -> bool:
    """Return whether two domains share a word, not counting the last one."""
    words, others = (_WORD.findall(text.rpartition(".")[0]) for text in (domain, other))
    return not set(words).isdisjoint(others)
