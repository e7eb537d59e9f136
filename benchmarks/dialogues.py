"""Generate conversations, the same for the same seed: small talk with rules and facts, and friends who tell news.

The lines come from `dialogues.txt`, in several languages. Only lines for which `keep` returns True are used. This
separates the lines that a score was learned on from the others.
"""

from __future__ import annotations

import functools
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.questions import FactTeller

LANGUAGES = ("en",) * 8 + ("de", "es", "fr", "it", "pt", "nl", "ru", "zh", "ja", "ko")
"""Languages of the conversations that are learned from and measured; repeated by how often they are drawn."""
UNSEEN = ("pl", "tr", "ar")
"""Languages of conversations that are only measured."""
_UNSPACED = ("zh", "ja")
_QUESTION_SHARES = {"events": 0.85, "pictures": 0.6, "facts": 0.85, "answers": 0.7}
"""Kind of line -> probability that somebody asks later for what a friend told."""
_LEAD_SHARES = {"rules": 0.2, "facts": 0.2, "talk": 0.07}
"""Kind of line -> probability that words without content come before it, such as "oh and"."""
_CHEER_SHARES = {"talk": 0.25, "reactions": 0.4, "asks": 0.0}
"""Kind of line -> probability that it ends with an exclamation mark; 0.1 for other kinds."""
_RUN_ON_SHARE = 0.3
"""Probability that the sentences of a message are joined into one."""
_COMMAS = {"en": (", ", " - ", "; ", " - ", "... "), "zh": ("，", "、")}
_TALK_PER_RULE = 8
"""Minimum lines of small talk for each rule."""
Keep = Callable[[str], bool]


@functools.cache
def sections() -> dict[str, tuple[str, ...]]:
    """Return the lines of `dialogues.txt` by section name, such as 'rules en'."""
    lines_by_section: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = lines_by_section.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return {name: tuple(lines) for name, lines in lines_by_section.items()}


def fold_of(line: str, folds: int = 5) -> int:
    """Return the number of the fold that a line belongs to."""
    return zlib.crc32(line.encode()) % folds


class _Speaker:
    """A speaker of one language who says each line once, because real people do not repeat a sentence."""

    def __init__(self, random: Random, language: str, keep: Keep) -> None:
        self._random = random
        self.language = language
        self._keep = keep
        self._tell = FactTeller(random)
        self._unused: dict[str, list[str]] = {}

    def line(self, kind: str) -> str | None:
        """Return one line of a kind, typed as a sentence; None if all have been said."""
        unused = self._lines(kind)
        if not unused:
            return None
        self._tell.begin_fact()
        said = self._tell.fill(unused.pop())
        if self._random.random() < _LEAD_SHARES.get(kind, 0.0):
            said = with_lead(said, self.language, self._random)
        return self._typed(said, _CHEER_SHARES.get(kind, 0.1))

    def lines(self, kind: str, count: int) -> list[str]:
        """Return up to `count` lines of a kind, as many as are left."""
        return [line for line in (self.line(kind) for _ in range(count)) if line is not None]

    def _lines(self, kind: str) -> list[str]:
        if kind not in self._unused:
            lines = [line for line in sections().get(f"{kind} {self.language}", ()) if self._takes(line)]
            self._unused[kind] = self._random.sample(lines, len(lines))
        return self._unused[kind]

    def _run_on(self, parts: Sequence[str]) -> str:
        """Return all sentences joined into one, as people type in a hurry."""
        comma = self._random.choice(_COMMAS["zh" if self.language in _UNSPACED else "en"])
        return comma.join([parts[0].rstrip(".!。"), *map(_clause, parts[1:])])

    def _takes(self, line: str) -> bool:
        return self.language in UNSEEN or self._keep(line)

    def _typed(self, text: str, cheer: float) -> str:
        if re.search(r"[.!?？。\]]$", text) is None:
            plain = "。" if self.language in _UNSPACED else self._random.choice(("", ".", ".", "."))
            text += "!" if self._random.random() < cheer else plain
        return text[0].upper() + text[1:] if self._random.random() < 0.8 else text

    def join(self, parts: Sequence[str]) -> str:
        """Return a message that consists of these sentences."""
        if len(parts) > 1 and self._random.random() < _RUN_ON_SHARE:
            return self._run_on(parts)
        if self.language in _UNSPACED:
            return "".join(parts)
        return (
            " ".join(part if re.search(r"\W$", part) else part + "." for part in parts[:-1])
            + " " * (len(parts) > 1)
            + (parts[-1])
        )


def with_lead(sentence: str, language: str, random: Random) -> str:
    """Return a sentence after words without content that lead to it."""
    lead = random.choice(sections()[f"leads {language}"])
    if language in _UNSPACED:
        return lead + sentence
    first, remainder = sentence[0], sentence[1:]
    return f"{lead} {first.lower() if not remainder[:1].isupper() and random.random() < 0.7 else first}{remainder}"


