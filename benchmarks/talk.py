"""`python -m benchmarks.talk SESSIONS [--profile FILE]`: learn which statements of a conversation are needed later.

SESSIONS is the folder of the sample sessions. Its meetings (`qmsum`) are the noise for facts that are asked for later.
What users say to agents (`tau-bench`, `openai-long`) is the noise for rules. `benchmarks.dialogues` generates the rest.
Three scores are learned: `talk`, for messages that are asked for later; `binding`, for a user's sentences that bind the
rest of the session; and `needed`, for statements without which nobody could continue a chat (`benchmarks.chats`). The
figures are held out: lines, facts, meetings, chats and sessions are split into two halves, and each half is measured
with weights learned on the other. The output is Markdown. --profile writes weights learned on everything to a profile.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import questions, wording
from benchmarks.chats import read_chats, statements_of
from benchmarks.dialogues import LANGUAGES, UNSEEN, among_requests, fold, of_friends, with_rules
from benchmarks.evidence import kept_evidence, rarest
from compactor_cli.evaluation.learning.fit import Labelled, fit_rows
from compactor_cli.evaluation.learning.profile_text import with_statements
from compactor_cli.features.talk import (
    CHAT_SIGNALS,
    TALK_SIGNALS,
    Statement,
    binding_values,
    chat_signals,
    either,
    rank_statements,
    statement_signals,
    values_of,
)
from compactor_cli.features.unrepeated import rank_unrepeated
from compactor_cli.features.wording import SENTENCE, WORDINGS, Wordings
from compactor_cli.tokens import make_counter

TALK = {"questions": 3.0, "friends": 1.0, "rules": 1.5, "told": 1.0}
BINDING = {"told": 1.0, "requests": 1.0}
NEEDED = {"chats": 1.0, "small": 0.5, "asked": 0.5}
"""For each score: the kinds of conversations that it is learned from, and how much each counts."""
_FOLDS = 4
_HALVES = (0, 2), (1, 3)
"""Folds that are learned from while the others are measured. The order of meetings and facts has no meaning."""
CONVERSATIONS = {"rules": 240, "friends": 20, "questions": 25}
"""Number of conversations generated for each half."""
_PENALTY, _LITTLE = 30.0, 3.0
"""Penalties on large weights: for `talk` and `binding`, and for `needed`, of which more is known."""
_SCALE = 1000.0
"""Weight of a kind of conversations, relative to the penalty."""
_LIKELY, _AS_OFTEN = 0.5, 1.0
"""What weighs the same in every conversation: all its statements (1), its needed ones (0), or something in between. For
`needed` the weights follow how often statements are needed, because its values are compared with those of
repetitions."""
_SPARED = 0.3
"""Factor for the weight of a user's sentence that has numbers or ids but is not a rule."""
_SETS: tuple[dict[str, int], ...] = (
    {},
    {"words": 1, "longest": 25, "facts": 10},
    {"distractors": 60},
    {"words": 20, "messages": 200},
    {"words": 5, "longest": 60, "messages": 200},
)
"""Variations of the conversations of `benchmarks.questions`."""
_DEFAULTS = {"messages": 300, "facts": 15, "distractors": 12, "words": 10, "longest": 150}
_PER_MESSAGE = 4
_COUNT = make_counter("o200k_base").counter.count
_FACT = [at for at, signal in enumerate(TALK_SIGNALS) if signal in ("codes", "numbers")]


@dataclass(frozen=True, slots=True)
class Talk:
    """A conversation as statements, with which of them are needed later, and their signals."""

    item: Mapping[str, Any]
    statements: list[Statement]
    needed: list[bool]
    signals: list[list[float]]


