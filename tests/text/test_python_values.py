"""Python values that are printed into results are read like JSON."""

from __future__ import annotations

import json

import pytest

from compactor_cli.text.json_values import python_as_json
from compactor_cli.text.units import json_members

SHOW = (
    "{'result': [{'type': 'series', 'title': 'Tern Summer', 'overview': \"It's about terns that nest on the roofs of a "
    "harbour town.\", 'audios': None, 'seen': True, 'ids': ('tt8923854', 66), 'said': 'a \"b\" c', "
    "'cast': ['Ada Reed', 'Bo Lind']}]}"
)


def parts(text: str) -> list[str]:
    return [text[member.start : member.end] for member in json_members(python_as_json(text))]


def test_members_of_a_python_value_are_whole() -> None:
    assert len(python_as_json(SHOW)) == len(SHOW)
    assert {"'type': 'series', 'title': 'Tern Summer'", "'cast': ['Ada Reed', 'Bo Lind']"} <= set(parts(SHOW))


def test_a_member_says_by_name_and_not_by_kind_what_it_is_of() -> None:
    text = json.dumps([{"type": "series", "title": "Tern Summer", "overview": "o" * 90, "links": ["l" * 90]}])
    *_, last = json_members(text)
    assert [text[start:end] for start, end in last.leads][:1] == ['"title": "Tern Summer"']


@pytest.mark.parametrize(
    "text",
    [
        "d = {'a': 1}\n" * 20,
        "['it', 'was']) " * 20,
        '{"a": "see {\'x\': 1} in the text", "b": "' + "c" * 99 + '"}',
        '{"script": "x = {\'a\': 1}", "n": "' + "c" * 99 + '"}',
    ],
)
def test_code_and_texts_that_only_hold_such_values_are_left_as_they_are(text: str) -> None:
    assert python_as_json(text) == text


CUT = "{'a': '" + "x\\'" * 100_000, '{"a": "' + 'x\\"' * 100_000 + '" "{\'a', "{'a':" * 60_000


@pytest.mark.parametrize("cut", CUT, ids=["string", "JSON", "braces"])
def test_values_that_are_cut_off_or_broken_are_read_in_one_pass(cut: str) -> None:
    assert len(python_as_json(cut)) >= len(cut)
