"""Lists of children follow what parents say."""

from __future__ import annotations

import json

from compactor_cli.pipeline.rewritten_records import update_children


def node(name: str, parent: str | None, *children: str) -> bytes:
    return json.dumps({"id": name, "parent": parent, "children": list(children)}).encode()


def test_children_that_are_gone_are_left_out_and_new_ones_come_last() -> None:
    records = [node("a", None, "gone", "c"), node("c", "a"), node("new", "a")]
    written, changed = update_children(records, ("parent",), ("children",))
    assert json.loads(written[0])["children"] == ["c", "new"]
    assert (written[1:], changed) == (records[1:], {0})


def test_lists_that_are_right_keep_their_bytes() -> None:
    records = [node("a", None, "c", "b"), node("b", "a"), node("c", "a")]
    assert update_children(records, ("parent",), ("children",)) == (records, set())
