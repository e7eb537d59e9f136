"""Acts that undo earlier ones: booked and cancelled, created and deleted, committed and reverted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.act_identities import IDENTITY, OF_NUMBERS, is_scalar, name_words, says_why
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect
from compactor_cli.features.work.foreign_verbs import gives_away, undoing_part
from compactor_cli.features.work.git_steps import Commits
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.standing import leaves_open
from compactor_cli.features.work.tool_names import LOOKING, acting_verb, asked_action, tool_words, verb_of
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.folded import folded
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_MAKES = "create make add insert new open register schedule book reserve place order buy purchase subscribe"
_PUTS = "upload save write post publish share attach apply install invite assign mount import copy put pin link grant"
_SENDS = "send submit post publish upload propose share file release"
_TAKES_BACK = {
    **dict.fromkeys(("delete", "remove", "destroy", "discard", "drop", "erase"), word_set(f"{_MAKES} {_PUTS}")),
    **dict.fromkeys(
        ("cancel", "void", "annul", "abort"),
        word_set(f"{_MAKES} request submit send start launch return exchange transfer hold invite"),
    ),
    **dict.fromkeys(("recall", "withdraw", "retract", "unsend"), word_set(f"{_SENDS} create request place order")),
    "revoke": word_set("grant share issue invite create allow add assign permit"),
    "release": word_set("hold reserve block book claim lock assign acquire"),
    "stop": word_set("start run launch begin resume"),
    "detach": word_set("attach add"),
    "disconnect": word_set("connect link add"),
    "uninstall": word_set("install add"),
    "unregister": word_set("register add create"),
}
"""Verb -> verbs whose effect it undoes on the same thing. A verb with the prefix `un` undoes the verb after it."""
_UNDOES = word_set("undo revert rollback reverse")
"""Verbs that undo any act."""
_UN = "un"
_UNDONE = word_set(
    f"{_MAKES} {_PUTS} block lock follow mark flag ban freeze archive set tag hold mute star watch enroll bind load "
    "deploy suspend silence"
)
"""Verbs that may have the prefix `un`; other words may begin with it by coincidence."""
_CHANGES = word_set("update edit modify change move rename reschedule set patch")
"""Verbs of acts that also leave nothing once their object no longer exists."""
_NO_MORE = word_set("delete remove destroy discard erase cancel void")
_WRITES = word_set("export write save generate dump download")
"""Verbs of acts whose only effect is a file."""
_ALIKE = (
    word_set("book reserve"),
    word_set("booking reservation appointment"),
    word_set("email mail message"),
)
"""Words in names of tools that mean the same."""
_BESIDE = word_set("mcp api tool service client server")
_HOW = word_set(
    "action operation op method command verb notify notification force confirm confirmed "
    "user_id userId payment_id paymentId payment_method_id"
)
"""Arguments that say how and by whom, not which thing is meant."""
_NAME = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""A word of a result that may be its name for the thing."""
_STEM = 4
_LEAST_DIGITS = 4
"""Minimum number of digits at which a number is unlikely to refer to two things."""
_MOST_SAID, _MOST_VALUES = 2_000, 60
"""Maximum length of a result, and maximum number of its values, that are examined."""
_MOST = 20
"""Maximum number of newest acts on the same name that are compared."""

_TOGGLES = (
    *("install uninstall", "start stop", "enable disable", "create delete rm", "add remove rm", "cordon uncordon"),
    *("close reopen", "apply delete destroy", "up down", "lock unlock", "mount umount", "attach detach"),
    *("link unlink", "load unload", "mask unmask", "pause unpause resume", "set unset", "suspend resume"),
    *("deploy destroy", "pin unpin", "hold unhold", "follow unfollow", "archive unarchive", "publish unpublish"),
)
"""Subcommands of which only the newest one counts."""
_TOGGLED = {
    verb: frozenset(at for at, verbs in enumerate(_TOGGLES) if verb in verbs.split())
    for verb in " ".join(_TOGGLES).split()
}
_QUOTED = compiled_later(r'"[^"]*"')
_CLOSES, _OPENED = "gh close ", "gh pr create"
_IN_REPOSITORY = compiled_later(r"([\w.-]+/[\w.-]+)(?:/pull/|#)\d| -R (?:\S+/)?([\w.-]+/[\w.-]+)\n")
"""How commands of `gh` and their output name a repository."""
_OF_PROGRAM = 3
"""The subcommand is among this many words at the beginning of a command."""


class _Done(Struct, frozen=True):
    """What is known about an act."""

    text: str
    tool: str
    verbs: frozenset[str]
    """The verbs with which the tool acts, as far as known."""
    words: tuple[str, ...]
    """Words of the tool's name and of the action in its arguments."""
    values: frozenset[str]
    lists: tuple[frozenset[str], ...]
    """The elements of each list among the arguments."""


