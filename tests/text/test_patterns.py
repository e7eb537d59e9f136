"""Patterns that are compiled when they are used first."""

from __future__ import annotations

import importlib
import pkgutil
import re

import pytest

import compactor_cli
from compactor_cli.text.patterns import any_of, compiled_later, lower_for_search


def test_it_works_as_a_compiled_pattern_does():
    later, now = compiled_later(r"(\w)b", re.IGNORECASE), re.compile(r"(\w)b", re.IGNORECASE)
    assert later.findall("aB cb") == now.findall("aB cb") == ["a", "c"]
    assert later.sub("x", "ab") == "x"
    assert (later.pattern, later.flags) == (now.pattern, now.flags)


def test_nothing_is_compiled_before(monkeypatch):
    compiled = []
    real = re.compile

    def seen(*given):
        compiled.append(given)
        return real(*given)

    monkeypatch.setattr(re, "compile", seen)
    later = compiled_later("a+")
    assert compiled == []
    found = [later.search("caa"), later.search("a")]
    assert [match and match.start() for match in found] == [1, 0]
    assert compiled == [("a+", 0)]


@pytest.mark.parametrize("text", ["It was WRONG", "wrong", "was wrong, and I was wrong", "no", "", "wron g"])
def test_what_has_words_of_its_own_finds_the_same(text):
    now = re.compile(r"\bwas (wrong)", re.IGNORECASE)
    later = compiled_later(now.pattern, re.IGNORECASE, ("wrong",))
    for name in ("search", "match", "fullmatch"):
        expected, found = getattr(now, name)(text), getattr(later, name)(text)
        assert (found and found.span(1)) == (expected and expected.span(1))
    assert [match.span() for match in later.finditer(text)] == [match.span() for match in now.finditer(text)]
    assert later.findall(text) == now.findall(text)
    behind = later.search(text, 8)
    assert (behind and behind.start()) == (17 if "and I" in text else None)


def test_what_has_words_of_its_own_is_not_compiled_for_a_text_without_one(monkeypatch):
    compiled = []
    monkeypatch.setattr(re, "compile", lambda *given: compiled.append(given))
    later = compiled_later("a+b", re.IGNORECASE, ("ab",))
    assert [later.search("aa b"), later.match(""), later.fullmatch("b"), [*later.finditer("a b")]] == [None] * 3 + [[]]
    assert compiled == []


@pytest.mark.parametrize("letters", ["ſ", "ı", "İ", "K", "S", "I", "k"])
def test_letters_that_a_pattern_takes_for_one_of_ascii_are_found_in_small_letters(letters):
    for small in "ski":
        if re.search(small, letters, re.IGNORECASE):
            assert small in lower_for_search(letters)


def test_a_pattern_of_many_words_finds_each_of_them_and_nothing_else():
    words = ("key", "ke=", "k", "://", "sk-", "a.b", "ein wort")
    pattern = re.compile(any_of(words))
    assert [pattern.fullmatch(word) is not None for word in words] == [True] * len(words)
    for text in ("", "aXb", "s", ":/", "e in", "a-b"):
        assert pattern.search(text) is None
    assert pattern.search("it is a skill") is not None


BLANKS = r"(?:\\s|\[ \\t(?:\\r)?(?:\\n)?(?:\\r)?\]|\[\^\\S\\n\]|(?<!\[) )"
BETWEEN = r"(?:\[[^\]]{1,12}\]|\\?[^\s()\[\]]|\(\?:[^()]{1,40}\))[?*]"
TWICE = re.compile(f"{BLANKS}[*+]{BETWEEN}{BLANKS}[*+]|{BLANKS}[*+]{BLANKS}[*+]")
"""Blanks, what may be missing, and blanks again: a run of blanks is taken apart at each of its places."""


def sources():
    """The patterns that modules of the package hold, with the module."""
    for found in pkgutil.walk_packages(compactor_cli.__path__, "compactor_cli."):
        if ".migrations" in found.name:
            continue
        for value in vars(importlib.import_module(found.name)).values():
            if hasattr(value, "pattern") and isinstance(value.pattern, str):
                yield found.name, value.pattern


def test_no_pattern_takes_a_run_of_blanks_apart_at_each_of_its_places():
    assert TWICE.search(r"a\s*:?\s*b") and TWICE.search(r"[ \t]*(?:-> )?[ \t]*") and TWICE.search(r"a[ \t]*\s+")
    found = list(sources())
    assert len(found) > 800
    assert {(module, match[0]) for module, pattern in found for match in TWICE.finditer(pattern)} == set()
