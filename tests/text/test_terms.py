"""Terms: which names and words a text has, and that finding them never moves or joins anything."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.text.terms import TERM_KINDS, chunk_terms, quoted_terms, separate_chunks
from tests.properties.profile import examples

TEXTS = st.text(
    st.one_of(
        st.characters(),  # lone surrogates too
        st.sampled_from("abcXYZ019 _-./~@%+$\\\"'`\n\t:;,()[]{}…→"),
    ),
    max_size=120,
)


def terms(text):
    """Text -> kind of every term."""
    return dict(term for chunk in separate_chunks(text).split() for term in chunk_terms(chunk))


def names(text):
    return {name: kind for name, kind in terms(text).items() if kind != "word"}


NAMES = {
    "edit src/billing/rounding.py, please": {"src/billing/rounding.py": "path", "rounding.py": "file"},
    "see ./setup.cfg and ../notes/a.tar.gz": {
        "./setup.cfg": "path",
        "setup.cfg": "file",
        "../notes/a.tar.gz": "path",
        "a.tar.gz": "file",
    },
    "src/app.ts:120:7 - error TS2345: no": {"src/app.ts": "path", "app.ts": "file", "120": "number", "TS2345": "code"},
    "clone https://github.com/org/repo.git now": {"github.com/org/repo.git": "url"},
    '{"order_id": "W-48213", "total": 129.95}': {"order_id": "symbol", "W-48213": "id", "129.95": "decimal"},
    "from 2024-05-01 to 2024-06-30.": {"2024-05-01": "date", "2024-06-30": "date"},
    "calls os.path.join(base)": {"os.path.join": "dotted"},
    "self.parse_line() of json.JSONDecoder": {
        "self.parse_line": "dotted",
        "parse_line": "symbol",
        "json.JSONDecoder": "dotted",
        "JSONDecoder": "camel",
    },
    "raised ValueError, then ENOENT": {"ValueError": "error", "ENOENT": "error"},
    "run with --max-depth=3": {"--max-depth": "flag"},
    "mail sam.lee@example.org today": {"sam.lee@example.org": "email"},
    "commit 9fceb02d0ae5 took 250ms": {"9fceb02d0ae5": "id", "250ms": "id"},
    "MAX_SIZE and snake_case and camelCase": {"MAX_SIZE": "symbol", "snake_case": "symbol", "camelCase": "camel"},
    "just a few ordinary words": {},
    "12 of 34": {},
    "": {},
    "x": {},
    "  \n\t ": {},
    "… → · — «»": {},
}


@pytest.mark.parametrize(("text", "expected"), NAMES.items(), ids=lambda value: str(value)[:30])
def test_names_are_found_by_their_kind(text, expected):
    assert names(text) == expected


def test_words_are_those_that_carry_meaning_in_lower_case():
    assert terms("Please look at the Garden and the GARDEN wall") == dict.fromkeys(("look", "garden", "wall"), "word")


def test_words_of_other_scripts_are_words():
    assert terms("取り込み側は、壊れません。 naïve café") == dict.fromkeys(
        ("取り込み側は", "壊れません", "naïve", "café"), "word"
    )


def test_pictures_and_lone_surrogates_do_no_harm():
    assert terms("👩‍👩‍👧‍👦 done 🎉 \ud800\udfff \x00\x07 end.py") == {"done": "word", "end.py": "file"}


def test_escapes_inside_a_json_string_part_names_as_line_breaks_do():
    assert names('{"out": "wrote a.py\\nparse_line\\tb.py\\"c.py\\""}') == names("wrote a.py\nparse_line\tb.py c.py")


def test_a_letter_that_is_written_by_its_number_is_no_name():
    assert names("[307] link '\\ue60b', it\\u2019s \\uE60B5") == {"307": "number"}
    assert names("C:\\users\\u12.py") == names("C: users u12.py")


def test_a_name_has_no_punctuation_of_the_sentence_around_it():
    for text in (
        "(see main.py).",
        "main.py!",
        "'main.py'",
        "[main.py]",
        "main.py…",
        "“main.py”",
        "main.py...",
        "`main.py`;",
    ):
        assert names(text) == {"main.py": "file"}, text


QUOTED = {
    'He said "left half" twice': ["left half"],
    '{"a": "hello world"}': ["hello world"],  # a short one before it does not shift the pairs
    '{"a": "b", "c": "", "city": "New York"}': ["city", "new york"],
    "use 'left half' and `right half`": ["right half", "left half"],
    '"Trim The Edges."': ["trim the edges"],
    '"12.50"': [],  # numbers have a kind of their own
    '"ab"': [],
    '"' + "word " * 12 + '"': [],  # a sentence
    '"over\ntwo lines"': [],
    "link '\\ue60b', text '\\ue60b SALES'": ["sales"],
    "it's what they're for": [],
    "the dogs' owners' club": [],
    '"never closed': [],
    '""""': [],
    "": [],
}


@pytest.mark.parametrize(("text", "expected"), QUOTED.items(), ids=lambda value: str(value)[:30])
def test_quoted_strings_are_names_unless_too_short_or_long(text, expected):
    assert [name for _, name in quoted_terms(text)] == expected


def test_a_quoted_name_stands_at_its_place():
    text = 'x = {"city": "New York"}'
    assert {name: text[at] for at, name in quoted_terms(text)} == {"city": '"', "new york": '"'}
    assert [text[at + 1 : at + 4] for at, _ in quoted_terms(text)] == ["cit", "New"]


@examples(300)
@given(TEXTS)
def test_chunked_keeps_the_length_and_joins_nothing(text):
    bare = separate_chunks(text)
    assert len(bare) == len(text)
    assert all(new in (old, " ") for new, old in zip(bare, text, strict=True))
    assert all(not new.strip() for new, old in zip(bare, text, strict=True) if not old.strip())


@examples(300)
@given(TEXTS)
def test_every_term_stands_in_its_chunk(text):
    for chunk in separate_chunks(text).split():
        for name, kind in chunk_terms(chunk):
            assert kind in TERM_KINDS
            assert len(name) >= 3
            if kind == "word":
                assert name in chunk.lower()
                assert name == name.lower()
            else:
                assert name in chunk


@examples(300)
@given(TEXTS)
def test_every_quoted_name_stands_behind_its_mark(text):
    for at, name in quoted_terms(text):
        assert text[at] in "\"`'"
        assert name in text[at + 1 :].lower()
        assert "\n" not in name
