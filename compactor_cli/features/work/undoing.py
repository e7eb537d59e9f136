"""Acts that undo earlier ones: booked and cancelled, created and deleted, committed and reverted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.act_identities import IDENTITY, NUMBER_WORDS, is_reason_argument, is_scalar, name_words
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect
from compactor_cli.features.work.foreign_verbs import foreign_undoing_part, is_foreign_giving_verb
from compactor_cli.features.work.git_steps import Commits
from compactor_cli.features.work.json_results import result_members
from compactor_cli.features.work.standing import may_not_have_happened
from compactor_cli.features.work.tool_names import LOOKING, acting_verb, call_verb, named_action, tool_words
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.folding import fold
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_CREATING_VERBS = "create make add insert new open register schedule book reserve place order buy purchase subscribe"
_PUTTING_VERBS = (
    "upload save write post publish share attach apply install invite assign mount import copy put pin link grant"
)
_SENDING_VERBS = "send submit post publish upload propose share file release"
_UNDONE_VERBS = {
    **dict.fromkeys(
        ("delete", "remove", "destroy", "discard", "drop", "erase"), word_set(f"{_CREATING_VERBS} {_PUTTING_VERBS}")
    ),
    **dict.fromkeys(
        ("cancel", "void", "annul", "abort"),
        word_set(f"{_CREATING_VERBS} request submit send start launch return exchange transfer hold invite"),
    ),
    **dict.fromkeys(
        ("recall", "withdraw", "retract", "unsend"), word_set(f"{_SENDING_VERBS} create request place order")
    ),
    "revoke": word_set("grant share issue invite create allow add assign permit"),
    "release": word_set("hold reserve block book claim lock assign acquire"),
    "stop": word_set("start run launch begin resume"),
    "detach": word_set("attach add"),
    "disconnect": word_set("connect link add"),
    "uninstall": word_set("install add"),
    "unregister": word_set("register add create"),
}
"""Verb -> verbs whose effect it undoes on the same thing. A verb with the prefix `un` undoes the verb after it."""
_UNDO_VERBS = word_set("undo revert rollback reverse")
"""Verbs that undo any act."""
_UNDOING_PREFIX = "un"
_PREFIXED_VERBS = word_set(
    f"{_CREATING_VERBS} {_PUTTING_VERBS} block lock follow mark flag ban freeze archive set tag hold mute star "
    f"watch enroll bind load "
    "deploy suspend silence"
)
"""Verbs that may have the prefix `un`; other words may begin with it by coincidence."""
_CHANGING_VERBS = word_set("update edit modify change move rename reschedule set patch")
"""Verbs of acts that also leave nothing once their object no longer exists."""
_ENDING_VERBS = word_set("delete remove destroy discard erase cancel void")
_FILE_VERBS = word_set("export write save generate dump download")
"""Verbs of acts whose only effect is a file."""
_SYNONYMS = (
    word_set("book reserve"),
    word_set("booking reservation appointment"),
    word_set("email mail message"),
)
"""Words in names of tools that mean the same."""
_NEUTRAL_WORDS = word_set("mcp api tool service client server")
_MANNER_ARGUMENTS = word_set(
    "action operation op method command verb notify notification force confirm confirmed "
    "user_id userId payment_id paymentId payment_method_id"
)
"""Arguments that say how and by whom, not which thing is meant."""
_NAME_WITH_DIGIT = compiled_later(r"(?<![\w-])(?=[\w-]*\d)[\w-]{4,40}(?![\w-])")
"""A word of a result that may be its name for the thing."""
_STEM_CHARS = 4
_MIN_DIGITS = 4
"""Minimum number of digits at which a number is unlikely to refer to two things."""
_MAX_RESULT_CHARS, _MAX_VALUES = 2_000, 60
"""Maximum length of a result, and maximum number of its values, that are examined."""
_MAX_ACTS = 20
"""Maximum number of newest acts on the same name that are compared."""

_OPPOSITE_SUBCOMMANDS = (
    *("install uninstall", "start stop", "enable disable", "create delete rm", "add remove rm", "cordon uncordon"),
    *("close reopen", "apply delete destroy", "up down", "lock unlock", "mount umount", "attach detach"),
    *("link unlink", "load unload", "mask unmask", "pause unpause resume", "set unset", "suspend resume"),
    *("deploy destroy", "pin unpin", "hold unhold", "follow unfollow", "archive unarchive", "publish unpublish"),
)
"""Subcommands of which only the newest one counts."""
_SUBCOMMAND_GROUPS = {
    verb: frozenset(index for index, verbs in enumerate(_OPPOSITE_SUBCOMMANDS) if verb in verbs.split())
    for verb in " ".join(_OPPOSITE_SUBCOMMANDS).split()
}
_QUOTED = compiled_later(r'"[^"]*"')
_CLOSE_PREFIX, _OPENED_PREFIX = "gh close ", "gh pr create"
_REPOSITORY_NAME = compiled_later(r"([\w.-]+/[\w.-]+)(?:/pull/|#)\d| -R (?:\S+/)?([\w.-]+/[\w.-]+)\n")
"""How commands of `gh` and their output name a repository."""
_SUBCOMMAND_WORDS = 3
"""The subcommand is among this many words at the beginning of a command."""


class _PastAct(Struct, frozen=True):
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


class PastActs:
    """The acts so far, indexed by the names of what they were done to."""

    def __init__(self) -> None:
        self._acts: dict[str, dict[str, _PastAct]] = {}
        """Value -> line -> act, newest last."""
        self._commands: dict[tuple[str, ...], dict[str, str]] = {}
        """Words of a command without its subcommand -> subcommand -> line."""
        self._counts: dict[str, int] = {}

    def remove_undone(self, effect: Effect, call: ToolCall, done_lines: dict[str, StateLine]) -> str:
        """Remove from `done_lines` the lines whose effect is undone, and return the line of the undoing effect."""
        text = effect.text
        for undone in self._undone_lines(effect, call, done_lines):
            self._counts.pop(undone, None)
            if done_lines.pop(undone, None) is not None and text == effect.text:
                text = _undoing_line(text, undone)
        return text

    def _undone_lines(self, effect: Effect, call: ToolCall, done_lines: Iterable[str]) -> list[str]:
        """Return the lines that an effect undoes, first the one of the act that it reverses."""
        if call.command:
            return [*self._opposite_lines(effect), *_closed_request_lines(effect, call, done_lines)]
        act = _past_act(effect.text, call)
        verb = _undoing_verb(act.words)
        if not verb or not _can_identify(act.values) or may_not_have_happened(call.output):
            return []
        same_acts = list(self._acts_on_same(act))
        undoable = [done for done in same_acts if self._counts.get(done.text) and _is_undone_by(act, verb, done)]
        if len(undoable) != 1 or self._counts[undoable[0].text] > 1:
            return []  # it may be any of them
        undone_line, is_ending = undoable[0].text, verb in _ENDING_VERBS
        changing_acts = (
            done
            for done in same_acts
            if is_ending and done.words[0] in _CHANGING_VERBS and _is_about_same(act, verb, done)
        )
        return [undone_line, *(done.text for done in changing_acts)]

    def remove_deleted(self, paths: Iterable[str], done_lines: dict[str, StateLine]) -> None:
        """Remove from `done_lines` the lines of acts that only created files which are now deleted."""
        for path in paths:
            for text, done in self._acts.get(path.lower(), {}).items():
                if not _FILE_VERBS.isdisjoint(done.verbs):
                    done_lines.pop(text, None)

    def record_act(self, text: str, effect: Effect, call: ToolCall) -> None:
        """Record an act that took place. `text`: its line."""
        if call.command:
            index, subcommand = _find_subcommand(effect.key)
            if subcommand:
                words = effect.key.split()
                self._commands.setdefault((*words[:index], *words[index + 1 :]), {})[subcommand] = text
            return
        act = _past_act(text, call)
        self._counts[text] = self._counts.get(text, 0) + 1
        for value in act.values:
            acts = self._acts.setdefault(value, {})
            acts.pop(text, None)
            acts[text] = act
            if len(acts) > _MAX_ACTS:
                del acts[next(iter(acts))]

    def read_earlier_line(self, line: str) -> None:
        """Record an act that an earlier round reported, based on the words of its line."""
        tool, _, rest = line.partition(" ")
        if not rest or len(tool_words(tool)) < 2:
            return
        words = [word.strip("(),;") for word in rest.split()]
        values = frozenset(word.lower() for word in [*words, rest.partition(" (")[0]] if word)
        act = _PastAct(line, tool, _verbs(tool, acting_verb(tool)), tool_words(tool), values, ())
        self._counts[line] = 1
        for value in values:
            self._acts.setdefault(value, {})[line] = act

    def _acts_on_same(self, act: _PastAct) -> Iterator[_PastAct]:
        """Yield earlier acts whose values include all values of this one, newest first."""
        rarest = min(act.values, key=lambda value: len(self._acts.get(value, ())))
        for done in islice(reversed(self._acts.get(rarest, {}).values()), _MAX_ACTS):
            lists_match = all(
                earlier_list == list_values or earlier_list.isdisjoint(list_values)
                for earlier_list in done.lists
                for list_values in act.lists
            )
            if act.values <= done.values and lists_match:
                yield done

    def _opposite_lines(self, effect: Effect) -> Iterator[str]:
        index, subcommand = _find_subcommand(effect.key)
        words = effect.key.split()
        earlier = self._commands.get((*words[:index], *words[index + 1 :]), {}) if subcommand else {}
        for other, text in list(earlier.items()):
            if other != subcommand and not _SUBCOMMAND_GROUPS[other].isdisjoint(_SUBCOMMAND_GROUPS[subcommand]):
                del earlier[other]
                yield text


def _closed_request_lines(effect: Effect, call: ToolCall, done_lines: Iterable[str]) -> Iterator[str]:
    """Yield the line that opened the pull request which a command closes, in the repository that the command or its
    result names."""
    number = effect.key.removeprefix(_CLOSE_PREFIX)
    if effect.key.startswith(_CLOSE_PREFIX) and number.isdigit() and effect.text.startswith("gh pr "):
        repository = _REPOSITORY_NAME.search(f"{effect.text}\n{call.output}")
        line_end = f"/{repository[1] or repository[2]}/pull/{number}" if repository else f"/pull/{number}"
        yield from (text for text in done_lines if text.startswith(_OPENED_PREFIX) and text.endswith(line_end))


def name_reverted(effect: Effect, commits: Commits, done_lines: dict[str, StateLine]) -> Effect:
    """Return an effect; a git revert is labelled with the commits that it undoes. Their lines are removed from
    `done_lines`."""
    reverted = commits.lines_reverted(effect.git) if effect.git else []
    for text in reverted:
        done_lines.pop(text, None)
    titles = (text.partition('"')[2].rpartition('"')[0] for text in reverted)
    quoted_titles = ", ".join(f'"{title}"' for title in titles if title)
    return replace(effect, text=f"{effect.text} ({quoted_titles})") if quoted_titles else effect


def _undoing_line(text: str, undone: str) -> str:
    """Return the line of an act that undoes another one, with the name of that one unless the line already contains
    it."""
    if undone.startswith(_OPENED_PREFIX):
        return " ".join([text, *_QUOTED.findall(undone)])
    undone_head = undone.partition(" (")[0]
    names = undone_head.split()[1:]
    names_it = any(name.lower() in text.lower() for name in names)
    return text if names_it or not names else one_line(f"{text}, which takes back {undone_head}", 240)


def _past_act(text: str, call: ToolCall) -> _PastAct:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    action = named_action(call.tool, arguments)
    words = tuple(dict.fromkeys((*tool_words(action), *tool_words(call.tool))))
    if len(words) == 1 and _undoing_verb(words):  # the argument says what it is done to
        words += _identity_words(arguments)
    object_arguments = {name: value for name, value in arguments.items() if not _is_manner(name) and value != action}
    values = {text.lower() for text in _iter_scalars(object_arguments)}
    if not _undoing_verb(words):
        output = call.output[:_MAX_RESULT_CHARS]
        values |= {text.lower() for text in (*_iter_scalars(result_members(output)), *_NAME_WITH_DIGIT.findall(output))}
    lists = tuple(frozenset(_iter_scalars(value)) for value in object_arguments.values() if isinstance(value, list))
    verbs = _verbs(call.tool, call_verb(call.tool, arguments))
    return _PastAct(text, call.tool, verbs, words, frozenset(islice(sorted(values), _MAX_VALUES)), lists)


def _identity_words(arguments: dict[str, Any]) -> tuple[str, ...]:
    """Return the words for what the only identity among the arguments belongs to: the `order` of `order_id`."""
    kinds = [name_words(name) - NUMBER_WORDS for name in arguments if IDENTITY.search(name)]
    return tuple(kinds[0]) if len(kinds) == 1 else ()


def _is_manner(name: str) -> bool:
    return name in _MANNER_ARGUMENTS or is_reason_argument(name)


def _verbs(tool: str, verb: str) -> frozenset[str]:
    words = tool_words(tool)
    return frozenset((verb,) if verb else (*words[:1], *words[-1:]))


def _iter_scalars(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for member in value.values() if isinstance(value, dict) else value:
            yield from _iter_scalars(member)
    elif is_scalar(value):
        yield str(value)


def _can_identify(values: frozenset[str]) -> bool:
    return any(any(map(str.isalpha, value)) or sum(map(str.isdigit, value)) >= _MIN_DIGITS for value in values)


def _undoing_verb(words: tuple[str, ...]) -> str:
    """Return the verb, at either end of a name, with which a tool undoes something."""
    if not LOOKING.isdisjoint(words[:1]):
        return ""
    outer_words = *words[:1], *words[-1:]
    inner_verb = next((word for word in (*outer_words, *words) if _is_undoing(word)), "")
    return inner_verb or next(filter(foreign_undoing_part, outer_words), "")


def _is_undoing(word: str) -> bool:
    return word in _UNDONE_VERBS or word in _UNDO_VERBS or _verb_without_prefix(word) != ""


def _verb_without_prefix(verb: str) -> str:
    """Return the verb that a verb with the prefix `un` undoes, or ""."""
    plain_verb = verb.removeprefix(_UNDOING_PREFIX)
    return plain_verb if plain_verb != verb and plain_verb in _PREFIXED_VERBS else ""


def _is_undone_by(act: _PastAct, verb: str, done: _PastAct) -> bool:
    """Return whether an act undoes an earlier one that had the same values."""
    if (
        done.tool == act.tool
        or _undoing_verb(done.words)
        or not LOOKING.isdisjoint(done.words[:1])
        or not _is_about_same(act, verb, done)
    ):
        return False
    if verb in _UNDO_VERBS:
        return True
    if not _is_undoing(verb):
        return not any(map(is_foreign_giving_verb, (done.words[0], done.words[-1])))
    undone_verbs = _UNDONE_VERBS.get(verb) or {_verb_without_prefix(verb)}
    return not undone_verbs.isdisjoint(done.verbs)


def _is_about_same(act: _PastAct, verb: str, done: _PastAct) -> bool:
    """Return whether two tool names are about the same thing: `cancel_booking` and `book_flight`, but not
    `remove_label` and `create_issue`."""
    earlier_words = name_words(*done.words)
    own_words = {word.rstrip("s") for word in act.words} - {verb, verb.rstrip("s")} - _NEUTRAL_WORDS
    if rest := fold(verb).replace(foreign_undoing_part(verb), "") if not verb.isascii() else "":
        own_words.add(rest)  # some languages write words together
    return all(word in earlier_words or any(_means_same(word, other) for other in earlier_words) for word in own_words)


def _means_same(word: str, other: str) -> bool:
    if any(word in same and other in same for same in _SYNONYMS):
        return True
    if word in _SYNONYMS[1] and other in _SYNONYMS[0]:
        return True
    if not word.isascii() and (word in fold(other) or fold(other) in word):
        return True
    return len(other) >= _STEM_CHARS and word.startswith(other[:-1] if other.endswith("e") else other)


def _find_subcommand(key: str) -> tuple[int, str]:
    """Return the position and the word of a subcommand that another one undoes; (0, "") if no object follows it."""
    words = key.split()
    index = next((index for index, word in enumerate(words[1:_SUBCOMMAND_WORDS], 1) if word in _SUBCOMMAND_GROUPS), 0)
    return (index, words[index]) if 0 < index < len(words) - 1 and words[0] != "git" else (0, "")
