"""JSON inside a string made plain, and where its characters stand then."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.text.escapes import map_to_readable, readable


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        (r"one\ntwo\tthree", "one\ntwo\tthree"),
        (r"say \"hi\" to a\/b", 'say "hi" to a/b'),
        (r"C:\\new\\table", r"C:\new\table"),
        (r"caf\u00e9", "café"),
        (r"\ud83d\ude00", "😀"),
        (r"half \ud83d of one", "half � of one"),
        (r"\x stays", r"\x stays"),
        ("", ""),
        ("\\", "\\"),
    ],
)
def test_json_inside_a_string_is_made_plain(text, expected):
    assert readable(text) == expected


@given(st.text(st.characters()))  # also halves of letters
def test_what_was_escaped_and_made_plain_can_be_written(text):
    whole = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    for letter, plain in (("\r", ""), ("\b", r"\b"), ("\f", r"\f")):  # the rare ones stay as they are
        whole = whole.replace(letter, plain)
    assert readable(json.dumps(text)).encode().decode() == f'"{whole}"'


@given(st.text(alphabet='ab \\n\\t"\\\\/é😀{[,', max_size=40), st.booleans())
def test_every_place_between_escapes_is_found_again(text, ascii_only):
    escaped = json.dumps({"command": text}, ensure_ascii=ascii_only)
    place, plain = map_to_readable(escaped), readable(escaped)
    assert place(len(escaped)) == len(plain)
    inside = {at for m in re.finditer(r"(?:\\u[0-9a-f]{4})+|\\.", escaped) for at in range(m.start() + 1, m.end())}
    for at in set(range(len(escaped))) - inside:
        assert readable(escaped[:at]) == plain[: place(at)]
