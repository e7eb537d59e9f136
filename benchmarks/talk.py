"""`python -m benchmarks.talk SESSIONS [--profile FILE]`: learns which statements of a conversation are needed later.

SESSIONS is the folder of the sample sessions: its meetings (`qmsum`) are the noise for facts that are asked for, what
users say to agents (`tau-bench`, `openai-long`) is the noise for rules. The rest is made by `benchmarks.dialogues`.
Two scores are learned: `talk`, of messages that are asked for later, and `binding`, of a user's sentences that bind
the rest. The figures are held out: lines, facts, meetings and sessions are in two halves, and each half is measured
with weights that were learned on the other. Printed as Markdown; --profile writes weights of all into a profile.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import zlib
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import questions
from benchmarks.dialogues import LANGUAGES, UNSEEN, Keep, among_requests, fold, of_friends, with_rules
from benchmarks.evidence import kept_evidence, rarest
from compactor_cli.evaluation.learning.fit import Labelled, fit_rows
from compactor_cli.evaluation.learning.profile_text import with_statements
from compactor_cli.features.talk import (
    TALK_SIGNALS,
    Statement,
    both_values,
    either,
    rank_statements,
    statement_signals,
    statement_values,
)
from compactor_cli.tokens import make_counter

TALK = {"questions": 1.5, "friends": 1.0, "rules": 1.5, "told": 1.0}
BINDING = {"told": 1.0, "requests": 1.0}
"""What each score is learned from, and how much it counts."""
CONVERSATIONS = {"rules": 240, "friends": 20, "questions": 25}
"""How many are made for each half."""
_PENALTY = 30.0
_SCALE = 1000.0
"""Weight of a kind of conversations beside the penalty."""
_LIKELY = 0.5
"""What weighs the same in every conversation: all its statements (1), its needed ones (0), or something between."""
_SPARED = 0.3
"""How much a user's sentence with numbers or ids counts that is no rule."""
_SETS: tuple[dict[str, int], ...] = (
    {},
    {"words": 1, "longest": 25, "facts": 10},
    {"distractors": 60},
    {"words": 20, "messages": 200},
    {"words": 5, "longest": 60, "messages": 200},
)
"""How the conversations of `benchmarks.questions` differ."""
_DEFAULTS = {"messages": 300, "facts": 15, "distractors": 12, "words": 10, "longest": 150}
_PER_MESSAGE = 4
_COUNT = make_counter("o200k_base").counter.count
_FACT = [at for at, signal in enumerate(TALK_SIGNALS) if signal in ("codes", "numbers")]
_SENTENCE = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as statements, and which of them are needed later."""

    item: Mapping[str, Any]
    statements: list[Statement]
    needed: list[bool]
    signals: list[list[float]]


@dataclass(frozen=True, slots=True)
class Half:
    """What is learned or measured together; None for everything."""

    number: int | None
    seed: int

    def keep(self, line: str) -> bool:
        return self.number is None or fold(line, 2) == self.number

    def takes(self, number: int) -> bool:
        return self.number is None or number % 2 == self.number


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path, metavar="SESSIONS")
    parser.add_argument("--profile", type=Path, help="a profile that is written anew with the weights")
    parser.add_argument("--seeds", type=int, default=2, help="how often the figures are measured (2)")
    options = parser.parse_args(arguments)
    rows: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in range(options.seeds):
        for half in (0, 1):
            learned = conversations(options.sessions, Half(half, 2 * seed))
            others = conversations(options.sessions, Half(1 - half, 2 * seed + 1), languages=(*LANGUAGES, *UNSEEN))
            _measure(rows, others, fit(learned, TALK), fit(learned, BINDING))
    sys.stdout.write(_table(rows))
    if options.profile:
        learned = conversations(options.sessions, Half(None, 0))
        text = options.profile.read_text(encoding="utf-8")
        text = with_statements(text, fit(learned, TALK), fit(learned, BINDING))
        options.profile.write_text(text, encoding="utf-8")
    return 0


def conversations(folder: Path, half: Half, *, languages: Sequence[str] = LANGUAGES) -> dict[str, list[Talk]]:
    """All conversations of a half by their kind. `told` are the user's sentences in those of `rules`."""
    rules = [with_rules(f"rules-{n}", half.seed, half.keep, languages) for n in range(CONVERSATIONS["rules"])]
    rules = [item for item in rules if item["told"]]
    friends = [of_friends(f"friends-{n}", half.seed, half.keep) for n in range(CONVERSATIONS["friends"])]
    requests = list(_requests(folder, half, half.keep, languages))
    return {
        "questions": list(map(by_message, _questions(folder, half))),
        "friends": list(map(by_message, friends)),
        "rules": list(map(by_message, rules)),
        "told": list(map(by_sentence, rules)),
        "requests": list(map(by_sentence, requests)),
    }


