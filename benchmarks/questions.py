"""Generate long conversations with facts that questions ask for later, the same for the same seed.

    python benchmarks/questions.py DIALOGUE... -o questions.jsonl [--conversations 40] [--messages 300]

The noise is real human dialogue (JSONL files of {"role", "name", "content"}). Personal facts are woven into it, spread
over the whole length. They are told in many ways (questions.txt), without words that announce them, and with names made
of syllables, so that no word list contains them. The output has one object per line: {"id", "messages", "qas"}, where
each question names the messages that hold its answer.
"""

from __future__ import annotations

import argparse
import functools
import json
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any


@dataclass(frozen=True, slots=True)
class Shape:
    """A fact. In its patterns, (a|b) is a choice, and {slot} a value that the question, the answer and the messages
    share."""

    question: str
    answer: str
    first: list[str]
    second: list[str]
    """Patterns for a second message, if the fact takes two."""


_SYLLABLES = tuple(
    text.split()
    for text in (
        "b br c ch d dr f g gl h j k kr l m n p pr qu r s sk sv t th tr v w y z",
        "a e i o u ai au ea ei ia io oa ou y",
        "b d f g k l ll lm m n nd ng nt p r rb rk rn rv s sk sp ss st t v x zz",
    )
)
_ENDINGS = ("a", "an", "ard", "e", "eth", "i", "ia", "ic", "ik", "in", "is", "o", "ock", "ol", "on", "or", "um", "us")
_MIX = ("invented", "ordinary", "number", "answer", "long", "update", "invented", "ordinary", "number", "answer")
_PLAIN_CATEGORIES = ("invented", "ordinary", "number")


@functools.cache
def _section(title: str) -> tuple[str, ...]:
    """Return the lines of a section of questions.txt."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    body = text.partition(f"\n[{title}]\n")[2].partition("\n[")[0]
    return tuple(line for line in body.splitlines() if line.strip())


@functools.cache
def _lists() -> dict[str, tuple[str, ...]]:
    pairs = (line.partition(": ") for line in _section("lists"))
    return {name: tuple(values.split(", ")) for name, _, values in pairs}


@functools.cache
def shapes_of(category: str) -> tuple[Shape, ...]:
    """Return the facts of a category of questions.txt."""
    shapes: list[Shape] = []
    for line in _section(category):
        if not line.startswith(" "):
            question, _, answer = line.partition(" = ")
            shapes.append(Shape(question, answer, [], []))
        elif line.startswith("  2 "):
            shapes[-1].second.append(line[4:])
        else:
            shapes[-1].first.append(line.strip().removeprefix("1 "))
    return tuple(shapes)


@dataclass(frozen=True, slots=True)
class Event:
    """Messages to weave in at one place (0 is the start, 1 the end), and the question if one asks for them later."""

    place: float
    texts: tuple[str, ...]
    asked: dict[str, Any] | None = None


class FactTeller:
    """Makes texts from patterns. Slots keep their values until `begin_fact` begins another fact."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._values: dict[str, str] = {}
        self._used: set[str] = set()

    def begin_fact(self) -> None:
        """Begin another fact, with other values where the lists allow it."""
        self._used |= set(self._values.values())
        self._values = {}

    def fill(self, pattern: str) -> str:
        while (match := re.search(r"\(([^()]*)\)", pattern)) is not None:
            pattern = pattern[: match.start()] + self._random.choice(match[1].split("|")) + pattern[match.end() :]
        text = re.sub(r"\{(\w+)\}", lambda slot: self._value(slot[1]), pattern)
        return re.sub(r"\b([Aa]) (?=[aeio](?!ne-))", r"\1n ", text)

    def message(self, pattern: str, *, opener: float = 0.4, tail: float = 0.35) -> str:
        """Return a sentence as people type it, sometimes with words before or after it."""
        draw = self._random
        parts = [self.fill(pattern)]
        if draw.random() < opener:
            parts.insert(0, self.fill(draw.choice(_section("openers"))))
        if draw.random() < tail:
            parts.append(self.fill(draw.choice(_section("tails"))))
        return self._typed(parts)

    def long_message(self, pattern: str) -> str:
        """Return the sentence with small talk around it."""
        parts = [
            self._idle(talk_pattern)
            for talk_pattern in self._random.sample(_section("small talk"), self._random.randint(3, 6))
        ]
        parts.insert(self._random.randint(0, len(parts)), self.fill(pattern))
        return self._typed(parts)

    def _idle(self, pattern: str) -> str:
        """Return a text for a pattern of small talk, with slot values separate from those of the fact."""
        values, self._values = self._values, {}
        text = self.fill(pattern)
        self._values = values
        return text

    def _typed(self, parts: Sequence[str]) -> str:
        text = ""
        for part in parts:
            sentence = part if part[-1] in ".?!," else part + self._random.choice("...!")
            text += (" " if text else "") + (sentence if text.endswith(",") else sentence[0].upper() + sentence[1:])
        text = re.sub(r"(?<=\? )[a-z]", lambda letter: letter[0].upper(), text)
        return text.lower() if self._random.random() < 0.1 else text

    def _value(self, slot: str) -> str:
        kind, tries = slot.rstrip("2"), 0
        while slot not in self._values:
            value, tries = self._draw(kind), tries + 1
            if value not in self._values.values() and (value not in self._used or tries > 20):
                self._values[slot] = value
        return self._values[slot]

    def _draw(self, kind: str) -> str:
        draw = self._random
        if kind in _lists():
            return draw.choice(_lists()[kind])
        kinds: dict[str, Callable[[], str]] = {
            "name": lambda: self._invent().capitalize(),
            "place": lambda: self._invent().capitalize() + draw.choice(("", "", "wick", " Bay", "holm", " Heights")),
            "brand": lambda: self._invent().capitalize() + draw.choice(("", "", "ex", " Works", " Line", "il")),
            "word": self._invent,
            "money": lambda: draw.choice(("${0}", "{0} euros", "{0} pounds", "£{0}")).format(draw.randint(12, 999) * 5),
            "count": lambda: str(draw.randint(13, 480)),
            "few": lambda: str(draw.randint(3, 40)),
            "code": lambda: str(draw.randint(1_000, 99_999)),
            "time": lambda: f"{draw.randint(1, 12)}:{draw.randrange(5, 60, 5):02d}" + draw.choice((" pm", " am", "")),
            "date": lambda: draw.choice(("the {0}th of {1}", "{1} {0}", "{0} {1}")).format(
                draw.randint(4, 20), draw.choice(_lists()["month"])
            ),
        }
        return kinds[kind]()

    def _invent(self) -> str:
        start, middle, end = _SYLLABLES
        draw = self._random
        beats = "".join(draw.choice(start) + draw.choice(middle) for _ in range(draw.choice((1, 1, 2))))
        return beats + draw.choice(end) + draw.choice(_ENDINGS)


