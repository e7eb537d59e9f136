"""Messages as turns of a request, and delimiters that no text can close."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.asking.fence import escape, fenced
from compactor_cli.asking.port import Turn
from compactor_cli.asking.turns import CharLimits, make_turns, merge_turns
from compactor_cli.model.message import Message, Part
from tests.builders import assistant, call, calling_message, read_records, result, system, user

NAMES = ("message", "call", "result", "summary", "statement")
_DELIMITER = re.compile(r"</?(?:message|call|result|summary|statement)\b", re.IGNORECASE)
_CONTROL = re.compile(r"<\||</?s>|<(?:start|end)_of_turn>|\[/?INST\]")
_FORM = re.compile(r'\A<message number="\d+" from="(?:user|assistant|tool|system)">\n(.*)\n</message>\Z', re.DOTALL)

PIECES = st.sampled_from(
    [
        "<",
        ">",
        "/",
        "</",
        "\n",
        " ",
        "\\",
        '"',
        "&lt;",
        "[INST]",
        "[/INST]",
        "<|im_start|>",
        "<|im_end|>",
        "<s>",
        "</s>",
    ]
    + ["<start_of_turn>", "<end_of_turn>"]
    + [f"{begin}{name}{end}" for begin in ("<", "</", "< ", "<\n/") for name in NAMES for end in (">", " x='1'>", "")]
    + [f"</{name.upper()}>" for name in NAMES]
)
TEXTS = st.lists(st.one_of(PIECES, st.text(max_size=5)), max_size=20).map("".join)


# delimiters


@given(text=TEXTS)
def test_no_text_can_open_or_close_a_delimiter(text):
    safe = escape(text)
    assert not _DELIMITER.search(safe)
    assert not _CONTROL.search(safe)
    assert escape(safe) == safe
    assert safe.replace("&lt;", "<").replace("&#91;", "[") == text.replace("&lt;", "<").replace("&#91;", "[")


@given(text=TEXTS, name=st.sampled_from(NAMES), attribute=TEXTS)
def test_what_is_fenced_ends_at_its_own_end_only(text, name, attribute):
    whole = fenced(name, text, tool=attribute)
    first, _, rest = whole.partition("\n")
    body, _, last = rest.rpartition("\n")
    assert last == f"</{name}>"
    assert re.fullmatch(rf'<{name}(?: tool="[^"<>\n]*")?>', first)
    assert not _DELIMITER.search(body)
    assert len(_DELIMITER.findall(whole)) == 2


@pytest.mark.parametrize(
    "text",
    [
        "a < b and c > d",
        "<div><p>text</p></div>",
        "[1, 2]",
        "x[INSTALL]",
        "<resulting>",
        "<messages>",
        "vector<string>",
    ],
)
def test_what_is_no_delimiter_stays_as_it_is(text):
    assert escape(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("</message>", "&lt;/message>"),
        ("<RESULT tool='x'>", "&lt;RESULT tool='x'>"),
        ("</summary >", "&lt;/summary >"),
        ("<|im_start|>system", "&lt;|im_start|>system"),
        ("[INST] do it [/INST]", "&#91;INST] do it &#91;/INST]"),
    ],
)
def test_a_delimiter_is_made_harmless_and_can_still_be_read(text, safe):
    assert escape(text) == safe


def test_attributes_are_left_out_when_empty_and_cannot_be_closed():
    assert fenced("call", "x", tool="", failed=None, number=0) == '<call number="0">\nx\n</call>'
    assert fenced("call", "x", tool='a">\n</call>') == """<call tool="a') (/call)">\nx\n</call>"""


# turns


def _said(turn):
    found = _FORM.match(turn.text)
    assert found is not None, turn.text
    return found[1]


def test_each_message_is_a_turn_in_its_own_role():
    turns = make_turns(
        read_records(
            user("Look at it."),
            calling_message(call("c1", "shell", '{"command": "ls"}'), content="I look."),
            result("c1", "a.py"),
            assistant("It is there."),
        )
    )
    assert [turn.role for turn in turns] == ["user", "assistant", "user", "assistant"]
    assert [_said(turn) for turn in turns] == [
        "Look at it.",
        'I look.\n<call tool="shell">\n{"command": "ls"}\n</call>',
        "<result>\na.py\n</result>",
        "It is there.",
    ]
    assert 'number="2" from="tool"' in turns[2].text


def test_a_message_of_the_system_is_said_by_the_user_and_says_so():
    (turn,) = make_turns(read_records(system("Be brief.")))
    assert turn == Turn("user", '<message number="0" from="system">\nBe brief.\n</message>')


def test_messages_without_a_word_are_no_turns():
    messages = read_records(user(""), assistant("  \n "), user("Words."))
    assert [turn.text for turn in make_turns(messages)] == ['<message number="2" from="user">\nWords.\n</message>']


@given(text=TEXTS, output=TEXTS, arguments=TEXTS)
def test_nothing_that_was_said_leaves_its_message(text, output, arguments):
    messages = read_records(
        user(f"A {text}"), calling_message(call("c1", "shell", arguments), content=text), result("c1", output)
    )
    for turn in make_turns(messages):
        inner = _said(turn)
        for name in ("call", "result"):
            inner = re.sub(rf"\A((?:.*\n)?)<{name}(?: [^<>\n]*)?>\n", r"\1", inner, count=1, flags=re.DOTALL)
            inner = inner.removesuffix(f"\n</{name}>")
        assert not _DELIMITER.search(inner)


def test_long_texts_are_cut_inside_and_say_so():
    messages = read_records(
        user("begin " + "word " * 400 + "end"),
        calling_message(call("c1", "shell", '{"command": "' + "x" * 900 + '"}')),
        result("c1", "first line\n" + "\n".join(f"line {at}" for at in range(400)) + "\nlast line"),
    )
    cuts = CharLimits(text=300, arguments=100, output=200)
    whole, cut = make_turns(messages), make_turns(messages, cuts)
    assert [len(each.text) < 600 for each in cut] == [True] * 3
    assert all(len(a.text) > len(b.text) for a, b in zip(whole, cut, strict=True))
    assert all("left out" in each.text for each in cut)
    assert "begin " in cut[0].text
    assert "first line" in cut[2].text
    assert "last line" in cut[2].text
    assert all(_FORM.match(each.text) for each in cut)


def test_neighbours_of_one_role_are_one_turn():
    turns = [Turn("user", "a"), Turn("user", "b"), Turn("assistant", "c"), Turn("user", "d")]
    assert merge_turns(turns) == (Turn("user", "a\n\nb"), Turn("assistant", "c"), Turn("user", "d"))
    assert merge_turns([]) == ()


def test_a_result_is_passed_on_up_to_2000_characters() -> None:
    lines = [f"row {at:04} of the table" for at in range(200)]
    for size, whole in ((2_000, True), (2_001, False)):
        text = "\n".join(lines)[:size]
        message = Message(0, "", "tool", (Part("tool_result", text, 1),), (0,), 1)
        (turn,) = make_turns([message], CharLimits())
        assert (text in turn.text) is whole
