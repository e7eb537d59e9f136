"""Steps of a command whose output says, before it comes to an error, that they were done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compactor_cli.features.work.remote_steps import asked_of
from compactor_cli.text.patterns import compiled_later

_SUCCESS = compiled_later(r"\b(?:success(?:ful|fully)?|succeeded)\b", re.IGNORECASE)
_DENIED = compiled_later(
    r"\b(?:not?|cannot|never|without|unless|until|if|when|once|before|will|would|should|could|can|may|to be|being|0|"
    r"partial\w*|fail\w*|error\w*|already|skipp\w*|dry.run\w*)\b|n['’]t\b|\?",
    re.IGNORECASE,
)
"""Words with which a line does not say that something was done just now."""
_PLAIN = compiled_later(r"[a-z]+")
_SHORTEST = 3
_ID = compiled_later(r"(?:[a-z]{1,8}-)?(?=[0-9a-f-]*\d)[0-9a-f]{4,}[0-9a-f-]*|\d+")
"""What a service calls something, which outputs do not always repeat."""


def confirmed_steps(texts: Sequence[str], said: str) -> set[int]:
    """Return which acts, of those of one command, an output confirms: a line tells that something was done, and what
    was named last, by it or before it, is what only this one acted on, all of it. `said`: the output before its first
    error."""
    objects = [_objects(text) for text in texts]
    mine = [own - frozenset().union(*objects[:at], *objects[at + 1 :]) for at, own in enumerate(objects)]
    named = [(at, word, _naming(word)) for at, own in enumerate(mine) for word in own]
    left = [{word for word in own if not _ID.fullmatch(word)} or set(own) for own in mine]
    found: set[int] = set()
    last: int | None = None
    for line in said.split("\n") if named else ():
        places = [(match.start(), at, word) for at, word, pattern in named for match in pattern.finditer(line)]
        for _, at, word in sorted(places):
            left[at].discard(word)
            last = at
        if last is not None and not left[last] and _tells_done(line, _verb(texts[last]) if places else ""):
            found.add(last)
            last = None
    return found


def _verb(text: str) -> str:
    return "".join(asked_of(text.split())[1:2])


def _objects(text: str) -> frozenset[str]:
    """Return the words that say what an act is done to; a plain word before another one may say what kind it is."""
    words = [word for word in asked_of(text.split())[2:] if not word.startswith("-") and len(word) >= _SHORTEST]
    return frozenset(word for at, word in enumerate(words) if at == len(words) - 1 or not _PLAIN.fullmatch(word))


def _naming(word: str) -> re.Pattern[str]:
    """Return what finds an object in an output; of `deployment/web` the name alone may be told."""
    names = {name for name in (word, word.rpartition("/")[2]) if len(name) >= _SHORTEST}
    return re.compile(r"(?<![\w.-])(?:" + "|".join(map(re.escape, sorted(names))) + r")(?![\w-]|\.\w)")


def _tells_done(line: str, verb: str) -> bool:
    """Return whether a line says that something was done: that it was a success, or the verb, if any, in its past."""
    if _DENIED.search(line):
        return False
    past = verb.rstrip("e") + "ed" if verb else ""
    return _SUCCESS.search(line) is not None or (past != "" and past in re.findall(r"[a-z-]+", line.lower()))