def conversation(
    name: str,
    lines: Sequence[str],
    options: argparse.Namespace,
    shapes: Callable[[str], Sequence[Shape]] = shapes_of,
) -> dict[str, Any]:
    """Return one object of the output. `lines`: the noise, at least as many lines as messages are wanted.

    `shapes`: returns the facts of a category that may be used.
    """
    random = Random(f"{options.seed}/{name}")
    events = _Facts(random, shapes).events(options.facts, options.distractors)
    quiet = options.messages - sum(len(event.texts) for event in events)
    if quiet < 1:
        raise ValueError("more facts than messages")
    texts: list[str] = []
    qas: list[dict[str, Any]] = []
    used = 0
    for event in sorted(events, key=lambda each: each.place):
        upto = round(event.place * quiet)
        texts += lines[used:upto]
        used = upto
        if event.asked is not None:
            qas.append({**event.asked, "evidence": list(range(len(texts), len(texts) + len(event.texts)))})
        texts += event.texts
    texts += lines[used:quiet]
    roles = ("user", "assistant")
    messages = [{"role": roles[index % 2], "content": text} for index, text in enumerate(texts)]
    return {"id": name, "messages": messages, "qas": qas}


class _Facts:
    """Facts and distractors of one conversation. A shape is reused only after all others of its category."""

    def __init__(self, random: Random, shapes: Callable[[str], Sequence[Shape]]) -> None:
        self._random = random
        self._shapes = shapes
        self._tell = FactTeller(random)
        self._unused: dict[str, list[Shape]] = {}

    def events(self, facts: int, distractors: int) -> list[Event]:
        events: list[Event] = []
        for number, position in enumerate(_places(self._random, facts)):
            events += self._fact(_MIX[number % len(_MIX)], position)
        for number, position in enumerate(_places(self._random, distractors)):
            events.append(Event(position, (self._distractor(number),)))
        return events

    def _fact(self, category: str, position: float) -> list[Event]:
        draw, tell = self._random, self._tell
        tell.begin_fact()
        shape = self._shape(draw.choice(_PLAIN_CATEGORIES) if category == "long" else category)
        pattern = draw.choice(shape.first)
        earlier: list[Event] = []
        if category == "long":
            texts: tuple[str, ...] = (tell.long_message(pattern),)
        elif category == "answer":
            texts = (tell.message(pattern, tail=0), tell.message(draw.choice(shape.second), opener=0.1, tail=0.1))
        elif category == "update":
            earlier.append(Event(position * draw.random(), (tell.message(pattern),)))
            texts = (tell.message(draw.choice(shape.second)),)
        else:
            texts = (tell.message(pattern),)
        question = tell.fill(shape.question)
        question_entry = {"question": question, "answer": tell.fill(shape.answer), "category": category}
        return [*earlier, Event(position, texts, question_entry)]

    def _distractor(self, number: int) -> str:
        """Return, in turn, a strange word, small talk, or a fact like the others that no question asks for."""
        draw, tell = self._random, self._tell
        tell.begin_fact()
        if number % 3 == 0:
            return tell.message(draw.choice(_section("distractions")))
        if number % 3 == 1:
            chat = draw.choice(_section("small talk"))
            return tell.message(chat) if draw.random() < 0.5 else tell.long_message(chat)
        return tell.message(draw.choice(self._shape(draw.choice(_PLAIN_CATEGORIES)).first))

    def _shape(self, category: str) -> Shape:
        if not self._unused.get(category):
            shapes = self._shapes(category)
            self._unused[category] = self._random.sample(shapes, len(shapes))
        return self._unused[category].pop()