class Doings:
    """The acts so far, indexed by the names of what they were done to."""

    def __init__(self) -> None:
        self._acts: dict[str, dict[str, _Done]] = {}
        """Value -> line -> act, newest last."""
        self._commands: dict[tuple[str, ...], dict[str, str]] = {}
        """Words of a command without its subcommand -> subcommand -> line."""
        self._times: dict[str, int] = {}

    def take_back(self, effect: Effect, call: ToolCall, told: dict[str, StateLine]) -> str:
        """Remove from `told` the lines whose effect is undone, and return the line of the undoing effect."""
        text = effect.text
        for taken in self._taken_back(effect, call, told):
            self._times.pop(taken, None)
            if told.pop(taken, None) is not None and text == effect.text:
                text = _told_back(text, taken)
        return text

    def _taken_back(self, effect: Effect, call: ToolCall, told: Iterable[str]) -> list[str]:
        """Return the lines that an effect undoes, first the one of the act that it reverses."""
        if call.command:
            return [*self._toggled(effect), *_closed(effect, call, told)]
        act = _act(effect.text, call)
        verb = _undoing_verb(act.words)
        if not verb or not _names_thing(act.values) or leaves_open(call.said):
            return []
        alike = list(self._alike(act))
        meant = [done for done in alike if self._times.get(done.text) and _takes_back(act, verb, done)]
        if len(meant) != 1 or self._times[meant[0].text] > 1:
            return []  # it may be any of them
        made, gone = meant[0].text, verb in _NO_MORE
        changed = (done for done in alike if gone and done.words[0] in _CHANGES and _is_of(act, verb, done))
        return [made, *(done.text for done in changed)]

    def deleted(self, paths: Iterable[str], told: dict[str, StateLine]) -> None:
        """Remove from `told` the lines of acts that only created files which are now deleted."""
        for path in paths:
            for text, done in self._acts.get(path.lower(), {}).items():
                if not _WRITES.isdisjoint(done.verbs):
                    told.pop(text, None)

    def note(self, text: str, effect: Effect, call: ToolCall) -> None:
        """Record an act that took place. `text`: its line."""
        if call.command:
            at, asked = _asked_at(effect.key)
            if asked:
                words = effect.key.split()
                self._commands.setdefault((*words[:at], *words[at + 1 :]), {})[asked] = text
            return
        act = _act(text, call)
        self._times[text] = self._times.get(text, 0) + 1
        for value in act.values:
            acts = self._acts.setdefault(value, {})
            acts.pop(text, None)
            acts[text] = act
            if len(acts) > _MOST:
                del acts[next(iter(acts))]

    def carry(self, line: str) -> None:
        """Record an act that an earlier round reported, based on the words of its line."""
        tool, _, rest = line.partition(" ")
        if not rest or len(tool_words(tool)) < 2:
            return
        words = [word.strip("(),;") for word in rest.split()]
        values = frozenset(word.lower() for word in [*words, rest.partition(" (")[0]] if word)
        act = _Done(line, tool, _verbs(tool, acting_verb(tool)), tool_words(tool), values, ())
        self._times[line] = 1
        for value in values:
            self._acts.setdefault(value, {})[line] = act

    def _alike(self, act: _Done) -> Iterator[_Done]:
        """Yield earlier acts whose values include all values of this one, newest first."""
        least = min(act.values, key=lambda value: len(self._acts.get(value, ())))
        for done in islice(reversed(self._acts.get(least, {}).values()), _MOST):
            whole = all(held == own or held.isdisjoint(own) for held in done.lists for own in act.lists)
            if act.values <= done.values and whole:
                yield done

    def _toggled(self, effect: Effect) -> Iterator[str]:
        at, asked = _asked_at(effect.key)
        words = effect.key.split()
        known = self._commands.get((*words[:at], *words[at + 1 :]), {}) if asked else {}
        for other, text in list(known.items()):
            if other != asked and not _TOGGLED[other].isdisjoint(_TOGGLED[asked]):
                del known[other]
                yield text


def _closed(effect: Effect, call: ToolCall, told: Iterable[str]) -> Iterator[str]:
    """Yield the line that opened the pull request which a command closes, in the repository that the command or its
    result names."""
    number = effect.key.removeprefix(_CLOSES)
    if effect.key.startswith(_CLOSES) and number.isdigit() and effect.text.startswith("gh pr "):
        named = _IN_REPOSITORY.search(f"{effect.text}\n{call.said}")
        end = f"/{named[1] or named[2]}/pull/{number}" if named else f"/pull/{number}"
        yield from (text for text in told if text.startswith(_OPENED) and text.endswith(end))


def with_reverted(effect: Effect, commits: Commits, told: dict[str, StateLine]) -> Effect:
    """Return an effect; a git revert is labelled with the commits that it undoes. Their lines are removed from
    `told`."""
    reverted = commits.reverted(effect.git) if effect.git else []
    for text in reverted:
        told.pop(text, None)
    titles = (text.partition('"')[2].rpartition('"')[0] for text in reverted)
    named = ", ".join(f'"{title}"' for title in titles if title)
    return replace(effect, text=f"{effect.text} ({named})") if named else effect


