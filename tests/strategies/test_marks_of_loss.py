"""Whatever is gone, something says so: a summary, a mark, or what facts had no room."""

from __future__ import annotations

import re

import pytest

from compactor_cli import api
from compactor_cli.settings import Settings
from compactor_cli.strategies import STRATEGIES
from compactor_cli.summary_text.headers import covered
from tests.builders import call, calling_message, jsonl, result, user
from tests.strategies import work


def _compact(strategy: str, target: int, tasks: int = 12):
    source = api.load(jsonl(*work.session(tasks)), tokenizer="chars")
    return api.compact(source, Settings(strategy=strategy, target_tokens=target), tokenizer="chars").parts[0]


def _floor(strategy: str) -> int:
    """Tokens of the system message, the first and the last request, which most outputs hold."""
    source = api.load(jsonl(*work.session(12)), tokenizer="chars")
    messages = source.transcripts[0].messages
    requests = [m for m in messages if m.origin == "request"]
    return sum(m.tokens for m in (messages[0], requests[0], requests[-1]))


@pytest.mark.drawn(16)
@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
@pytest.mark.parametrize("room", [80, 110, 160, 300])
def test_messages_are_not_gone_without_a_word(strategy: str, room: int) -> None:
    part = _compact(strategy, _floor(strategy) + room)
    assert part.dispositions.dropped + part.dispositions.summarized > 0
    own = [m for m in part.messages if m.origin == "summary"]
    assert own, "nothing says what is gone"
    assert all(covered(message.text()) for message in own)


@pytest.mark.parametrize(("strategy", "target"), [("rolling", 700), ("handoff", 1_600), ("ranked", 700)])
def test_facts_that_have_no_room_are_counted(strategy: str, target: int) -> None:
    part = _compact(strategy, target, tasks=40)
    text = next(m.text() for m in part.messages if m.origin == "summary")
    found = re.search(r"- Left out for want of room: (.*)$", text, re.MULTILINE)
    assert found
    said = {noun.rstrip("s"): int(number) for number, noun in re.findall(r"(\d+) (\w+)", found[1])}
    shown = len(re.findall(r"^- `pytest -q tests/\S+`(?! \(Bash\b)", text, re.MULTILINE))
    assert shown + said["command"] == 40


def test_what_had_no_room_in_an_earlier_round_is_still_counted() -> None:
    first = _compact("rolling", 700, tasks=40)
    more = jsonl(*[record for number in range(40, 50) for record in work.task(number)])
    source = api.load(first.data + more, tokenizer="chars")
    part = api.compact(source, Settings(strategy="rolling", target_tokens=700), tokenizer="chars").parts[0]

    def commands(texts: list[str]) -> int:
        found = re.search(r"Left out for want of room:.*?(\d+) command", "\n".join(texts))
        return int(found[1]) if found else 0

    assert commands([m.text() for m in part.messages]) >= commands([m.text() for m in first.messages]) > 0


@pytest.mark.parametrize("target", [420, 500])
def test_a_quoted_sentence_says_where_its_line_goes_on(target: int) -> None:
    said = [
        f"Please look into part_{n} of the report. Its region_{n * 7} was sold in {1900 + n}, so leave that as it is. "
        f"The clerk_{n} wants to see it again by the {n}th of the month."
        for n in range(24)
    ]
    records = []
    for n, text in enumerate(said):
        records += [user(text), calling_message(call(f"c{n}")), result(f"c{n}", f"part_{n} is as it was\n" * 20)]
    source = api.load(jsonl(*records), tokenizer="chars")
    part = api.compact(source, Settings(target_tokens=target), tokenizer="chars").parts[0]
    quoted = [
        found
        for message in part.messages
        if message.origin == "summary"
        for found in re.findall(r"^#(\d+) user: (?:… )?(.*)$", message.text(), re.MULTILINE)
    ]
    cut = [words for number, words in quoted if not said[int(number) // 3].endswith(words)]
    assert cut
    assert [words for words in cut if not words.endswith(" …")] == []
