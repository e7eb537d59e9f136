"""The text of a summary is a format: every part of it is read back as it was written, whatever stands beside it."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from compactor_cli.summary_text.excerpts import Excerpt, bare, heading, legend, quote, speaker_of
from compactor_cli.summary_text.headers import (
    Base,
    base_of,
    body_start,
    covered,
    header,
    is_summary,
    lines_header,
    lines_mark,
    quotes_lines,
    round_of,
    writer_of,
    written_by,
)
from compactor_cli.summary_text.state_block import state_lines, state_text
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.summary_text.verbatim import QUOTED, block, carried, label_of, quoted_span, turns
from tests.properties.profile import examples

COVERS = st.sets(st.integers(0, 500), min_size=1, max_size=16)
BASES = st.none() | st.builds(Base, st.integers(1, 10**9), st.integers(1, 10**9))
WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=60).filter(str.strip)
STATES = st.lists(
    st.builds(StateLine, st.sampled_from(("task", "error", "check", "file")), WORDS, st.just(3)), max_size=4
)
SPEAKERS = st.sampled_from(("", "user", "→", "Bash", "mcp__files__read", "Bash failed"))
EXCERPTS = st.lists(
    st.builds(lambda n, speaker, text: Excerpt(heading(n, speaker), text, "heading"), COVERS.map(max), SPEAKERS, WORDS),
    min_size=1,
    max_size=60,
)
TURNS = st.lists(st.tuples(st.builds(label_of, st.integers(0, 99), st.sampled_from(("", "user"))), WORDS), max_size=3)


def spans(covers):
    """What a heading may say of messages: they themselves, or of many stretches the first and the last."""
    return {tuple(sorted(covers)), tuple(range(min(covers), max(covers) + 1))}


@examples(200)
@given(EXCERPTS, STATES, COVERS, BASES, st.integers(1, 99), st.booleans())
def test_a_summary_of_quoted_lines_is_taken_apart_again(excerpts, state, covers, base, number, named):
    reference = "ctx_00ff00ff" if named else ""
    head = lines_header(covers, round=number, reference=reference, base=base)
    quotes = legend(excerpts) + quote(excerpts)
    text = "\n".join(filter(None, (head, quotes, state_text(state))))
    assert is_summary(text)
    assert quotes_lines(text)
    assert round_of(text) == number
    assert base_of(text) == (base if named else None)
    assert covered(text) in spans(covers)
    assert text[body_start(text) :].removesuffix(state_text(state)).rstrip("\n") == quotes.rstrip("\n")
    assert state_lines(text) == state_lines(state_text(state))
    assert len(state_lines(text)) == len(state)
    lines = quotes.removeprefix(legend(excerpts)).split("\n")
    assert [bare(line) for line in lines] == [bare(quote([excerpt])) for excerpt in excerpts]
    assert [speaker_of(line) for line in lines] == [speaker_of(excerpt.heading) for excerpt in excerpts]
    assert None not in map(speaker_of, lines)


@given(COVERS, EXCERPTS, BASES, st.integers(1, 99))
def test_the_mark_of_a_few_lines_says_what_they_stand_for(covers, excerpts, base, number):
    text = f"{lines_mark(covers, round=number, base=base)}\n{quote(excerpts)}"
    assert is_summary(text)
    assert covered(text) in spans(covers)
    assert (round_of(text), base_of(text)) == (number if base else 1, base)
    assert text[body_start(text) :] == quote(excerpts)


@examples(200)
@given(WORDS, TURNS, EXCERPTS, COVERS, BASES, st.sampled_from(("", "openai/gpt-4o-mini", "a b")))
def test_a_summary_with_sections_is_taken_apart_again(first, said, excerpts, covers, base, model):
    head = header(3, covers, tokens=900, reference="ctx_00ff00ff", base=base)
    head += f"\n{written_by(model)}" if model else ""
    sections = ["### Goal\n- To mend it.", block("Original Task", "first", 1, first)]
    sections += [turns(said)] if said else []
    text = f"{head}\n" + "\n\n".join(sections) + QUOTED + quote(excerpts)
    assume("### " not in first)
    assert is_summary(text)
    assert not quotes_lines(text)
    assert (round_of(text), base_of(text), writer_of(text)) == (3, base, model)
    assert covered(text) in spans(covers)
    assert text[body_start(text) :].startswith("### Goal")
    assert (carried(text).first, carried(text).turns) == (first, tuple(said))
    start, end = quoted_span(text)
    assert text[start:end] == quote(excerpts)


def test_a_summary_of_an_older_version_is_read_too():
    head = "## Session Summary (Round 2)\nStands for messages 3-9 (ctx_00ff00ff; from 900 to 300 tokens).\n"
    text = f"{head}\n#3 user: Mend the rounding."
    assert (round_of(text), base_of(text), covered(text)) == (2, Base(900, 300), tuple(range(3, 10)))
    assert text[body_start(text) :] == "#3 user: Mend the rounding."


@pytest.mark.parametrize(
    ("head", "round"),
    [
        ("## Session Summary of #3-9 (round 2, ctx_00ff00ff, 900 to 300 tokens)\n", 2),
        ("## Session Summary of #3-9 (round 2, ctx_00ff00ff, whole transcript 900 to 300 tokens)\n", 2),
        (
            "## Session Summary (Compaction Round 3)\nStands for messages 3-9 (40 tokens; ctx_00ff00ff).\n"
            "Compacted from 900 tokens to at most 300.\n",
            3,
        ),
    ],
)
def test_what_a_transcript_was_compacted_from_is_read_as_it_is_written_and_as_it_was(head: str, round: int) -> None:
    text = f"{head}#3 user: Mend the rounding."
    assert (round_of(text), base_of(text), covered(text)) == (round, Base(900, 300), tuple(range(3, 10)))