def _told_back(text: str, taken: str) -> str:
    """Return the line of an act that undoes another one, with the name of that one unless the line already contains
    it."""
    if taken.startswith(_OPENED):
        return " ".join([text, *_QUOTED.findall(taken)])
    what = taken.partition(" (")[0]
    names = what.split()[1:]
    says_it = any(name.lower() in text.lower() for name in names)
    return text if says_it or not names else one_line(f"{text}, which takes back {what}", 240)


def _act(text: str, call: ToolCall) -> _Done:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    asked = asked_action(call.tool, arguments)
    words = tuple(dict.fromkeys((*tool_words(asked), *tool_words(call.tool))))
    if len(words) == 1 and _undoing_verb(words):  # the argument says what it is done to
        words += _kind(arguments)
    meant = {name: value for name, value in arguments.items() if not _is_aside(name) and value != asked}
    values = {text.lower() for text in _scalars(meant)}
    if not _undoing_verb(words):
        said = call.said[:_MOST_SAID]
        values |= {text.lower() for text in (*_scalars(result_members(said)), *_NAME.findall(said))}
    lists = tuple(frozenset(_scalars(value)) for value in meant.values() if isinstance(value, list))
    verbs = _verbs(call.tool, verb_of(call.tool, arguments))
    return _Done(text, call.tool, verbs, words, frozenset(islice(sorted(values), _MOST_VALUES)), lists)


def _kind(arguments: dict[str, Any]) -> tuple[str, ...]:
    """Return the words for what the only identity among the arguments belongs to: the `order` of `order_id`."""
    kinds = [name_words(name) - OF_NUMBERS for name in arguments if IDENTITY.search(name)]
    return tuple(kinds[0]) if len(kinds) == 1 else ()


def _is_aside(name: str) -> bool:
    return name in _HOW or says_why(name)


def _verbs(tool: str, verb: str) -> frozenset[str]:
    words = tool_words(tool)
    return frozenset((verb,) if verb else (*words[:1], *words[-1:]))


def _scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _scalars(member)
    elif is_scalar(value):
        yield str(value)


def _names_thing(values: frozenset[str]) -> bool:
    return any(any(map(str.isalpha, value)) or sum(map(str.isdigit, value)) >= _LEAST_DIGITS for value in values)


def _undoing_verb(words: tuple[str, ...]) -> str:
    """Return the verb, at either end of a name, with which a tool undoes something."""
    if not LOOKING.isdisjoint(words[:1]):
        return ""
    ends = *words[:1], *words[-1:]
    found = next((word for word in (*ends, *words) if _undoes(word)), "")
    return found or next(filter(undoing_part, ends), "")


def _undoes(word: str) -> bool:
    return word in _TAKES_BACK or word in _UNDOES or _undone_by(word) != ""


def _undone_by(verb: str) -> str:
    """Return the verb that a verb with the prefix `un` undoes, or ""."""
    bare = verb.removeprefix(_UN)
    return bare if bare != verb and bare in _UNDONE else ""


def _takes_back(act: _Done, verb: str, done: _Done) -> bool:
    """Return whether an act undoes an earlier one that had the same values."""
    if (
        done.tool == act.tool
        or _undoing_verb(done.words)
        or not LOOKING.isdisjoint(done.words[:1])
        or not _is_of(act, verb, done)
    ):
        return False
    if verb in _UNDOES:
        return True
    if not _undoes(verb):
        return not any(map(gives_away, (done.words[0], done.words[-1])))
    wanted = _TAKES_BACK.get(verb) or {_undone_by(verb)}
    return not wanted.isdisjoint(done.verbs)


def _is_of(act: _Done, verb: str, done: _Done) -> bool:
    """Return whether two tool names are about the same thing: `cancel_booking` and `book_flight`, but not
    `remove_label` and `create_issue`."""
    before = name_words(*done.words)
    about = {word.rstrip("s") for word in act.words} - {verb, verb.rstrip("s")} - _BESIDE
    if beside := folded(verb).replace(undoing_part(verb), "") if not verb.isascii() else "":
        about.add(beside)  # some languages write words together
    return all(word in before or any(_is_same(word, other) for other in before) for word in about)


def _is_same(word: str, other: str) -> bool:
    if any(word in same and other in same for same in _ALIKE):
        return True
    if word in _ALIKE[1] and other in _ALIKE[0]:
        return True
    if not word.isascii() and (word in folded(other) or folded(other) in word):
        return True
    return len(other) >= _STEM and word.startswith(other[:-1] if other.endswith("e") else other)


def _asked_at(key: str) -> tuple[int, str]:
    """Return the position and the word of a subcommand that another one undoes; (0, "") if no object follows it."""
    words = key.split()
    at = next((at for at, word in enumerate(words[1:_OF_PROGRAM], 1) if word in _TOGGLED), 0)
    return (at, words[at]) if 0 < at < len(words) - 1 and words[0] != "git" else (0, "")
