"""A format is loaded only for records that have a member of those that each of its records has."""

from __future__ import annotations

import json
from itertools import chain

import pytest

from compactor_cli.formats import FORMATS, documents
from compactor_cli.formats.base import EACH
from tests.builders import ROOT, assistant, call, calling_message, jsonl, result, user
from tests.cli.test_startup import modules_after

CASES = ROOT / "tests" / "formats" / "cases"


def records():
    """Records of the made-up sessions of all formats, and what their documents hold."""
    for path in [*CASES.glob("*/*.json*"), *(ROOT / "sample_transcripts").glob("*.jsonl")]:
        text = path.read_text(encoding="utf-8")
        try:
            values = [json.loads(text)]
        except ValueError:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
        for value in values:
            yield value
            for known in FORMATS.values():
                yield from chain.from_iterable(slot.values for slot in documents.slots(known, value))


RECORDS = [value for value in records() if isinstance(value, dict)]


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_recognizes_no_record_and_no_document_without_a_member_of_its_own(name):
    known = FORMATS[name]
    found = 0
    for value in RECORDS:
        recognized = known.recognize(value) > 0 or bool(documents.slots(known, value))
        assert not recognized or known in FORMATS.may_know([value])
        found += recognized
        bare = {key: item for key, item in value.items() if known not in FORMATS.may_know([{key: item}])}
        assert known.recognize(bare) == 0
        assert documents.having_lists(known, [bare]) == []
    assert found


@pytest.mark.parametrize("name", FORMATS)
def test_each_member_that_holds_a_conversation_loads_its_format(name):
    known = FORMATS[name]
    for holder in {key for place in known.lists for key in (*place.path[:1], *place.picked)}:
        assert holder == EACH or known in FORMATS.may_know([{holder: []}])


def test_what_is_no_object_may_be_of_any_format():
    assert FORMATS.may_know([[user("hi")]]) == [*FORMATS.values()]


def test_a_chat_loads_no_format_of_an_agent():
    data = jsonl(user("hi"), calling_message(call("a")), result("a", "out"), assistant("Done."))
    code = f"import compactor_cli as c\nassert c.load({data!r}, 'x', tokenizer='chars').format == 'openai-chat'"
    names = ("openai_chat", "claude_code", "codex", "pi", "qwen", "gemini_cli", "opencode", "openhands", "copilot_cli")
    assert modules_after(code, tuple(f"compactor_cli.formats.{name}" for name in names)) == [
        "compactor_cli.formats.openai_chat"
    ]
