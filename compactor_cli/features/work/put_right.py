"""Acts that failed and were then done with something put right, such as an address."""

from __future__ import annotations

import re

from compactor_cli.features.work.acting_tools import names_action
from compactor_cli.features.work.effects import Effect
from compactor_cli.features.work.shell_effects import effect_key
from compactor_cli.text.patterns import compiled_later

_TEXT = 24
"""Characters of an argument from which on it is a text, which may be written in another way."""
_WHEN = compiled_later(r"\d{4}-\d\d-\d\d|\b\d{1,2}:\d\d")
_WRONG = compiled_later(r"\): (?:error: )?(?:wrong|incorrect|invalid)\b", re.IGNORECASE)
_WORD = compiled_later(r"[^\W\d_]{3,}")
_TWICE = 2
"""So often a line names what is wrong: in what was to be done, and in why it was not."""


def carried_key(what: str) -> str:
    """Return the key of what an earlier round tells as failed. Of an act of a tool that nothing names it is all that is
    told of it."""
    named = effect_key(what)
    asked = named.partition(" ")[2]
    bare = what.startswith(f"{named} (") and (not asked or names_action(asked))
    return what if bare else named


def corrects(done: Effect, failed: str, line: str) -> bool:
    """Return whether what was done is what failed before, with something put right: `failed` is the key of that, `line`
    what is told of it."""
    if not done.asked or not failed.startswith(f"{done.asked} "):
        return False
    if failed.startswith(f"{done.asked} ("):
        return _asks_same(done, line)
    words, others = done.key.split(), failed.split()
    differing = [(word, other) for word, other in zip(words, others, strict=False) if word != other]
    return len(words) == len(others) and len(differing) == 1 and _is_put_right(*differing[0], line)


def _asks_same(done: Effect, line: str) -> bool:
    """Return whether all that is told of a failed call is asked for now, but for texts, and days and times; or the one
    thing that was wrong is another one."""
    if len(done.given) == 1 and _WRONG.search(line):
        return True
    same = [name for name, said in done.given if f"{name} {said}" in line]
    others = [(name, said) for name, said in done.given if name not in same and re.search(rf"[(,] ?{name} ", line)]
    return bool(same) and all(len(said) >= _TEXT or _WHEN.search(said) for _, said in others)


def _is_put_right(word: str, wrong: str, line: str) -> bool:
    """Return whether an address is another way to write one of which the line says that it is wrong."""
    if "@" not in word or "@" not in wrong or line.count(wrong) < _TWICE:
        return False
    names, domains = zip(word.split("@", 1), wrong.split("@", 1), strict=True)
    return all(_share_word(*pair) for pair in (names, domains))


def _share_word(one: str, other: str) -> bool:
    return one == other or not set(_WORD.findall(one)).isdisjoint(_WORD.findall(other))