def _questions(folder: Path, half: Half) -> Iterator[dict[str, Any]]:
    """Meetings with facts woven in."""
    meetings = [path for n, path in enumerate(sorted((folder / "qmsum").glob("*.jsonl"))) if half.takes(n)]
    dialogues = questions.read_noise(meetings)

    def shapes(category: str) -> list[questions.Shape]:
        return [shape for n, shape in enumerate(questions.shapes_of(category)) if half.takes(n)]

    for number in range(CONVERSATIONS["questions"]):
        values = {**_DEFAULTS, **_SETS[number % len(_SETS)]}
        options = argparse.Namespace(**values, seed=half.seed, names=False)
        lines = questions.noise(Random(f"{half.seed}/noise/{number}"), dialogues, options)
        yield questions.conversation(f"talk-{number}", lines, options, shapes)


def _requests(folder: Path, half: Half, keep: Keep, languages: Sequence[str]) -> Iterator[dict[str, Any]]:
    """What users ask of agents, with rules put in. Trials of a task are in the same half."""
    for path in sorted([*folder.glob("tau-bench/*.jsonl"), *folder.glob("openai-long/**/*.jsonl")]):
        if half.takes(zlib.crc32(path.stem.split("_")[0].encode())):
            said = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
            texts = [each["content"] for each in said if each.get("role") == "user"]
            typed = [text for text in texts if isinstance(text, str) and text.strip() and not text.startswith("<")]
            typed = [text for text in typed if len(text) < 3000 and "###" not in text]
            if len(typed) >= 4:
                for again in range(2):
                    item = among_requests(f"{path.stem}-{again}", typed, half.seed, keep, languages)
                    if item["told"]:
                        yield item


def by_message(item: Mapping[str, Any]) -> Talk:
    """Whole messages; needed are those that a question asks for."""
    statements = [Statement(at, each["role"], each["content"]) for at, each in enumerate(item["messages"])]
    needed = {at for question in item["qas"] for at in question["evidence"]}
    return Talk(item, statements, [at in needed for at in range(len(statements))], statement_signals(statements))


def by_sentence(item: Mapping[str, Any]) -> Talk:
    """The user's sentences; needed are those that hold what was told."""
    statements = [
        Statement(at, each["role"], sentence.strip())
        for at, each in enumerate(item["messages"])
        if each["role"] == "user"
        for sentence in _SENTENCE.split(each["content"])
        if sentence.strip()
    ]
    told = [_bare(each["text"]) for each in item["told"]]
    needed = [any(_holds(_bare(each.text), text) for text in told) for each in statements]
    return Talk(item, statements, needed, statement_signals(statements))


def _bare(text: str) -> str:
    return text.lower().rstrip(".!?。 ")


def _holds(sentence: str, told: str) -> bool:
    """Whether a sentence has something told, or a large part of it."""
    return told in sentence or (len(sentence) > len(told) / 2 and sentence in told)


def fit(learned: Mapping[str, Sequence[Talk]], shares: Mapping[str, float]) -> dict[str, float]:
    """Weights, each conversation of a kind counting alike."""
    examples: list[Labelled] = []
    for kind, share in shares.items():
        for talk in learned[kind]:
            examples += _labelled(talk, _SCALE * share / len(learned[kind]), spare_facts=kind == "requests")
    return fit_rows(list(TALK_SIGNALS), examples, penalty=_PENALTY)


