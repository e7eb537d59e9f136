"""Arguments of calls that are nested deeper than a record may be: they are handed on as text."""

from __future__ import annotations

import pytest

from compactor_cli.converting import TARGETS
from tests.builders import call, calling, result, user
from tests.converting.builders import READABLE, converted, losses, source_of


def nested(depth, brackets):
    opening, closing = brackets
    return opening * depth + "1" + closing * depth


@pytest.mark.drawn(4)
@pytest.mark.parametrize("brackets", [('{"a":', "}"), ("[", "]")], ids=["objects", "lists"])
@pytest.mark.parametrize("depth", [270, 280, 290, 299, 300, 301, 500, 900, 1_500])
def test_arguments_of_any_depth_reach_every_target(depth, brackets):
    """`convert` reads again what it wrote, so it would raise for what cannot be read or reads differently."""
    text = nested(depth, brackets)
    source = source_of(user("go"), calling(call("c1", "f", text)), result("c1", text), user("and now?"))
    for name in TARGETS:
        made = converted(source, name, cwd="/p")
        assert made.read_back == (name in READABLE)
        assert depth > 280 or text.startswith("[") or ("arguments", "changed") not in losses(made)


def test_changed_arguments_are_told():
    source = source_of(user("go"), calling(call("c1", "f", nested(500, ('{"a":', "}")))), result("c1", "ok"))
    assert losses(converted(source, "anthropic"))["arguments", "changed"] == 1
    assert ("arguments", "changed") not in losses(converted(source, "openai-chat"))