def _places(random: Random, count: int) -> list[float]:
    """Return a random place in each of `count` equal parts of the conversation, in random order."""
    return random.sample([(number + random.random()) / count for number in range(count)], count)


def read_noise(paths: Sequence[Path]) -> list[list[tuple[str, str]]]:
    """Return for each dialogue the speaker and the cleaned text of every line."""
    dialogues = []
    for path in paths:
        with path.open(encoding="utf-8") as file:
            records = [json.loads(line) for line in file if line.strip()]
        spoken_lines = [(str(record.get("name", "")), _clean(str(record["content"]))) for record in records]
        dialogues.append([(speaker, text) for speaker, text in spoken_lines if text])
    return dialogues


def _clean(text: str) -> str:
    """Return transcribed speech without transcription marks, spaced as people type."""
    text = re.sub(r"\{\w+\}", " ", text)
    text = re.sub(r"\s+(?=[.,?!;:']|n't\b)", "", re.sub(r"(?<=\w) - (?=\w)", "-", text))
    return re.sub(r"\s+", " ", text).strip()


def noise(random: Random, dialogues: Sequence[list[tuple[str, str]]], options: argparse.Namespace) -> list[str]:
    """Return `options.messages` messages of real talk from parts of the dialogues, with short lines joined."""
    out: list[str] = []
    order = random.sample(range(len(dialogues)), len(dialogues))
    while len(out) < options.messages:
        spoken_lines = dialogues[order[0]]
        order.append(order.pop(0))
        pending: list[str] = []
        stretch_length = 0
        for speaker, text in spoken_lines[random.randrange(max(1, len(spoken_lines) // 2)) :]:
            stretch_length = stretch_length or random.randint(1, max(1, 2 * options.words))
            pending.append(f"{speaker}: {text}" if options.names and speaker else text)
            if len(" ".join(pending).split()) >= stretch_length:
                words = " ".join(pending).split()
                out.append(" ".join(words[: options.longest]))
                pending, stretch_length = [], 0
    return out[: options.messages]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialogues", nargs="+", type=Path, metavar="DIALOGUE")
    parser.add_argument("-o", "--output", required=True, type=Path)
    for option, number, text in (
        ("conversations", 40, "how many objects"),
        ("messages", 300, "messages of each"),
        ("facts", 15, "questions of each"),
        ("distractors", 12, "messages of each that look like facts and are not asked for"),
        ("words", 10, "about how many words a joined message of noise has at least"),
        ("longest", 150, "words after which a message of noise is cut"),
        ("seed", 0, "another seed, other conversations"),
    ):
        parser.add_argument(f"--{option}", type=int, default=number, help=f"{text} ({number})")
    parser.add_argument("--names", action="store_true", help="begin each line of noise with its speaker")
    options = parser.parse_args(arguments)
    dialogues = [dialogue for dialogue in read_noise(options.dialogues) if dialogue]
    if not dialogues:
        sys.exit("no dialogue in these files")
    with options.output.open("w", encoding="utf-8") as file:
        for number in range(options.conversations):
            name = f"talk-{number:03d}"
            lines = noise(Random(f"{options.seed}/noise/{name}"), dialogues, options)
            file.write(json.dumps(conversation(name, lines, options), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
