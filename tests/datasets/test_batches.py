"""Batches of rows: one row in, one row out, as the same row is compacted as a line of JSON."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compactor_cli import api
from compactor_cli.errors import InputError, UsageError
from compactor_cli.model.content import read_all
from compactor_cli.model.outcome import Sizes
from compactor_cli.settings import Settings
from tests.builders import plain_exchanges

pa = pytest.importorskip("pyarrow")

from compactor_cli.datasets.batches import RowResult, compact_batch, compact_rows, row_of  # noqa: E402
from compactor_cli.datasets.columns import without_nulls  # noqa: E402
from tests.drawing import example_count  # noqa: E402

HALF = Settings(target_ratio=0.5)


def talk(turns=6, start=0):
    return list(plain_exchanges(turns, start=start))


def with_calls(turns=4):
    found: list[dict[str, Any]] = [{"role": "system", "content": "Mend it."}]
    for at in range(turns):
        call = {"id": f"c{at}", "type": "function", "function": {"name": "run", "arguments": '{"in": "src"}'}}
        found += [
            {"role": "user", "content": f"Look at case {at}, which fails since the reader was changed"},
            {"role": "assistant", "content": "I look.", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{at}", "content": f"src/case{at}.py: the header has no colon\n" * 6},
            {"role": "assistant", "content": f"Case {at} is due to the header."},
        ]
    return found


def as_line(row, column, settings=HALF):
    """What the same row becomes as a line of JSON lines."""
    source = api.load(json.dumps({column: row}).encode(), tokenizer="chars")
    return json.loads(read_all(api.compact(source, settings, tokenizer="chars").data))[column]


def batch_of(rows, **types):
    table = pa.Table.from_pylist(rows)
    for name, kind in types.items():
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, table.column(name).cast(kind))
    return table.combine_chunks().to_batches()[0]


def compacted(batch, **options):
    return compact_batch(batch, HALF, tokenizer="chars", **options)


# the result is that of JSON lines


def test_a_list_of_messages_becomes_what_it_becomes_in_json_lines():
    rows = [{"id": 1, "messages": with_calls()}, {"id": 2, "messages": talk(8)}]
    batch = batch_of(rows)
    done = compacted(batch).to_pylist()
    for row, out in zip(batch.to_pylist(), done, strict=True):  # the keys in the order of the column
        assert without_nulls(out["messages"]) == as_line(without_nulls(row["messages"]), "messages")
        assert len(out["messages"]) < len(row["messages"])


def test_json_in_a_string_stays_json_in_a_string():
    row = {"messages": json.dumps(with_calls())}
    (out,) = compacted(batch_of([row])).to_pylist()
    assert out["messages"] == as_line(row["messages"], "messages")
    assert json.loads(out["messages"])


def test_a_column_that_no_format_names_is_found_by_what_it_holds():
    batch = batch_of([{"tools": '[{"name": "run"}]', "dialog": with_calls()}])
    (row,), (out,) = batch.to_pylist(), compacted(batch).to_pylist()
    assert without_nulls(out["dialog"]) == as_line(without_nulls(row["dialog"]), "messages")


TEXT = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=300)
MESSAGE = st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "content": TEXT})


@given(st.lists(st.lists(MESSAGE, min_size=1, max_size=8), min_size=1, max_size=3), st.booleans())
@settings(max_examples=example_count(25))
def test_any_rows_become_what_they_become_in_json_lines(conversations, quoted):
    values = [json.dumps(one) if quoted else one for one in conversations]
    rows = [{"n": at, "messages": value} for at, value in enumerate(values)]
    done = compacted(batch_of(rows), column="messages", errors="why").to_pylist()
    for value, out in zip(values, done, strict=True):
        assert out["n"] == values.index(value) or value in values[: out["n"]]
        if out["why"] is None:
            assert without_nulls(out["messages"]) == as_line(value, "messages")
        else:
            assert out["messages"] == value


# nothing else changes


def test_other_columns_and_the_schema_stay():
    rows = [
        {
            "messages": with_calls(),
            "at": datetime(2026, 1, 2, tzinfo=timezone.utc),
            "kind": "a",
            "raw": b"\xff\x00",
            "deep": {"list": [{"a": None, "b": [1.5]}], "none": None},
        },
        {"messages": None, "at": None, "kind": None, "raw": None, "deep": None},
    ]
    kinds = {"kind": pa.dictionary(pa.int8(), pa.string()), "at": pa.timestamp("ns", "UTC")}
    batch = batch_of(rows, **kinds).replace_schema_metadata({"huggingface": "{}"})
    done = compacted(batch)
    assert done.schema.equals(batch.schema, check_metadata=True)
    for name in ("at", "kind", "raw", "deep"):
        assert done.column(name).equals(batch.column(name))
    assert not done.column("messages").equals(batch.column("messages"))


def test_times_and_encoded_text_in_messages_stay_what_they_are():
    kind = pa.list_(
        pa.struct([("role", pa.string()), ("content", pa.large_string()), ("at", pa.timestamp("us", "UTC"))])
    )
    sent = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone.utc)
    array = pa.array([[{**one, "at": sent} for one in talk(8)]], kind)
    (batch,) = pa.table({"conversation": array}).to_batches()
    (out,) = compacted(batch).to_pylist()
    assert {one["at"] for one in out["conversation"]} <= {sent, None}
    assert len(out["conversation"]) < 16
    assert sent in {one["at"] for one in out["conversation"]}


def test_rows_without_a_conversation_stay():
    batch = batch_of([{"messages": talk()}, {"messages": None}, {"messages": []}])
    assert [row["messages"] for row in compacted(batch).to_pylist()[1:]] == [None, []]


# what cannot be done


def test_a_row_that_cannot_be_compacted_stays_and_says_why():
    rows = [{"messages": json.dumps(talk())}, {"messages": "[{damaged"}]
    batch = batch_of(rows)
    with pytest.raises(InputError, match="row 1 of the batch"):
        compacted(batch)
    good, bad = compacted(batch, errors="why").to_pylist()
    assert (good["why"], bad["messages"]) == (None, "[{damaged")
    assert good["messages"] != rows[0]["messages"]
    assert bad["why"]


def test_a_column_whose_type_does_not_hold_the_new_value_keeps_the_old_one():
    from compactor_cli.datasets.columns import replace_values

    array = pa.array([[{"role": "user"}]], pa.list_(pa.struct([("role", pa.string())])))
    new, refused = replace_values(array, {0: [{"role": "user", "content": "lost"}]})
    assert new.equals(array)
    assert refused == {0: "the new value does not fit the type of the column: it lacks content"}


def test_a_column_that_cannot_be_told_has_to_be_named():
    two = batch_of([{"chosen": talk(), "rejected": talk(8)}])
    with pytest.raises(UsageError, match="several columns hold conversations: chosen, rejected"):
        compacted(two)
    done = compacted(two, column="rejected")
    assert done.column("chosen").equals(two.column("chosen"))
    assert not done.column("rejected").equals(two.column("rejected"))
    with pytest.raises(UsageError, match="no column holds conversations"):
        compacted(batch_of([{"text": "a"}]))
    with pytest.raises(UsageError, match="no such column; the columns are chosen, rejected"):
        compacted(two, column="other")


def test_a_system_prompt_in_a_column_of_its_own_goes_with_its_conversation():
    seen = []

    def make(line):
        row = json.loads(line)
        seen.append(row)
        return RowResult(json.dumps({**row, "system": "short"}).encode(), Sizes(), Sizes())

    batch = batch_of([{"system": "a long one", "n": 1, "conversations": talk()}])
    (out,) = compact_rows(batch, "conversations", make).rows.to_pylist()
    assert seen == [{"conversations": talk(), "system": "a long one"}]
    assert (out["system"], out["n"], out["conversations"]) == ("short", 1, talk())


def test_a_row_whose_roles_were_read_as_others_says_so_in_words_that_rows_share():
    notes = []
    for name in ("human", "Human"):
        rows = [{"role": name, "content": "Mend it."}, {"role": "ai", "content": "It is mended."}]
        line = json.dumps({"messages": rows}).encode()
        source = api.load(line, tokenizer="chars")
        notes.append(row_of(source, line, api.compact(source, HALF, tokenizer="chars").parts).notes)
    assert notes[0] == ("messages with roles that the API does not have were mapped",)
    assert notes[1] == notes[0]
