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
from benchmarks.dialogues import LANGUAGES, UNSEEN, among_requests, fold_of, of_friends, with_rules
from benchmarks.evidence import kept_evidence, rarest_sentences
from compactor_cli.evaluation.learning.fit import Labelled, fit_rows
from compactor_cli.evaluation.learning.profile_text import with_statements
from compactor_cli.features.talk import (
    CHAT_SIGNALS,
    TALK_SIGNALS,
    Statement,
    binding_values,
    chat_signals,
    either_probability,
    logistic_values,
    rank_statements,
    statement_signals,
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
_SIGNAL_SCALE = 1000.0
"""Weight of a kind of conversations, relative to the penalty."""
_LIKELY, _AS_OFTEN = 0.5, 1.0
"""What weighs the same in every conversation: all its statements (1), its needed ones (0), or something in between. For
`needed` the weights follow how often statements are needed, because its values are compared with those of
repetitions."""
_SPARED_SHARE = 0.3
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
class LabelledTalk:
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
        return fold_of(line, _FOLDS) in self.taken

    def has_number(self, number: int) -> bool:
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
        for half, other_half in (_HALVES, _HALVES[::-1]):
            learned = training_conversations(options.sessions, half, 2 * seed)
            folds = Folds(frozenset(other_half), 2 * seed + 1)
            languages = (*LANGUAGES, *UNSEEN)
            other_conversations = conversations(
                options.sessions, folds, Wordings(learn_tables(options.sessions, half)), languages=languages
            )
            talk, binding = fit(learned, TALK), fit(learned, BINDING)
            _measure(rows, other_conversations, talk, binding)
            _measure_chats(rows, other_conversations["chats"], talk, binding, fit(learned, NEEDED))
    sys.stdout.write(_table(rows))
    if options.profile:
        learned = training_conversations(options.sessions, range(_FOLDS), 0)
        text = options.profile.read_text(encoding="utf-8")
        parts = {"talk": TALK, "binding": BINDING, "needed": NEEDED}
        text = with_statements(text, {name: fit(learned, shares) for name, shares in parts.items()})
        options.profile.write_text(text, encoding="utf-8")
        (options.profile.parent / WORDINGS).write_bytes(learn_tables(options.sessions, range(_FOLDS), without=()))
    return 0


def learn_tables(folder: Path, folds: Iterable[int], without: Collection[str] = UNSEEN) -> bytes:
    """Return the weights of wordings, learned from the lines and the users' requests of some folds."""
    selected = Folds(frozenset(folds), 0)
    request_sentences = (
        sentence for _, texts in _asked(folder, selected) for text in texts for sentence in SENTENCE.split(text)
    )
    requests = [wording.Example("requests", text.strip()) for text in dict.fromkeys(request_sentences) if text.strip()]
    return wording.learn([*wording.examples(selected.keep, without), *requests])


def training_conversations(folder: Path, folds: Sequence[int], seed: int) -> dict[str, list[LabelledTalk]]:
    """Return conversations to learn from, by kind. The wordings for each fold are learned from the other folds, because
    the lines of real conversations were not learned from either."""
    parts = [
        conversations(folder, Folds(frozenset([own_fold]), seed), Wordings(learn_tables(folder, {*folds} - {own_fold})))
        for own_fold in folds
    ]
    return {kind: [talk for part in parts for talk in part[kind]] for kind in parts[0]}


def conversations(
    folder: Path, folds: Folds, wordings: Wordings, *, languages: Sequence[str] = LANGUAGES
) -> dict[str, list[LabelledTalk]]:
    """Return all conversations of some folds by kind; of kind "told" are those of kind "rules", split into the
    user's sentences."""
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


def _chats(folds: Folds, wordings: Wordings) -> Iterator[LabelledTalk]:
    """Yield the chats in which needed text is marked, with the signals in CHAT_SIGNALS."""
    for number, chat in enumerate(read_chats()):
        if folds.has_number(number):
            signals = chat_signals(chat.statements, wordings)
            yield LabelledTalk({"id": chat.name}, list(chat.statements), list(chat.needed), signals)


def _questions(folder: Path, folds: Folds) -> Iterator[dict[str, Any]]:
    """Yield meetings with facts woven in."""
    meetings = [path for n, path in enumerate(sorted((folder / "qmsum").glob("*.jsonl"))) if folds.has_number(n)]
    dialogues = questions.read_noise(meetings)

    def shapes(category: str) -> list[questions.Shape]:
        return [shape for n, shape in enumerate(questions.shapes_of(category)) if folds.has_number(n)]

    for number in folds.numbers_of("questions"):
        values = {**_DEFAULTS, **_SETS[number % len(_SETS)]}
        options = argparse.Namespace(**values, seed=folds.seed, names=False)
        lines = questions.noise(Random(f"{folds.seed}/noise/{number}"), dialogues, options)
        yield questions.conversation(f"talk-{number}", lines, options, shapes)


def _asked(folder: Path, folds: Folds) -> Iterator[tuple[str, list[str]]]:
    """Yield the names of sessions and their users' requests. All trials of one task are in the same fold."""
    for path in sorted([*folder.glob("tau-bench/*.jsonl"), *folder.glob("openai-long/**/*.jsonl")]):
        if folds.has_number(zlib.crc32(path.stem.split("_")[0].encode())):
            spoken_records = [
                json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()
            ]
            texts = [record["content"] for record in spoken_records if record.get("role") == "user"]
            typed = [text for text in texts if isinstance(text, str) and text.strip() and not text.startswith("<")]
            yield path.stem, [text for text in typed if len(text) < 3000 and "###" not in text]


def _requests(folder: Path, folds: Folds, languages: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the requests of users to agents, with rules inserted."""
    for name, typed in _asked(folder, folds):
        if len(typed) >= 4:
            for repetition in range(2):
                item = among_requests(f"{name}-{repetition}", typed, folds.seed, folds.keep, languages)
                if item["told"]:
                    yield item


def by_message(item: Mapping[str, Any], wordings: Wordings) -> LabelledTalk:
    """Return a conversation whose statements are whole messages. Those that a question asks for are needed."""
    statements = [
        Statement(index, message["role"], message["content"]) for index, message in enumerate(item["messages"])
    ]
    needed = {index for question in item["qas"] for index in question["evidence"]}
    signals = statement_signals(statements, wordings=wordings)
    return LabelledTalk(item, statements, [index in needed for index in range(len(statements))], signals)


def by_sentence(item: Mapping[str, Any], wordings: Wordings) -> LabelledTalk:
    """Return a conversation whose statements are the user's sentences. Those with a told rule or fact are needed."""
    statements = [
        Statement(index, message["role"], sentence.strip())
        for index, message in enumerate(item["messages"])
        if message["role"] == "user"
        for sentence in SENTENCE.split(message["content"])
        if sentence.strip()
    ]
    told_sentences = [_bare(message["text"]) for message in item["told"]]
    needed = [any(_contains_told(_bare(message.text), text) for text in told_sentences) for message in statements]
    return LabelledTalk(item, statements, needed, statement_signals(statements, wordings=wordings))


def by_line(item: Mapping[str, Any], wordings: Wordings) -> LabelledTalk:
    """Return a conversation whose statements are the user's sentences and the agent's lines, as in `adaptive`. The
    user's sentences with a told rule or fact are needed."""
    messages = enumerate(item["messages"])
    statements = [
        *chain.from_iterable(statements_of(index, message["role"], message["content"]) for index, message in messages)
    ]
    told_sentences = [_bare(message["text"]) for message in item["told"]]
    needed = [
        s.speaker == "user" and any(_contains_told(_bare(s.text), text) for text in told_sentences) for s in statements
    ]
    return LabelledTalk(item, statements, needed, chat_signals(statements, wordings))


def _bare(text: str) -> str:
    return text.lower().rstrip(".!?。 ")


def _contains_told(sentence: str, told: str) -> bool:
    """Return whether a sentence contains a told rule or fact, or is a large part of it."""
    return told in sentence or (len(sentence) > len(told) / 2 and sentence in told)


def fit(learned: Mapping[str, Sequence[LabelledTalk]], shares: Mapping[str, float]) -> dict[str, float]:
    """Return weights of the signals. All conversations of a kind count the same."""
    in_chats = "chats" in shares
    signals, likely, penalty = (CHAT_SIGNALS, _AS_OFTEN, _LITTLE) if in_chats else (TALK_SIGNALS, _LIKELY, _PENALTY)
    examples: list[Labelled] = []
    for kind, share in shares.items():
        for talk in learned[kind]:
            weight = _SIGNAL_SCALE * share / len(learned[kind])
            examples += _labelled(talk, weight, likely, spare_facts=kind in ("requests", "asked"))
    return fit_rows(list(signals), examples, penalty=penalty)


def _labelled(talk: LabelledTalk, weight: float, likely: float, *, spare_facts: bool) -> Iterator[Labelled]:
    """Yield the statements of a conversation as examples. With `spare_facts`, statements with numbers or ids that are
    not labelled as needed count less, because they may be needed too."""
    needed = [row for row, label in zip(talk.signals, talk.needed, strict=True) if label]
    unneeded_rows = [row for row, label in zip(talk.signals, talk.needed, strict=True) if not label]
    if not needed or not unneeded_rows:
        return
    part = min(0.5, (len(needed) / len(talk.needed)) ** likely)
    yield Labelled(needed, True, weight * part / len(needed))
    facts = [row for row in unneeded_rows if spare_facts and any(row[column_index] for column_index in _FACT)]
    yield Labelled([row for row in unneeded_rows if row not in facts], False, weight * (1 - part) / len(unneeded_rows))
    yield Labelled(facts, False, _SPARED_SHARE * weight * (1 - part) / len(unneeded_rows))


def _measure(
    rows: dict[str, dict[str, list[float]]],
    measured_talks: Mapping[str, Sequence[LabelledTalk]],
    talk: Mapping[str, float],
    binding: Mapping[str, float],
) -> None:
    """Add to `rows` the share of what is needed that is kept: of messages per question, of sentences per session."""
    measured = {kind: talks for kind, talks in measured_talks.items() if kind not in NEEDED}
    for kind, measured_talk in ((kind, measured_talk) for kind, talks in measured.items() for measured_talk in talks):
        statements = measured_talk.statements
        later, always = (logistic_values(measured_talk.signals, weights) for weights in (talk, binding))
        methods = {"`talk`": later, "`binding`": always, "both": _larger_value(measured_talk, talk, binding)}
        whole = kind in ("questions", "friends", "rules")
        for ratio in (0.1, 0.25) if whole else (0.15, 0.25):
            column = f"{kind} {ratio:.0%}"
            for name, values in methods.items():
                kept_shares = (
                    _messages(measured_talk, values, ratio) if whole else _sentences(measured_talk, values, ratio)
                )
                rows[name][column] += kept_shares
                if not whole and name == "`binding`":
                    rows[name][f"{measured_talk.item['told'][0]['language']} {ratio:.0%}"] += kept_shares
            if whole:
                token_budget = _token_budget(measured_talk, ratio)[1]
                rows["tf-idf"][column] += kept_evidence(
                    measured_talk.item, rarest_sentences([statement.text for statement in statements], token_budget)
                )
                rows["chance"][column] += kept_evidence(measured_talk.item, _at_random(measured_talk, ratio))


def _measure_chats(
    rows: dict[str, dict[str, list[float]]],
    chats: Sequence[LabelledTalk],
    talk: Mapping[str, float],
    binding: Mapping[str, float],
    needed: Mapping[str, float],
) -> None:
    """Add to `rows` the share of the statements needed to continue a chat that is kept, without the last message."""
    for chat in chats:
        tokens, statements = _token_budget(chat, 1.0)[0], chat.statements
        wanted_indexes = {
            index
            for index, label in enumerate(chat.needed)
            if label and statements[index].message != statements[-1].message
        }
        orders = {
            "both": rank_statements(statements, _larger_value(chat, talk, binding), tokens),
            "`needed`": list(rank_unrepeated(statements, logistic_values(chat.signals, needed, CHAT_SIGNALS), tokens)),
        }
        for name, order in orders.items():
            for ratio in (0.1, 0.25):
                kept_indexes = wanted_indexes.intersection(_fill_budget(order, tokens, _token_budget(chat, ratio)[1]))
                rows[name][f"chats {ratio:.0%}"].append(len(kept_indexes) / len(wanted_indexes))


def _larger_value(talked: LabelledTalk, talk: Mapping[str, float], binding: Mapping[str, float]) -> list[float]:
    binds = binding_values(talked.statements, talked.signals, binding)
    return list(map(either_probability, logistic_values(talked.signals, talk), binds))


def _token_budget(talk: LabelledTalk, ratio: float) -> tuple[list[int], int]:
    tokens = [_COUNT(statement.text) + _PER_MESSAGE for statement in talk.statements]
    return tokens, round(ratio * sum(tokens))


def _messages(talk: LabelledTalk, values: Sequence[float], ratio: float) -> list[float]:
    """Return for each question the share of its messages that are kept."""
    chosen = _most_valuable(talk, values, *_token_budget(talk, ratio))
    return kept_evidence(talk.item, "\n".join(talk.statements[index].text for index in chosen))


def _at_random(talk: LabelledTalk, ratio: float) -> str:
    order = Random(talk.item["id"]).sample(range(len(talk.statements)), len(talk.statements))
    return "\n".join(talk.statements[index].text for index in _fill_budget(order, *_token_budget(talk, ratio)))


def _most_valuable(talk: LabelledTalk, values: Sequence[float], tokens: list[int], token_budget: int) -> list[int]:
    return _fill_budget(rank_statements(talk.statements, values, tokens), tokens, token_budget)


def _fill_budget(order: Sequence[int], tokens: Sequence[int], token_budget: int) -> list[int]:
    kept_indexes = []
    for index in order:
        if tokens[index] <= token_budget:
            kept_indexes.append(index)
            token_budget -= tokens[index]
    return sorted(kept_indexes)


def _sentences(talk: LabelledTalk, values: Sequence[float], ratio: float) -> list[float]:
    """Return, in a list, the kept share of the needed sentences that could fit; an empty list if none fits."""
    tokens, token_budget = _token_budget(talk, ratio)
    needed = {index for index, label in enumerate(talk.needed) if label}
    fitting = _fill_budget(sorted(needed, key=tokens.__getitem__), tokens, token_budget)
    kept_indexes = needed.intersection(_most_valuable(talk, values, tokens, token_budget))
    return [min(1.0, len(kept_indexes) / len(fitting))] if fitting else []


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