@dataclass(frozen=True, slots=True)
class Folds:
    """The selected folds of all lines, facts, meetings and sessions."""

    taken: frozenset[int]
    seed: int

    def keep(self, line: str) -> bool:
        return fold(line, _FOLDS) in self.taken

    def takes(self, number: int) -> bool:
        return number % _FOLDS in self.taken

    def numbers_of(self, kind: str) -> range:
        """Return the numbers of the conversations of a kind to generate: half as many for half as many folds."""
        return range(round(CONVERSATIONS[kind] * len(self.taken) * 2 / _FOLDS))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sessions", type=Path, metavar="SESSIONS")
    parser.add_argument(
        "--profile", type=Path, help=f"a profile that is written anew with the weights, {WORDINGS} beside it"
    )
    parser.add_argument("--seeds", type=int, default=2, help="how often the figures are measured (2)")
    options = parser.parse_args(arguments)
    rows: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for seed in range(options.seeds):
        for half, other in (_HALVES, _HALVES[::-1]):
            learned = learned_from(options.sessions, half, 2 * seed)
            folds = Folds(frozenset(other), 2 * seed + 1)
            languages = (*LANGUAGES, *UNSEEN)
            others = conversations(
                options.sessions, folds, Wordings(tables_of(options.sessions, half)), languages=languages
            )
            talk, binding = fit(learned, TALK), fit(learned, BINDING)
            _measure(rows, others, talk, binding)
            _measure_chats(rows, others["chats"], talk, binding, fit(learned, NEEDED))
    sys.stdout.write(_table(rows))
    if options.profile:
        learned = learned_from(options.sessions, range(_FOLDS), 0)
        text = options.profile.read_text(encoding="utf-8")
        parts = {"talk": TALK, "binding": BINDING, "needed": NEEDED}
        text = with_statements(text, {name: fit(learned, shares) for name, shares in parts.items()})
        options.profile.write_text(text, encoding="utf-8")
        (options.profile.parent / WORDINGS).write_bytes(tables_of(options.sessions, range(_FOLDS), without=()))
    return 0


def tables_of(folder: Path, folds: Iterable[int], without: Collection[str] = UNSEEN) -> bytes:
    """Return the weights of wordings, learned from the lines and the users' requests of some folds."""
    taken = Folds(frozenset(folds), 0)
    asked = (sentence for _, texts in _asked(folder, taken) for text in texts for sentence in SENTENCE.split(text))
    requests = [wording.Example("requests", text.strip()) for text in dict.fromkeys(asked) if text.strip()]
    return wording.learn([*wording.examples(taken.keep, without), *requests])


def learned_from(folder: Path, folds: Sequence[int], seed: int) -> dict[str, list[Talk]]:
    """Return conversations to learn from, by kind. The wordings for each fold are learned from the other folds, because
    the lines of real conversations were not learned from either."""
    parts = [
        conversations(folder, Folds(frozenset([own]), seed), Wordings(tables_of(folder, {*folds} - {own})))
        for own in folds
    ]
    return {kind: [talk for part in parts for talk in part[kind]] for kind in parts[0]}


def conversations(
    folder: Path, folds: Folds, wordings: Wordings, *, languages: Sequence[str] = LANGUAGES
) -> dict[str, list[Talk]]:
    """Return all conversations of some folds by kind. `told` has those of `rules`, split into the user's sentences."""
    rules = [with_rules(f"rules-{n}", folds.seed, folds.keep, languages) for n in folds.numbers_of("rules")]
    rules = [item for item in rules if item["told"]]
    friends = [of_friends(f"friends-{n}", folds.seed, folds.keep) for n in folds.numbers_of("friends")]
    requests = list(_requests(folder, folds, languages))
    return {
        "questions": [by_message(item, wordings) for item in _questions(folder, folds)],
        "friends": [by_message(item, wordings) for item in friends],
        "rules": [by_message(item, wordings) for item in rules],
        "told": [by_sentence(item, wordings) for item in rules],
        "requests": [by_sentence(item, wordings) for item in requests],
        "chats": list(_chats(folds, wordings)),
        "small": [by_line(item, wordings) for item in rules],
        "asked": [by_line(item, wordings) for item in requests],
    }


