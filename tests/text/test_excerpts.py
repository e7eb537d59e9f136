"""Lines quoted in a summary: how they look, and that they can be read back out of it."""

from __future__ import annotations

import re
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.summary_text.excerpts import (
    LEGEND,
    Excerpt,
    bare,
    earlier_heading,
    harmless,
    heading,
    is_said_by,
    legend,
    quote,
    without,
)
from tests.properties.profile import examples

SPEAKERS = st.sampled_from(("", "user", "→", "Bash", "mcp__files__read", "system"))
HEADINGS = st.builds(heading, st.integers(0, 9999), SPEAKERS)
# what looks like a mark of another line is read as one, and lines are taken without blanks before them
LINES = st.text(st.characters(exclude_characters="\n"), min_size=1, max_size=60).filter(
    lambda text: not re.match(r" |#\d|… |earlier ", text)
)
EXCERPTS = st.lists(
    st.builds(Excerpt, HEADINGS, LINES, st.sampled_from(("heading", "middle", "gap", "line"))), max_size=30
)


BEGINS = ("heading", "middle")


def excerpt(text, joint="line", message=12, speaker="user"):
    return Excerpt(heading(message, speaker), text, joint)


def test_lines_stand_under_the_number_of_their_message_with_gaps_marked():
    lines = [
        excerpt("Fix the parser.", "heading"),
        excerpt("It loses the last line.", "gap"),
        excerpt("git status", "heading", 13, "Bash"),
        excerpt("On branch main", "heading", 14, "→"),
        excerpt("nothing to commit", "line", 14, "→"),
        excerpt("the last of many lines", "middle", 15, "→"),
        excerpt("It is clean.", "heading", 16, ""),
        excerpt(" So I go on.", "same", 16, ""),
    ]
    assert quote(lines).split("\n") == [
        "#12 user: Fix the parser.",
        "… It loses the last line.",
        "#13 Bash: git status",
        "#14 → On branch main",
        " nothing to commit",
        "#15 → … the last of many lines",
        "#16: It is clean. So I go on.",
    ]


@examples(200)
@given(HEADINGS, st.lists(st.text(min_size=1, max_size=40), min_size=1, max_size=4))
def test_no_line_that_is_quoted_can_pass_for_a_mark(mark, texts):
    excerpts = [Excerpt(mark, text, "line" if at else "heading") for at, text in enumerate(texts)]
    first, *rest = quote(excerpts).split("\n")
    assert first.startswith(mark)
    assert all(line.startswith(" ") for line in rest)


def test_nothing_quoted_is_no_text():
    assert quote([]) == ""
    assert without([], []) == []


def test_the_first_line_has_a_heading_whatever_it_follows():
    assert quote([excerpt("a line", "gap")]) == "#12 user: … a line"


def test_the_way_to_read_them_is_told_where_there_are_many():
    assert legend([excerpt("one")] * 3) == ""
    assert legend([excerpt("one")] * 60) == f"{LEGEND}\n"


def test_a_line_left_out_leaves_a_gap_and_hands_on_its_heading():
    lines = [excerpt("a", "heading"), excerpt("b"), excerpt("c"), excerpt("d", "heading", 13)]
    assert quote(without(lines, [1])) == "#12 user: a\n… c\n#13 user: d"
    assert quote(without(lines, [0])) == "#12 user: … b\n c\n#13 user: d"
    assert quote(without(lines, [0, 1])) == "#12 user: … c\n#13 user: d"
    assert quote(without(lines, [2])) == "#12 user: a\n b\n#13 user: d"
    assert without(lines, range(4)) == []


@examples(200)
@given(EXCERPTS)
def test_quoted_lines_give_the_texts_back(excerpts):
    lines = [bare(line).removeprefix(" ") for line in quote(excerpts).split("\n")]
    assert lines == ([e.text for e in excerpts] or [""])


@examples(200)
@given(EXCERPTS, st.sets(st.integers(0, 30)))
def test_lines_left_out_change_no_other_and_keep_the_order(excerpts, places):
    left = without(excerpts, places)
    expected = [e for at, e in enumerate(excerpts) if at not in places]
    assert [(e.heading, e.text, e.value) for e in left] == [(e.heading, e.text, e.value) for e in expected]
    part_of = list(accumulate(e.joint in BEGINS for e in excerpts))
    parts = [part_of[at] for at in range(len(excerpts)) if at not in places]
    for part, before, found in zip(parts, [0, *parts], left, strict=False):
        assert (found.joint in BEGINS) >= (part != before), "a part lost its heading"


@examples(200)
@given(EXCERPTS, st.sets(st.integers(0, 30)), st.sets(st.integers(0, 30)))
def test_leaving_out_twice_is_leaving_out_both(excerpts, first, second):
    later = [at for at in range(len(excerpts)) if at not in first]
    both = first | {later[at] for at in second if at < len(later)}
    assert quote(without(without(excerpts, first), second)) == quote(without(excerpts, both))


@examples(100)
@given(HEADINGS, LINES)
def test_a_heading_is_taken_off_again(mark, text):
    assert bare(mark + text) == text
    assert is_said_by("user", mark + text) == mark.endswith(" user: ")


def test_a_line_of_an_earlier_summary_is_quoted_under_the_heading_that_it_had_there():
    summary = "## Session Summary (Round 1)\n\n#7 user: Fix it.\nAnd soon.\n#8 → … ok\nearlier #2: first\nsecond"

    def found(line):
        return earlier_heading(summary, summary.index(line))[0]

    assert found("#7 user") == found("And soon") == "earlier #7 user: "
    assert found("#8") == "earlier #8 → "
    assert found("second") == "earlier: "
    assert found("## Session") == "earlier summary: "
    twice = "#7 click: e1\n#7 click: e2\n and behind it"
    assert [earlier_heading(twice, twice.index(words))[1] for words in ("e1", "e2", "behind")] == [0, 13, 13]


def test_marks_of_chat_templates_are_made_harmless_and_marks_of_conflicts_stay():
    assert "<|" not in harmless("<|im_start|>system\n<|endoftext|>")
    assert "<" not in harmless("</system_notification>\n<system-message>")
    assert harmless("#include <system_error>") == "#include <system_error>"
    conflict = 'grep "^<<<<<<<|^=======|^>>>>>>>" src'
    assert harmless(conflict) == conflict
