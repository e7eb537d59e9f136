"""Acts that failed and were then done with something put right, such as an address."""

from __future__ import annotations

import re
from collections.abc import Collection

from compactor_cli.features.work.effects import Effect
from compactor_cli.features.work.shell_effects import effect_key
from compactor_cli.features.work.tool_names import names_action, tool_words
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

_TEXT, _TEXT_WORDS = 24, 4
"""Characters and words of an argument from which on it is a text, which may be written in another way."""
_WHEN = compiled_later(r"[^A-Za-z]*(?:\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d)[^A-SU-Za-z]*")
_WORD = compiled_later(r"[^\W\d_]{3,}")
_NUMBER = compiled_later(r"\d+")
_TWICE = 2
"""So often a line names what is wrong: in what was to be done, and in why it was not."""
_WHO = word_set("assignee account owner person")
"""Words of arguments that say to whom a thing is given, who is one."""
_MISSPELT, _SHORTEST = 2, 5
"""Letters that a misspelt name differs in, and so many it has at least; shorter ones are other names."""


def carried_key(what: str) -> str:
    """Return the key of what an earlier round tells as failed. Of an act of a tool that nothing names it is all that is
    told of it."""
    named = effect_key(what)
    asked = named.partition(" ")[2]
    bare = what.startswith(f"{named} (") and (not asked or names_action(asked))
    return what if bare else named


def corrects(done: Effect, failed: str, line: str, names: Collection[str]) -> bool:
    """Return whether what was done is what failed before, with something put right: `failed` is the key of that, `line`
    what is told of it, `names` those of its arguments, where they are known."""
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
    """Return whether a tool was asked to assign the thing that it is named for, to somebody else than before: a thing
    may have several of all else. `words`: the tool, the thing and who gets it; `names`: arguments of what failed."""
    tool = {word.rstrip("s") for word in tool_words(done.asked)}
    about = {said: {word.rstrip("s") for word in tool_words(name)} for name, said in reversed(done.given)}
    thing, gets = about.get("".join(words[1:2]), set()), about.get(value, set())
    same = set(names) == {name for name, _ in done.given}
    return same and tool_words(done.asked)[0] == "assign" and bool(thing & tool) and not _WHO.isdisjoint(gets)


def _asks_same(given: dict[str, str], told: str) -> bool:
    """Return whether all that is told of the arguments of a failed call is asked for now, but for texts that say much
    the same, and days and times."""
    names = "|".join(re.escape(name) for name in sorted(given, key=len, reverse=True))
    before, *found = re.split(rf"(?:^|, )({names}) ", told) if names else [told]
    pairs = [(given[name], value) for name, value in zip(found[::2], found[1::2], strict=True)]
    same = sum(now == value for now, value in pairs)
    return not before and same > 0 and all(now == value or _is_alike(now, value) for now, value in pairs)


def _is_alike(now: str, before: str) -> bool:
    """Return whether both are days or times, or long texts: half the words of one are in the other, too, and no number
    is new."""
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
    """Return whether an address is another way to write one of which the line says that it is wrong."""
    if "@" not in word or "@" not in wrong or line.count(wrong) < _TWICE:
        return False
    (name, domain), (other, place) = word.lower().split("@", 1), wrong.lower().split("@", 1)
    return _is_same_name(name, other) and (_is_misspelt(domain, place) or _share_word(domain, place))


def _is_same_name(name: str, other: str) -> bool:
    """Return whether two names of mailboxes are alike but for a letter or two, or one has fewer of the same words, or
    the same last word behind the same first letter."""
    if _is_misspelt(name, other):
        return True
    words, others = re.split(r"[._-]", name), re.split(r"[._-]", other)
    is_shortened = min(len(words[0]), len(others[0])) == 1 and words[0][:1] == others[0][:1]
    return words[-1] == others[-1] and (1 in (len(words), len(others)) or is_shortened)


def _is_misspelt(one: str, other: str) -> bool:
    """Return whether two names are equal, or differ in a letter or two, but in no number."""
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
    """Return whether two domains have a word in common, beside the last one."""
    words, others = (_WORD.findall(text.rpartition(".")[0]) for text in (domain, other))
    return not set(words).isdisjoint(others)