def _chats(folds: Folds, wordings: Wordings) -> Iterator[Talk]:
    """Yield the chats in which needed text is marked, with the signals in CHAT_SIGNALS."""
    for number, chat in enumerate(read_chats()):
        if folds.takes(number):
            signals = chat_signals(chat.statements, wordings)
            yield Talk({"id": chat.name}, list(chat.statements), list(chat.needed), signals)


def _questions(folder: Path, folds: Folds) -> Iterator[dict[str, Any]]:
    """Yield meetings with facts woven in."""
    meetings = [path for n, path in enumerate(sorted((folder / "qmsum").glob("*.jsonl"))) if folds.takes(n)]
    dialogues = questions.read_noise(meetings)

    def shapes(category: str) -> list[questions.Shape]:
        return [shape for n, shape in enumerate(questions.shapes_of(category)) if folds.takes(n)]

    for number in folds.numbers_of("questions"):
        values = {**_DEFAULTS, **_SETS[number % len(_SETS)]}
        options = argparse.Namespace(**values, seed=folds.seed, names=False)
        lines = questions.noise(Random(f"{folds.seed}/noise/{number}"), dialogues, options)
        yield questions.conversation(f"talk-{number}", lines, options, shapes)


def _asked(folder: Path, folds: Folds) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of sessions and their users' requests. All trials of one task are in the same fold."""
    for path in sorted([*folder.glob("tau-bench/*.jsonl"), *folder.glob("openai-long/**/*.jsonl")]):
        if folds.takes(zlib.crc32(path.stem.split("_")[0].encode())):
            said = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
            texts = [each["content"] for each in said if each.get("role") == "user"]
            typed = [text for text in texts if isinstance(text, str) and text.strip() and not text.startswith("<")]
            yield path.stem, [text for text in typed if len(text) < 3000 and "###" not in text]


