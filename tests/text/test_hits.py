"""What is quoted of one hit of a search stands behind its address, which its rank does not say."""

from __future__ import annotations

import json

from compactor_cli.text.units import json_members

HITS = [
    {
        "rank": n,
        "title": f"Report {n} of the harbor and of all that was measured at its quays",
        "url": f"https://harbor.example/reports/{n}",
        "text": f"The quay of pier {n} was {n * 7} m long when it was measured, and is to be built anew by spring.",
    }
    for n in range(1, 5)
]


def leads(text: str, word: str) -> list[str]:
    """What says which record the first member with a word is of."""
    member = next(m for m in json_members(text) if word in text[m.start : m.end])
    return [text[start:end] for start, end in member.leads]


def test_a_member_of_a_hit_stands_behind_its_address() -> None:
    for text in (json.dumps({"hits": HITS}), json.dumps({"hits": HITS}, indent=2)):
        assert leads(text, "pier 3 was") == ['"url": "https://harbor.example/reports/3"']


def test_a_record_that_says_what_it_is_keeps_its_name() -> None:
    named = [{"name": f"report-{hit['rank']}", **hit} for hit in HITS]
    assert leads(json.dumps(named), "pier 3 was") == ['"name": "report-3"']
    numbered = [{**hit, "rank": 40_000 + n} for n, hit in enumerate(HITS, 1)]
    assert leads(json.dumps(numbered), "pier 3 was") == ['"rank": 40003']


def test_the_address_of_something_else_in_a_record_is_not_its_own() -> None:
    written = [
        {"rank": n, "by": {"page": f"https://people.example/{n}"}, "text": f"{hit['text']} " * 2}
        for n, hit in enumerate(HITS, 1)
    ]
    assert leads(json.dumps(written), "pier 3 was") == ['"rank": 3']
    bare = [{"rank": hit["rank"], "title": hit["title"], "text": f"{hit['text']} " * 2} for hit in HITS]
    assert leads(json.dumps(bare), "pier 3 was") == ['"rank": 3']


def test_a_member_says_by_name_and_not_by_kind_what_it_is_of() -> None:
    text = json.dumps([{"type": "series", "title": "Tern Summer", "overview": "o" * 90, "links": ["l" * 90]}])
    *_, last = json_members(text)
    assert [text[start:end] for start, end in last.leads][:1] == ['"title": "Tern Summer"']
