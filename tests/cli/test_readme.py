"""The README: a page in plain words, whose commands do what it says beside them."""

from __future__ import annotations

import re
import shlex
import shutil

import pytest

from tests.builders import ROOT

TEXT = (ROOT / "README.md").read_text(encoding="utf-8")
PROSE = re.sub(r"<!--.*?-->", "", TEXT, flags=re.DOTALL)
OWN_WORDS = ("residual", "seed", "linked", "tier", "rendition", "adaptive", "profile", "round", "signal")


def test_it_is_a_page():
    assert len(PROSE.splitlines()) < 130
    assert len(PROSE.split()) < 1_000


@pytest.mark.parametrize("word", OWN_WORDS)
def test_it_has_no_word_that_only_this_project_uses(word):
    # names of files and of commands are no prose
    said = re.sub(r"\]\([^)]*\)|`[^`]*`|^ {4}.*$", "", PROSE, flags=re.MULTILINE)
    assert not re.search(rf"\b{word}s?\b", said, re.IGNORECASE)


@pytest.mark.parametrize("heading", ["Install", "Three commands", "How it decides", "What survives", "Formats"])
def test_it_has_a_section_for_each_question_of_a_new_user(heading):
    assert f"\n## {heading}\n" in TEXT


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name)
def test_figures_beside_a_picture_are_in_it(page):
    for said, picture in re.findall(r"!\[([^]]*)\]\(([^)]+\.svg)\)", page.read_text(encoding="utf-8")):
        shown = (page.parent / picture).read_text(encoding="utf-8")
        assert [figure for figure in re.findall(r"\d[\d,.%]*\d", said) if figure not in shown] == []


def test_the_commands_do_what_stands_above_them(run, tmp_path):
    shutil.copytree(ROOT / "sample_transcripts", tmp_path / "sample_transcripts")
    copy, compact, diff, pipe = re.findall(r"^ {4}((?:cp|compactor|cat) .*)$", TEXT, re.MULTILINE)
    _, source, session = shlex.split(copy)
    shutil.copy(tmp_path / source, tmp_path / session)
    before = (tmp_path / session).read_bytes()

    assert run(*shlex.split(compact)[1:]).code == 0
    sizes = run(*shlex.split(diff)[1:], "--json").json["tokens"]
    assert 0 < sizes["after"] <= sizes["before"] / 4
    assert (tmp_path / session).read_bytes() == before

    # cat FILE | compactor ... > OUT
    words = shlex.split(pipe.partition("|")[2].partition(">")[0])[1:]
    done = run(*words, input=before)
    assert done.code == 0
    (tmp_path / "piped.jsonl").write_bytes(done.stdout)
    assert run("inspect", "piped.jsonl", "--json").json["transcript"]["tokens"] <= 3_000