def _clause(part: str) -> str:
    """Return a sentence as it is written in the middle of another one."""
    without_stop = part.rstrip(".!。")
    return (
        without_stop
        if without_stop[1:2].isupper() or not without_stop[1:2].isalpha()
        else without_stop[0].lower() + without_stop[1:]
    )


def with_rules(name: str, seed: int, keep: Keep, languages: Sequence[str] = LANGUAGES) -> dict[str, Any]:
    """Return a short conversation of small talk with one to five rules or facts.

    `told_rules` holds these word for word, with the numbers of their messages; `qas` has a question for each.
    """
    random = Random(f"rules/{seed}/{name}")
    language = random.choice(languages)
    speaker = _Speaker(random, language, keep)
    rule_count, count = random.randint(1, 5), random.randint(6, 70)
    messages = [parts for _ in range(count) if (parts := speaker.lines("talk", random.choice((1, 1, 2, 2, 3))))]
    places = range(0, len(messages), 2)
    max_rules = max(1, sum(map(len, messages)) // _TALK_PER_RULE)
    told_rules: list[dict[str, Any]] = []
    for position in sorted(random.sample(places, min(rule_count, max_rules, len(places)))):
        rule = _binding(random, speaker)
        if rule is not None:
            parts = [rule, *messages[position][: random.choice((0, 0, 1, 2, 3))]]
            messages[position] = random.sample(parts, len(parts))
            told_rules.append({"message": position, "text": rule, "language": language})
    return _object(
        name,
        [speaker.join(parts) for parts in messages],
        told_rules,
        [told_rule["message"] for told_rule in told_rules],
    )


def among_requests(
    name: str, texts: Sequence[str], seed: int, keep: Keep, languages: Sequence[str] = LANGUAGES
) -> dict[str, Any]:
    """Return the requests of a user to an agent, with some rules between them, alone or inside small talk."""
    random = Random(f"requests/{seed}/{name}")
    speaker = _Speaker(random, random.choice(languages), keep)
    messages = list(texts)
    told_rules: list[dict[str, Any]] = []
    count = random.randint(1, max(1, len(texts) // 4))
    for position in sorted(random.sample(range(1, len(texts) + 1), min(count, len(texts))), reverse=True):
        rule = speaker.line("rules")
        if rule is not None:
            parts = [rule, *speaker.lines("talk", random.choice((0, 0, 1, 2, 3)))]
            messages.insert(position, speaker.join(random.sample(parts, len(parts))))
            told_rules.append({"text": rule, "language": speaker.language})
    return _object(name, messages, told_rules, [], roles=("user",))


def _binding(random: Random, speaker: _Speaker) -> str | None:
    return (speaker.line("facts") if random.random() < 0.3 else None) or speaker.line("rules")


def of_friends(name: str, seed: int, keep: Keep) -> dict[str, Any]:
    """Return a conversation of two friends. Questions ask later for most of the news and for little else."""
    random = Random(f"friends/{seed}/{name}")
    speaker = _Speaker(random, "en", keep)
    messages: list[str] = []
    needed: list[int] = []
    while True:
        parts, likely = _friend_turn(random, speaker, asked=bool(messages) and "?" in messages[-1])
        if not parts:
            return _object(name, messages, [], needed)
        if random.random() < likely:
            needed.append(len(messages))
        messages.append(speaker.join(parts))


def _friend_turn(random: Random, speaker: _Speaker, *, asked: bool) -> tuple[list[str], float]:
    """Return what a friend says next, and the probability that somebody asks for it later."""
    draw = random.random()
    kinds = ["reactions"] if random.random() < 0.6 else []
    if draw < 0.3:
        kinds.append("events")
    elif draw < 0.36:
        kinds.append("pictures")
    elif draw < 0.42:
        kinds.append("facts")
    elif asked and draw < 0.6:
        kinds.append("answers")
    elif not kinds or draw < 0.7:
        kinds.append("talk")
    if random.random() < 0.4:
        kinds.append("asks")
    spoken = [(kind, line) for kind in kinds if (line := speaker.line(kind)) is not None]
    return [line for _, line in spoken], max((_QUESTION_SHARES.get(kind, 0.03) for kind, _ in spoken), default=0.0)


def _object(
    name: str,
    texts: Sequence[str],
    told_rules: Sequence[Any],
    needed: Sequence[int],
    roles: Sequence[str] = ("user", "assistant"),
) -> dict[str, Any]:
    return {
        "id": name,
        "messages": [{"role": roles[index % len(roles)], "content": text} for index, text in enumerate(texts)],
        "told": told_rules,
        "qas": [{"question": "", "answer": None, "evidence": [index]} for index in needed],
    }
