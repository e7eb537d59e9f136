"""Patterns that are compiled when they are used first."""

from __future__ import annotations

import re

from compactor_cli.text.patterns import compiled_later


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