def _labelled(talk: Talk, weight: float, *, spare_facts: bool) -> Iterator[Labelled]:
    """The statements of a conversation. With `spare_facts`, others with numbers or ids count less: they may be needed
    as well."""
    needed = [row for row, label in zip(talk.signals, talk.needed, strict=True) if label]
    others = [row for row, label in zip(talk.signals, talk.needed, strict=True) if not label]
    if not needed or not others:
        return
    part = min(0.5, (len(needed) / len(talk.needed)) ** _LIKELY)
    yield Labelled(needed, True, weight * part / len(needed))
    facts = [row for row in others if spare_facts and any(row[at] for at in _FACT)]
    yield Labelled([row for row in others if row not in facts], False, weight * (1 - part) / len(others))
    yield Labelled(facts, False, _SPARED * weight * (1 - part) / len(others))


def _measure(
    rows: dict[str, dict[str, list[float]]],
    others: Mapping[str, Sequence[Talk]],
    talk: Mapping[str, float],
    binding: Mapping[str, float],
) -> None:
    """Adds the share of what is needed that is kept: of messages by question, of sentences by session."""
    for kind, each in ((kind, each) for kind, found in others.items() for each in found):
        said = each.statements
        methods = {
            "`talk`": statement_values(said, talk),
            "`binding`": statement_values(said, binding),
            "both": [either(*each) for each in both_values(said, talk, binding)],
        }
        whole = kind in ("questions", "friends", "rules")
        for ratio in (0.1, 0.25) if whole else (0.15, 0.25):
            column = f"{kind} {ratio:.0%}"
            for name, values in methods.items():
                kept = _messages(each, values, ratio) if whole else _sentences(each, values, ratio)
                rows[name][column] += kept
                if not whole and name == "`binding`":
                    rows[name][f"{each.item['told'][0]['language']} {ratio:.0%}"] += kept
            if whole:
                room = _room(each, ratio)[1]
                rows["tf-idf"][column] += kept_evidence(each.item, rarest([one.text for one in said], room))
                rows["chance"][column] += kept_evidence(each.item, _at_random(each, ratio))


def _room(talk: Talk, ratio: float) -> tuple[list[int], int]:
    tokens = [_COUNT(each.text) + _PER_MESSAGE for each in talk.statements]
    return tokens, round(ratio * sum(tokens))


def _messages(talk: Talk, values: Sequence[float], ratio: float) -> list[float]:
    """For each question, the share of its messages that are kept."""
    chosen = _most_worth(talk, values, *_room(talk, ratio))
    return kept_evidence(talk.item, "\n".join(talk.statements[at].text for at in chosen))


def _at_random(talk: Talk, ratio: float) -> str:
    order = Random(talk.item["id"]).sample(range(len(talk.statements)), len(talk.statements))
    return "\n".join(talk.statements[at].text for at in _filled(order, *_room(talk, ratio)))


def _most_worth(talk: Talk, values: Sequence[float], tokens: list[int], room: int) -> list[int]:
    return _filled(rank_statements(talk.statements, values, tokens), tokens, room)


def _filled(order: Sequence[int], tokens: Sequence[int], room: int) -> list[int]:
    kept = []
    for at in order:
        if tokens[at] <= room:
            kept.append(at)
            room -= tokens[at]
    return sorted(kept)


def _sentences(talk: Talk, values: Sequence[float], ratio: float) -> list[float]:
    """The share of the sentences to keep that are kept, of as many as fit; nothing where none fits."""
    tokens, room = _room(talk, ratio)
    needed = {at for at, label in enumerate(talk.needed) if label}
    fits = _filled(sorted(needed, key=tokens.__getitem__), tokens, room)
    kept = needed.intersection(_most_worth(talk, values, tokens, room))
    return [min(1.0, len(kept) / len(fits))] if fits else []


def _table(rows: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Two tables: what is measured, and the sentences by language."""
    columns = list(dict.fromkeys(column for row in rows.values() for column in row))
    languages = sorted(column for column in columns if column.split()[0] in (*LANGUAGES, *UNSEEN))
    lines: list[str] = []
    for part in ([column for column in columns if column not in languages], languages):
        lines += ["| | " + " | ".join(part) + " |", "|---" * (1 + len(part)) + "|"]
        for name, row in rows.items():
            cells = [f"{sum(row[c]) / len(row[c]):.3f}" if row.get(c) else "" for c in part]
            if any(cells):
                lines.append(f"| {name} | " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
