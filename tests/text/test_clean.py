"""What is shown as an escape: by the categories of Unicode, whatever has none of its own look."""

from __future__ import annotations

import json
import sys
import unicodedata

import pytest

from compactor_cli.text.clean import shown, visible, without_colours

SEEN = {*range(0x600, 0x606), 0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x110BD, 0x110CD}
"""Format characters that have a look: signs of Arabic, Syriac and Kaithi."""
FILLERS = "\u115f\u1160\u3164\uffa0"


def every():
    return map(chr, range(sys.maxunicode + 1))


def kept(character):
    return visible(f"a{character}a") == f"a{character}a"


def test_no_control_format_or_separating_character_and_no_half_of_one_is_left():
    left = {c for c in every() if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and kept(c)}
    assert left - set(map(chr, SEEN)) == {"\t", "\n"}
    assert not any(map(kept, FILLERS))


def test_whatever_is_seen_stays():
    gone = [c for c in every() if unicodedata.category(c)[0] in "LMNPS" and not kept(c) and c not in FILLERS]
    assert {hex(ord(c)) for c in gone} == {hex(code) for code in range(0xE0100, 0xE01F0)}  # they need an ideograph


@pytest.mark.parametrize(
    "text",
    ["葛\U000e0100城", "\u2764\ufe0f", "क्\u0937", "ᠮᠣᠩ\u180b", "e\u0301", "\u06dd١", "a\tb\r\nc"],
    ids=ascii,
)
def test_what_changes_the_character_before_it_stays(text):
    assert (visible(text), shown(text)) == (text, text)


def test_joiners_stay_in_pictures_and_where_they_are_asked_for():
    family, persian = "\U0001f468\u200d\U0001f469", "می\u200cخواهم"
    assert (shown(family), shown(persian)) == (family, persian.replace("\u200c", ""))
    assert visible(family + persian, joiners=True) == family + persian
    assert visible("\u200b\x1b" + persian, joiners=True) == "\\u200b\\u001b" + persian
    assert visible(persian) == persian.replace("\u200c", "\\u200c")


@pytest.mark.parametrize(
    "text", ["\xad", "\u180e", "\x9b31m", "\udcff", "\U000e0001\U000e0041", "\U0001d173"], ids=ascii
)
def test_json_with_escapes_is_the_same_value(text):
    written = visible(json.dumps(text, ensure_ascii=False))
    assert (json.loads(written), written.isascii()) == (text, True)
    written.encode()


def test_codes_of_colours_are_taken_out_also_as_json_writes_them() -> None:
    assert without_colours("\x1b[2m12:00:01Z\x1b[0m \x1b[31;1mERROR\x1b[0m") == "12:00:01Z ERROR"
    assert without_colours('{"out":"\\u001b[32mok\\u001b[0m"}') == '{"out":"ok"}'
    for text in ("a[31m", "[0;1m \\u0010[3m", "\x1b]0;title\x07"):
        assert without_colours(text) == text
