"""What a later round reads of a summary: the lines of the session, and the user's words whatever the form."""

from __future__ import annotations

from hypothesis import assume, example, given
from hypothesis import strategies as st

from compactor_cli.summary_text.excerpts import Excerpt, harmless, heading, quote
from compactor_cli.summary_text.headers import header, is_summary, lines_header, lines_mark, quotes_lines
from compactor_cli.summary_text.reading import earlier_words, heading_at, quoted_words, readable
from compactor_cli.summary_text.state_block import state_text
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.summary_text.verbatim import QUOTED, block, carried, carried_spans, last_request, turns
from tests.properties.profile import examples

WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=60).filter(str.strip)
LINES = st.lists(WORDS, min_size=1, max_size=3).map("\n".join)
LAST = st.one_of(st.just(""), LINES)
SAID = st.sampled_from(("", "user", "→", "Bash"))
EXCERPTS = st.lists(st.tuples(SAID, LINES), max_size=6).map(
    lambda told: [Excerpt(heading(at, who), text, "heading") for at, (who, text) in enumerate(told)]
)
STATES = st.lists(st.builds(StateLine, st.sampled_from(("check", "file")), WORDS, st.just(3)), max_size=3)


def quoted_by_user(excerpts):
    return [harmless(excerpt.text) for excerpt in excerpts if excerpt.heading.endswith(" user: ")]


@examples(200)
@given(EXCERPTS, STATES, LAST, st.booleans())
@example([], [], "Go on.", True)
def test_the_words_of_the_user_are_found_in_a_summary_of_lines(excerpts, state, last, marked):
    assume(excerpts or state or last)
    head = lines_mark([3]) if marked else lines_header([3], reference="ctx_00ff00ff")
    said = (head, quote(excerpts) if excerpts else "", state_text(state))
    text = "\n".join(filter(None, said)) + (last_request(last) if last else "")
    assert is_summary(text)
    assert quotes_lines(text)
    found = earlier_words(text, "user")
    assert [words.text for words in found] == quoted_by_user(excerpts) + [last] * bool(last)
    assert all(text[words.start : words.end].startswith(words.text.split("\n")[0]) for words in found)


@examples(200)
@given(WORDS, LAST, st.lists(LINES, max_size=3), EXCERPTS)
def test_the_words_of_the_user_are_found_in_a_summary_with_sections(first, last, repeated, excerpts):
    assume("### " not in first)
    head = header(3, [1, 2], tokens=900, reference="ctx_00ff00ff")
    sections = ["### Goal\n- To mend it.", block("Original Task", "first", 1, first)]
    sections += [turns((f"#{at} user", text) for at, text in enumerate(repeated))] if repeated else []
    text = f"{head}\n" + "\n".join(sections) + (f"{QUOTED}{quote(excerpts)}" if excerpts else "")
    text += last_request(last) if last else ""
    assert not quotes_lines(text)
    found = earlier_words(text, "user")
    assert [words.text.replace("\n  ", "\n").lstrip() for words in found] == [
        said.replace("\n  ", "\n").lstrip()
        for said in [first, *repeated, *quoted_by_user(excerpts), *[last] * bool(last)]
    ]
    assert len(carried_spans(text)) == 1 + len(carried(text).turns) + bool(last)


@examples(200)
@given(EXCERPTS, STATES)
def test_what_is_read_stands_where_it_stood_and_the_heading_and_the_state_are_blank(excerpts, state):
    assume(excerpts)
    head = lines_header([3], reference="ctx_00ff00ff")
    text = "\n".join(filter(None, (head, quote(excerpts), state_text(state))))
    seen = readable(text)
    assert len(seen) == len(text)
    assert seen.strip("\n ") == quote(excerpts).strip("\n ")
    assert text.startswith(seen.rstrip(" \n")[len(head) :], len(head))


def test_of_a_summary_with_sections_titles_marks_and_state_are_no_lines():
    told = turns([("#4 user", "Two things:\n# a heading of the page\nand colours"), ("#6 user", "Go on.")])
    head = header(1, [1, 9], tokens=900, reference="ctx_00ff00ff")
    first = "Mend it.\nState:\n- of the art"
    sections = [block("Original Task", "first", 1, first), told, "### Files", "State:\n- edited a.py, unchecked"]
    lines = quote([Excerpt("#8 Bash: ", "make", "heading")])
    text = "\n".join([head, *sections]) + QUOTED + lines + last_request("Write it down.")
    assert [line.strip() for line in readable(text).split("\n") if line.strip()] == [
        *first.split("\n"),
        "#4 user:",
        "Two things:",
        "# a heading of the page",
        "and colours",
        "#6 user: Go on.",
        "#8 Bash: make",
        "Write it down.",
    ]
    assert [line.strip() for line in readable(text, quoted_only=True).split("\n") if line.strip()] == ["#8 Bash: make"]
    places = {words: text.index(words) for words in ("of the art", "and colours", "make", "Write it")}
    assert [heading_at(text, place, carried_spans(text))[0] for place in places.values()] == [
        "earlier user: ",
        "earlier #4 user: ",
        "earlier #8 Bash: ",
        "earlier user: ",
    ]


def test_only_what_is_quoted_is_read_without_the_words_that_are_carried_on():
    excerpts = [Excerpt("#3 user: ", "Never push.", "heading"), Excerpt("#4 Bash: ", "git status", "heading")]
    text = f"{lines_mark([3, 4])}\n{quote(excerpts)}\n{state_text([StateLine('check', 'passed: make', 4)])}"
    assert readable(text, quoted_only=True).split() == ["#4", "Bash:", "git", "status"]
    assert [words.label for words in earlier_words(text, "user")] == ["#3 user"]


def test_words_that_are_repeated_are_not_taken_for_quoted_ones_too():
    words = "Two things:\n# a heading of the page"
    excerpts = [Excerpt("#5 → ", "ok", "heading"), Excerpt("#7 user: ", "Never push.", "heading")]
    text = f"{lines_mark([3, 4])}\n{turns([('#4 user', words)])}\n{quote(excerpts)}"
    assert [found.text for found in earlier_words(text, "user")] == [words, "Never push."]
    assert [found.text for found in quoted_words(text, "user")] == ["Never push."]
    assert carried(text).turns == (("#4 user", words),)
