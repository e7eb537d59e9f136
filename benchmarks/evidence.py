"""`python -m benchmarks.evidence QUESTIONS.jsonl...`: measure how much is kept of what is asked for later.

The files come from `benchmarks.questions`: conversations with facts, and the messages that each question needs. Each
conversation is compacted to shares of its tokens. A message counts as kept if at least 70 percent of its words are in
one line of the output, or in two consecutive lines. The strategies are compared with `tf-idf`: the sentences with the
rarest words for their length, until the target is full. The output is Markdown for docs/retention.md, with the mean
over all questions.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from math import fsum, log
from pathlib import Path
from typing import Any

from compactor_cli import api
from compactor_cli.model.transcript import Source
from compactor_cli.settings import Settings
from compactor_cli.tokens import make_counter

RATIOS = (0.1, 0.25, 0.5)
_MIN_WORD_SHARE = 0.7
_WORD = re.compile(r"[a-z0-9_]{2,}")
_COMMON = frozenset(
    re.findall(
        r"\w+",
        """
        the and but for from with that this are was were been have has had will would can could not you your they their
        his her she him our its what when where who how why all any some there here then than too very just also yes
        okay in on at by of to is it be do does did as if so or an we me my he us am no up out about into over after
        """,
    )
)
_TOKENS_PER_MESSAGE = 4
_COUNT = make_counter("o200k_base").counter.count


def main(paths: Sequence[str]) -> int:
    if not paths:
        print(__doc__, file=sys.stderr)
        return 2
    methods: dict[str, Callable[[Source, int], str]] = {
        "`adaptive`": _strategy("adaptive"),
        "`tiered`": _strategy("tiered"),
        "tf-idf": _rarest_sentences,
    }
    for path in paths:
        items = [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]
        print(f"### {Path(path).stem}: {len(items)} conversations, {sum(len(i['qas']) for i in items)} questions\n")
        print("| | " + " | ".join(f"{ratio:.0%}" for ratio in RATIOS) + " |")
        print("|---" * (1 + len(RATIOS)) + "|")
        for name, method in methods.items():
            print(
                f"| {name} | " + " | ".join(f"{_mean(items, method, ratio):.3f}" for ratio in RATIOS) + " |", flush=True
            )
        print()
    return 0


def _mean(items: Sequence[Mapping[str, Any]], method: Callable[[Source, int], str], ratio: float) -> float:
    """Return the share of evidence that is kept, averaged over all questions."""
    shares: list[float] = []
    for item in items:
        data = "".join(json.dumps(message, ensure_ascii=False) + "\n" for message in item["messages"])
        source = api.load(data.encode(), item["id"], tokenizer="o200k_base")
        shares += kept_evidence(item, method(source, int(ratio * source.tokens)))
    return sum(shares) / len(shares)


def kept_evidence(item: Mapping[str, Any], output: str) -> list[float]:
    """Return for each question the share of its messages that an output keeps."""
    lines = _index(output)
    texts = [[_words(item["messages"][index]["content"]) for index in question["evidence"]] for question in item["qas"]]
    return [sum(_is_kept(words, lines) for words in word_sets) / len(word_sets) for word_sets in texts]


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(text.lower()) if word not in _COMMON)


def _index(text: str) -> Mapping[str, set[int]]:
    """Return a map: word -> numbers of the lines that hold it, each line taken together with the next one."""
    bags = [_words(line) for line in text.split("\n") if line.strip()]
    index: dict[str, set[int]] = defaultdict(set)
    for line_number, bag in enumerate(bags):
        for word in bag | (bags[line_number + 1] if line_number + 1 < len(bags) else frozenset()):
            index[word].add(line_number)
    return index


def _is_kept(words: frozenset[str], lines: Mapping[str, set[int]]) -> bool:
    hits_by_line = Counter(line for word in words for line in lines.get(word, ()))
    return not words or max(hits_by_line.values(), default=0) >= _MIN_WORD_SHARE * len(words)


def _strategy(name: str) -> Callable[[Source, int], str]:
    def compact(source: Source, target: int) -> str:
        settings = Settings(strategy=name, target_tokens=target)
        (part,) = api.compact(source, settings, tokenizer="o200k_base").parts
        return "\n".join(message.text() for message in part.messages)

    return compact


def _rarest_sentences(source: Source, target: int) -> str:
    return rarest_sentences([message.text() for message in source.transcripts[0].messages], target)


def rarest_sentences(texts: Sequence[str], target: int) -> str:
    """Return the sentences with the highest mean rarity of their words that fit in `target` tokens, in text order."""
    units = [unit for text in texts for unit in re.split(r"(?<=[.!?])\s+", text) if unit]
    bags = [_words(unit) for unit in units]
    sentence_counts = Counter(word for bag in bags for word in bag)
    score = [fsum(log(len(units) / sentence_counts[word]) for word in bag) / (4 + len(bag)) for bag in bags]
    chosen, tokens_left = set(), target - _TOKENS_PER_MESSAGE
    for index in sorted(range(len(units)), key=lambda index: (-score[index], index)):
        cost = _COUNT(units[index]) + 1
        if cost <= tokens_left:
            chosen.add(index)
            tokens_left -= cost
    return "\n".join(units[index] for index in sorted(chosen))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
