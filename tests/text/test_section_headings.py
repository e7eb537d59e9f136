"""The lines over the files of an output that shows several."""

from __future__ import annotations

import pytest

from compactor_cli.text.section_headings import FilesShown, headings_between
from tests.cost import count_calls

READ = """\
# src/fact/mod.rs (14 lines) [full]

pub mod raw;
# a comment of the code
# src/service.rs (664 lines) [full]

pub struct Service;
"""
DIFF = """\
diff --git a/src/one.py b/src/one.py
@@ -1 +1 @@
-a = 1
+a = 2
diff --git a/docs/two.md b/docs/two.md
@@ -1 +1 @@
-Two.
+Two!
"""


def over(text: str, shown: str, after: str = "") -> str:
    start = text.index(after) + len(after) if after else 0
    spans = FilesShown().file_line_before(0, text, start, text.index(shown))
    return "".join(text[first:last] for first, last in spans)


@pytest.mark.parametrize(
    ("text", "shown", "heading"),
    [
        (READ, "pub mod raw", "# src/fact/mod.rs (14 lines) [full]"),
        (READ, "pub struct", "# src/service.rs (664 lines) [full]"),
        (DIFF, "+a = 2", "diff --git a/src/one.py b/src/one.py"),
        (DIFF, "+Two!", "diff --git a/docs/two.md b/docs/two.md"),
        ("==> a.log <==\none\n\n==> b.log <==\ntwo\n", "two", "==> b.log <=="),
        ("--- a.log ---\none\n--- logs/b ---\ntwo\n", "two", "--- logs/b ---"),
        ("==> src\\a.py <==\none\n==> src\\b.py <==\ntwo\n", "two", "==> src\\b.py <=="),
        ("File: a.log\none\nFile: b.log\ntwo\n", "two", "File: b.log"),
    ],
)
def test_a_line_of_an_output_of_several_files_is_of_the_one_above_it(text: str, shown: str, heading: str) -> None:
    assert over(text, shown) == heading


def test_what_was_shown_since_needs_no_other_heading() -> None:
    assert over(DIFF, "+a = 2", after="@@ -1 +1 @@") == ""
    assert over(DIFF, "+Two!", after="+a = 2") == "diff --git a/docs/two.md b/docs/two.md"


@pytest.mark.parametrize(
    "text",
    [
        "# src/one.py\nx = 1\ny = 2\n",
        "# The first thing\nx = 1\n# The second thing\ny = 2\n",
        "-- nothing here\nx = 1\n-- and nothing there\ny = 2\n",
        "x = 1\ny = 2\n",
        "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n-x = 1\n+y = 2\n",
        "# and/or this\nx = 1\n# 3.5 seconds left\ny = 2\n",
        ">>> np.array([1])\nx = 1\n>>> np.zeros(2)\ny = 2\n",
        "> app@1.0.0 test\nx = 1\n> lib@1.0.0 test\ny = 2\n",
    ],
)
def test_one_file_and_other_lines_have_none(text: str) -> None:
    assert over(text, text.splitlines()[-1]) == ""


def test_a_long_rule_of_dashes_is_read_as_quickly_as_any_line() -> None:
    """The pattern would take hours where it tried each dash as the beginning of a path."""
    rule = "-" * 200_000 + "+"
    assert over(f"# a.py\none\n{rule}\n# b.py\ntwo\n", "two") == "# b.py"


def test_behind_a_line_in_bold_the_section_that_it_stands_in_is_told_too() -> None:
    text = "## One\n\n**When:** always\n\n**Where:**\n\nhere\n\n## Other\n\n**Where:**\n\nthere\n"

    def told(start: int, words: str) -> list[str]:
        return [text[a:b].strip() for a, b in headings_between(text, start, text.index(words))]

    assert told(0, "here\n") == ["## One", "**Where:**"]
    assert told(text.index("here"), "there") == ["## Other", "**Where:**"]
    assert told(text.index("## Other") + 3, "there") == ["**Where:**"], "the section stands before it"
    assert told(0, "**Where") == []


@pytest.mark.parametrize(
    "between",
    ["<details>\nmore\n</details>\n", "```html\n<div>\n</div>\n```\n", "</other>\n", "text </b> and <b> text\n"],
)
def test_tags_within_a_section_do_not_end_it(between: str) -> None:
    text = f"## Rules\n\n{between}here\n"
    assert [text[a:b] for a, b in headings_between(text, 0, text.index("here"))] == ["## Rules"]


def test_sections_that_end_with_tags_are_looked_up_at_a_cost_that_grows_with_the_text() -> None:
    def calls(count: int) -> int:
        text = "".join(f"<part>\n## Part {n}\nline {n} of it\n</part>\nline {n} behind it\n" for n in range(count))
        places = [place for n in range(count) if (place := text.index(f"line {n} of it"))]
        return count_calls(lambda: [headings_between(text, 0, place) for place in places])

    assert calls(400) < 2.3 * calls(200)