def _requests(folder: Path, folds: Folds, languages: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the requests of users to agents, with rules inserted."""
    for name, typed in _asked(folder, folds):
        if len(typed) >= 4:
            for again in range(2):
                item = among_requests(f"{name}-{again}", typed, folds.seed, folds.keep, languages)
                if item["told"]:
                    yield item


def by_message(item: Mapping[str, Any], wordings: Wordings) -> Talk:
    """Return a conversation whose statements are whole messages. Those that a question asks for are needed."""
    statements = [Statement(at, each["role"], each["content"]) for at, each in enumerate(item["messages"])]
    needed = {at for question in item["qas"] for at in question["evidence"]}
    signals = statement_signals(statements, wordings=wordings)
    return Talk(item, statements, [at in needed for at in range(len(statements))], signals)


def by_sentence(item: Mapping[str, Any], wordings: Wordings) -> Talk:
    """Return a conversation whose statements are the user's sentences. Those with a told rule or fact are needed."""
    statements = [
        Statement(at, each["role"], sentence.strip())
        for at, each in enumerate(item["messages"])
        if each["role"] == "user"
        for sentence in SENTENCE.split(each["content"])
        if sentence.strip()
    ]
    told = [_bare(each["text"]) for each in item["told"]]
    needed = [any(_holds(_bare(each.text), text) for text in told) for each in statements]
    return Talk(item, statements, needed, statement_signals(statements, wordings=wordings))


def by_line(item: Mapping[str, Any], wordings: Wordings) -> Talk:
    """Return a conversation whose statements are the user's sentences and the agent's lines, as in `adaptive`. The
    user's sentences with a told rule or fact are needed."""
    said = enumerate(item["messages"])
    statements = [*chain.from_iterable(statements_of(at, each["role"], each["content"]) for at, each in said)]
    told = [_bare(each["text"]) for each in item["told"]]
    needed = [s.speaker == "user" and any(_holds(_bare(s.text), text) for text in told) for s in statements]
    return Talk(item, statements, needed, chat_signals(statements, wordings))


def _bare(text: str) -> str:
    return text.lower().rstrip(".!?。 ")


def _holds(sentence: str, told: str) -> bool:
    """Return whether a sentence contains a told rule or fact, or is a large part of it."""
    return told in sentence or (len(sentence) > len(told) / 2 and sentence in told)


def fit(learned: Mapping[str, Sequence[Talk]], shares: Mapping[str, float]) -> dict[str, float]:
    """Return weights of the signals. All conversations of a kind count the same."""
    in_chats = "chats" in shares
    signals, likely, penalty = (CHAT_SIGNALS, _AS_OFTEN, _LITTLE) if in_chats else (TALK_SIGNALS, _LIKELY, _PENALTY)
    examples: list[Labelled] = []
    for kind, share in shares.items():
        for talk in learned[kind]:
            weight = _SCALE * share / len(learned[kind])
            examples += _labelled(talk, weight, likely, spare_facts=kind in ("requests", "asked"))
    return fit_rows(list(signals), examples, penalty=penalty)


def _labelled(talk: Talk, weight: float, likely: float, *, spare_facts: bool) -> Iterator[Labelled]:
    """Yield the statements of a conversation as examples. With `spare_facts`, statements with numbers or ids that are
    not labelled as needed count less, because they may be needed too."""
    needed = [row for row, label in zip(talk.signals, talk.needed, strict=True) if label]
    others = [row for row, label in zip(talk.signals, talk.needed, strict=True) if not label]
    if not needed or not others:
        return
    part = min(0.5, (len(needed) / len(talk.needed)) ** likely)
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
    """Add to `rows` the share of what is needed that is kept: of messages per question, of sentences per session."""
    measured = {kind: found for kind, found in others.items() if kind not in NEEDED}
    for kind, each in ((kind, each) for kind, found in measured.items() for each in found):
        said = each.statements
        later, always = (values_of(each.signals, weights) for weights in (talk, binding))
        methods = {"`talk`": later, "`binding`": always, "both": _either(each, talk, binding)}
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


def _measure_chats(
    rows: dict[str, dict[str, list[float]]],
    chats: Sequence[Talk],
    talk: Mapping[str, float],
    binding: Mapping[str, float],
    needed: Mapping[str, float],
) -> None:
    """Add to `rows` the share of the statements needed to continue a chat that is kept, without the last message."""
    for each in chats:
        tokens, said = _room(each, 1.0)[0], each.statements
        wanted = {at for at, label in enumerate(each.needed) if label and said[at].message != said[-1].message}
        orders = {
            "both": rank_statements(said, _either(each, talk, binding), tokens),
            "`needed`": list(rank_unrepeated(said, values_of(each.signals, needed, CHAT_SIGNALS), tokens)),
        }
        for name, order in orders.items():
            for ratio in (0.1, 0.25):
                kept = wanted.intersection(_filled(order, tokens, _room(each, ratio)[1]))
                rows[name][f"chats {ratio:.0%}"].append(len(kept) / len(wanted))


def _either(talked: Talk, talk: Mapping[str, float], binding: Mapping[str, float]) -> list[float]:
    binds = binding_values(talked.statements, talked.signals, binding)
    return list(map(either, values_of(talked.signals, talk), binds))


def _room(talk: Talk, ratio: float) -> tuple[list[int], int]:
    tokens = [_COUNT(each.text) + _PER_MESSAGE for each in talk.statements]
    return tokens, round(ratio * sum(tokens))


def _messages(talk: Talk, values: Sequence[float], ratio: float) -> list[float]:
    """Return for each question the share of its messages that are kept."""
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
    """Return, in a list, the kept share of the needed sentences that could fit; an empty list if none fits."""
    tokens, room = _room(talk, ratio)
    needed = {at for at, label in enumerate(talk.needed) if label}
    fits = _filled(sorted(needed, key=tokens.__getitem__), tokens, room)
    kept = needed.intersection(_most_worth(talk, values, tokens, room))
    return [min(1.0, len(kept) / len(fits))] if fits else []


def _table(rows: Mapping[str, Mapping[str, Sequence[float]]]) -> str:
    """Return two tables: all measurements, and those of sentences by language."""
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
