"""prompt.yaml: what it may hold, and what is said of anything else: file, line, place, what is allowed."""

from __future__ import annotations

import pytest

from compactor_cli.errors import InputError, UsageError
from compactor_cli.prompt.parse import context_options
from tests.prompt.yamls import prompt

pytestmark = pytest.mark.one_test_in(2)

PART = "use a number of tokens, a text, or one of {tokens: N}, {text: TEXT}, {file: PATH}"


def test_a_part_is_a_size_a_text_or_a_file():
    parts = prompt(
        "system_prompt: {file: system.md}\nagent_identity: {tokens: 200}\nactions: 100\n"
        'task_prompt: "Fix it."\ncurrent_message: {text: Go on.}\nsystem_llm: {tokens: 7.0}\n',
        system="You are kind.\n",
    ).parts
    assert {name: (part.given, part.text, part.reserved) for name, part in parts.items()} == {
        "system_prompt": ("file", "You are kind.\n", 0),
        "agent_identity": ("tokens", "", 200),
        "actions": ("tokens", "", 100),
        "system_llm": ("tokens", "", 7),
        "task_prompt": ("text", "Fix it.", 0),
        "current_message": ("text", "Go on.", 0),
    }


def test_texts_of_segments_come_from_files_as_well_and_lose_the_line_breaks_around_them():
    text = "segments: [{id: a, file: a.md, condensed: {file: b.md}}, {id: b, text: x, condensed: y}]"
    segments = prompt(text, a="\nlong\n", b="short\n").segments
    assert [(s.text, s.condensed) for s in segments] == [("long", "short"), ("x", "y")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "prompt.yaml: None is not allowed here; use a mapping of parts to sizes or texts"),
        ("- a\n", "prompt.yaml:1: ['a'] is not allowed here; use a mapping of parts to sizes or texts"),
        ("actions: 1\nsystem_promt: 2\n", "prompt.yaml:2: system_promt: unknown key; known: system_prompt, "),
        ("\nactions: -1\n", f"prompt.yaml:2: actions: -1 is not allowed here; {PART}"),
        ("actions: true\n", f"prompt.yaml:1: actions: True is not allowed here; {PART}"),
        ("actions:\n", f"prompt.yaml:1: actions: None is not allowed here; {PART}"),
        ("actions: {tokens: ten}\n", f"prompt.yaml:1: actions: {{'tokens': 'ten'}} is not allowed here; {PART}"),
        ("actions: {tokens: 1, text: a}\n", "prompt.yaml:1: actions: {'tokens': 1, 'text': 'a'} is not allowed"),
        ("actions: 1\nactions: 2\n", "prompt.yaml:2: actions: given twice; keep one"),
        ("actions: !!bool x\n", "prompt.yaml: not YAML: "),
        ("actions: {file: no.md}\n", "prompt.yaml:1: actions: file 'no.md' cannot be read: No such file"),
        ("actions: a\nyes: 3\n", "prompt.yaml:2: the key yes is no text; write it in quotes"),
        ("? [a]\n: 3\n", "prompt.yaml:1: a key is no text; write it in quotes"),
        ("actions: a\nsegments: [a\n", "prompt.yaml:3: not YAML: "),
        ("actions: !!python/name:os.system\n", "prompt.yaml:1: not YAML: "),
        ("a: 1\n---\nb: 2\n", "prompt.yaml:2: not YAML: "),
        ("[" * 1500, "prompt.yaml: nested too deeply to be read"),
        ('actions: "\\ud800"\n', "prompt.yaml:1: actions: holds half of a surrogate pair"),
        (
            "segment_tokens: lots\n",
            "prompt.yaml:1: segment_tokens: 'lots' is not allowed here; use a number of tokens",
        ),
        ("condensed: 1\n", "prompt.yaml:1: condensed: 1 is not allowed here; use true or false"),
        ("context: {a: 2026-01-02}\n", "prompt.yaml:1: context.a: datetime.date(2026, 1, 2) is not allowed here; use"),
        ("segments: {}\n", "prompt.yaml:1: segments: {} is not allowed here; use a list of segments"),
        ("segments:\n- text: a\n", "prompt.yaml:2: segments[0]: 'id' is missing; known keys: id, text, file, "),
        ("segments:\n- id: a\n", "prompt.yaml:2: segments[0]: {'id': 'a'} is not allowed here; use a segment: its id"),
        ("segments:\n- {id: a, text: b, file: c}\n", "prompt.yaml:2: segments[0]: {'id': 'a', 'text': 'b', 'file'"),
        ("segments:\n- id: a\n  text: b\n  prio: 3\n", "prompt.yaml:4: segments[0].prio: unknown key; known: id, "),
        ("segments:\n- id: a\n  text: b\n  priority: high\n", "prompt.yaml:4: segments[0].priority: 'high' cannot"),
        ("segments:\n- {id: a, text: b}\n- id: a\n  text: c\n", "prompt.yaml:3: segments[1].id: 'a' is the id of"),
        (
            "segments:\n- id: a\n  text: b\n  when:\n    tools: {at_leas: 2}\n",
            "prompt.yaml:5: segments[0].when.tools: {'at_leas': 2} is not allowed here; use a value that is equal, ",
        ),
        ("segments:\n- id: a\n  file: no.md\n", "prompt.yaml:2: segments[0]: file 'no.md' cannot be read"),
        ("segments: &a [*a]\n", "prompt.yaml:1: segments[0]: "),
    ],
)
def test_errors_name_file_line_and_place_and_what_is_allowed(text, expected):
    with pytest.raises(InputError) as caught:
        prompt(text)
    assert str(caught.value).startswith(expected)
    assert caught.value.exit_code == 3


def test_a_long_wrong_value_is_not_shown_whole():
    with pytest.raises(InputError) as caught:
        prompt(f"actions: [{'x' * 5000}]\n")
    assert len(str(caught.value)) < 250


def test_the_context_may_be_given_as_options():
    given = context_options(("a=true", "b=false", "c=3", "d=2.5", "e=plan b", "f=", "g=x=y"))
    assert given == {"a": True, "b": False, "c": 3, "d": 2.5, "e": "plan b", "f": "", "g": "x=y"}
    for option in ("a", "=1", ""):
        with pytest.raises(UsageError, match="NAME=VALUE"):
            context_options((option,))
