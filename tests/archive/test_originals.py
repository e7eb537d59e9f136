"""References as people give them: what is refused, and in which words."""

from __future__ import annotations

import hashlib

import pytest
from msgspec.structs import replace

from compactor_cli.archive.manifest import find_entry, original_bytes
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.archived import Removed
from tests.builders import assistant, jsonl, load, user

SAME = "abcd1234"
"""What the digests of several originals begin with."""


def removed(digest: str, *, marked: bool = False, messages: tuple[int, ...] = ()) -> Removed:
    return Removed("", digest.ljust(64, "0"), "dropped", "text", 0, messages, (), "user", 9, "", marked)


def refusal(entries: list[Removed], reference: str) -> str:
    with pytest.raises(UsageError) as refused:
        find_entry(entries, reference)
    return str(refused.value)


@pytest.mark.parametrize("reference", ["abc", "ctx_abc", "0" * 65, "ctx_xyz12345"])
def test_what_cannot_be_a_reference_is_refused_with_what_one_is(reference: str) -> None:
    said = f"{reference!r} is not a reference (ctx_ and 4 to 64 hex digits); see restore --list"
    assert refusal([removed(SAME)], reference) == said


@pytest.mark.parametrize("reference", ["abcd", "ctx_ABCD", " ctx_abcd12 ", SAME.ljust(64, "0")])
def test_four_digits_are_enough_in_any_case_and_64_are_not_too_many(reference: str) -> None:
    entry = removed(SAME)
    assert find_entry([entry], reference) is entry


def test_an_unknown_reference_is_refused_with_where_to_look() -> None:
    assert refusal([removed(SAME)], "0000") == ("no removed content has the reference ctx_0000; see restore --list")


@pytest.mark.parametrize(("number", "more"), [(2, ""), (10, ""), (11, ", and 1 more"), (13, ", and 3 more")])
def test_an_ambiguous_reference_lists_ten_longer_ones_and_how_many_more_there_are(number: int, more: str) -> None:
    entries = [removed(SAME + "0123456789abc"[at]) for at in range(number)]
    longer = ", ".join(f"ctx_{SAME}{'0123456789abc'[at]}" for at in range(min(number, 10)))
    assert refusal(entries, "abcd") == f"ctx_abcd is ambiguous: it may be {longer}{more}; give more digits"


def test_of_entries_with_the_same_original_one_that_a_mark_leads_to_counts() -> None:
    first, marked = removed(SAME), removed(SAME, marked=True)
    assert find_entry([first, marked], SAME) is marked
    assert find_entry([first, first], SAME) is first


@pytest.mark.parametrize("change", [{"messages": (2,)}, {"conversation": 1}, {"kind": "records", "records": (2,)}])
def test_a_file_that_is_too_short_to_hold_an_original_is_said_not_to(change: dict[str, object]) -> None:
    source = load(jsonl(user("Hello."), assistant("Hello to you.")))
    with pytest.raises(InputError, match=r"does not hold the original of ctx_abcd; is this the file that was compac"):
        original_bytes(source, replace(removed(SAME), reference="ctx_abcd", **change))


def test_an_original_is_found_in_any_of_its_messages() -> None:
    source = load(jsonl(user("Hello."), assistant("Yes."), user("Go on.")))
    entry = replace(removed(SAME, messages=(0, 2)), digest=hashlib.sha256(b"Go on.").hexdigest())
    assert original_bytes(source, entry) == b"Go on."
