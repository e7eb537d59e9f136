"""The page's contract, without a browser: one file, safe, the same every time, and equal to the JSON report."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from compactor_cli.render.html import page as module
from tests.builders import call, calling_message, jsonl, plain_exchanges, result, user
from tests.render.html.builders import NASTY, RULE, Page, hash_of, session

pytestmark = pytest.mark.one_test_in(3)

CHARS = ("--tokenizer", "chars")
TARGET = ("--target-ratio", "0.3", *CHARS)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "session.jsonl").write_bytes(session())
    return tmp_path


def page_of(folder, name="page.html"):
    return Page((folder / name).read_text(encoding="utf-8"))


@pytest.fixture
def pages(run, folder):
    """The three pages with the JSON that their commands print."""
    reports = {}
    for name, args in (
        ("inspect", ("inspect", "session.jsonl", *CHARS)),
        ("compact", ("compact", "session.jsonl", *TARGET, "-o", "small.jsonl")),
        ("diff", ("diff", "session.jsonl", "small.jsonl", *CHARS)),
    ):
        done = run(*args, "--html", f"{name}.html", "--json")
        assert done.code == 0, done.stderr
        assert f"page written to {name}.html" in done.stderr
        reports[name] = json.loads(done.stdout)
    return {name: (page_of(folder, f"{name}.html"), report) for name, report in reports.items()}


def test_a_page_has_the_report_that_the_command_prints(pages):
    for page, report in pages.values():
        report.pop("stages", None)  # seconds differ from run to run
        assert page.data["report"] == report


def test_fates_and_tokens_of_the_messages_add_up_to_the_report(pages):
    for name, tokens in (("compact", ("input", "output")), ("diff", ("before", "after"))):
        page, report = pages[name]
        counts = report["dispositions"] if name == "compact" else report["messages"]
        messages = page.data["messages"]
        for fate in ("kept", "shortened", "summarized", "dropped"):
            assert sum(m["fate"] == fate for m in messages) == counts[fate]
        assert sum(m["before"] for m in messages) == report[tokens[0]]["tokens"]
        assert sum(m["after"] for m in messages) == report[tokens[1]]["tokens"]
        assert all(m["reason"] for m in messages)


def test_both_ways_to_the_same_output_tell_the_same_of_each_message(pages):
    told = [
        [(m["index"], m["fate"], m["after"]) for m in pages[name][0].data["messages"]] for name in ("compact", "diff")
    ]
    assert told[0] == told[1]


def test_shares_by_role_and_tool_are_those_of_inspect(pages):
    page, report = pages["inspect"]
    shares = page.data["shares"]
    assert {s["name"]: s["before"] for s in shares["role"]} == {n: s["tokens"] for n, s in report["roles"].items()}
    assert {s["name"]: s["before"] for s in shares["tool"]} == {n: s["tokens"] for n, s in report["tools"].items()}
    assert {s["name"]: s["count"] for s in shares["file"]} == {f"src/part{at}.py": 4 for at in range(3)}
    assert sum(s["before"] for s in shares["file"]) == report["tools"]["read_file"]["tokens"]


def test_residuals_tiers_and_scores_are_those_of_score(run, pages):
    scored = json.loads(run("score", "session.jsonl", *CHARS, "--top", "0", "--json").stdout)["messages"]
    messages = pages["inspect"][0].data["messages"]
    by_index = {m["index"]: (m["residual"], m["tier"], m["score"]) for m in messages}
    assert by_index == {m["index"]: (m["residual"], m["tier"], m["score"]) for m in scored}


def test_what_survived_and_what_was_lost(pages):
    page, report = pages["diff"]
    assert page.data["lost"] == report["lost"]
    assert {s["category"]: s["kept"] for s in page.data["survival"]} == {
        name: line["kept"] for name, line in report["survival"].items()
    }
    assert pages["compact"][0].data["lost"] == report["lost"]


def test_both_sides_of_a_shortened_message_are_there(pages):
    for name in ("compact", "diff"):
        shortened = [m for m in pages[name][0].data["messages"] if m["fate"] == "shortened"]
        assert shortened
        for message in shortened:
            texts = ["".join(part["text"] for part in message[side]) for side in ("parts", "output")]
            assert 0 < len(texts[1]) < len(texts[0])


def test_texts_that_try_to_be_markup_stay_data(pages):
    for page, _ in pages.values():
        assert any(NASTY in part["text"] for m in page.data["messages"] for part in m["parts"])
        assert len(page.scripts) == 2
        assert not page.all("img")
        assert "<img" not in page.text
        assert page.text.count("</script>") == 2
        assert "<!--" not in page.text


def test_a_file_name_that_tries_to_be_markup_stays_text(run, tmp_path):
    name = "<img src=x onerror=alert(1)>&amp;{{script}}.jsonl"
    (tmp_path / name).write_bytes(jsonl(user("Hello.")))
    assert run("inspect", name, *CHARS, "--html", "page.html").code == 0
    page = page_of(tmp_path)
    assert page.data["title"] == name
    assert not page.all("img")
    assert len(page.scripts) == 2


def test_the_policy_allows_the_pages_own_style_and_script_and_nothing_else(pages):
    for page, _ in pages.values():
        policy = page.policy
        ((_, style),) = page.styles
        script = next(text for attributes, text in page.scripts if "type" not in attributes)
        assert policy == {
            "default-src": "'none'",
            "style-src": hash_of(style),
            "script-src": hash_of(script),
            "base-uri": "'none'",
            "form-action": "'none'",
        }


def test_nothing_is_loaded_and_nothing_is_run_from_attributes(pages):
    for page, _ in pages.values():
        for tag, attributes in page.elements:
            assert tag not in ("link", "iframe", "object", "embed", "base")
            assert not attributes.keys() & {"src", "srcset", "style", "action"}
            assert not [name for name in attributes if name.startswith("on")]
            assert attributes.get("href", "#").startswith("#")
        shell = "".join(text for _, text in page.styles) + "".join(t for a, t in page.scripts if "id" not in a)
        assert not re.search(
            r"https?:|url\(|@import|innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(", shell
        )
        assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|\bimport\(", shell)


def test_every_control_has_a_label_and_headings_go_down_one_by_one(pages):
    page = pages["compact"][0]
    labels = {one.get("for") for one in page.all("label")}
    assert {one["id"] for tag in ("input", "select") for one in page.all(tag)} <= labels
    assert len(page.all("h1")) == 1
    assert all(one.get("aria-labelledby") for one in page.all("section"))
    assert page.all("html") == [{"lang": "en"}]


def contrast(one, other):
    def light(colour):
        digits = colour.lstrip("#")
        digits = "".join(2 * digit for digit in digits) if len(digits) == 3 else digits
        parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_text_stands_out_from_what_is_behind_it_in_light_and_dark():
    style = Path(module.__file__).with_name("page.css").read_text(encoding="utf-8")
    themes = re.findall(r":root[^{]*\{([^}]*)\}", style)
    assert len(themes) == 3
    for theme in themes:
        colours = dict(re.findall(r"--([\w-]+): (#\w+)", theme))
        behind = [colours.pop(name) for name in ("page", "card", "pre")]
        assert contrast(colours.pop("mark"), colours.pop("mark-text")) >= 4.5
        colours.pop("line")  # only between things
        for name, colour in colours.items():
            assert all(contrast(colour, one) >= 4.5 for one in behind), name
    assert themes[1] == themes[2].replace("\n  ", "\n")  # both ways to dark


def test_the_same_input_makes_the_same_bytes(run, folder):
    for name in ("one.html", "two.html"):
        assert run("compact", "session.jsonl", *TARGET, "-o", "small.jsonl", "--html", name).code == 0
    assert (folder / "one.html").read_bytes() == (folder / "two.html").read_bytes()


def test_a_dry_run_writes_the_page_and_nothing_else(run, folder):
    assert run("compact", "session.jsonl", *TARGET, "--dry-run", "--html", "page.html").code == 0
    assert sorted(one.name for one in folder.iterdir()) == ["page.html", "session.jsonl"]
    assert {m["fate"] for m in page_of(folder).data["messages"]} > {"kept"}


def test_an_input_within_its_target_is_all_kept(run, folder):
    assert (
        run("compact", "session.jsonl", "--target-tokens", "1M", *CHARS, "-o", "o.jsonl", "--html", "page.html").code
        == 0
    )
    messages = page_of(folder).data["messages"]
    assert {(m["fate"], m["reason"]) for m in messages} == {("kept", "nothing had to be compacted")}


def test_several_conversations_and_broken_text(run, tmp_path):
    lone = json.dumps({"messages": [{"role": "user", "content": "lone \ud800 and \u202e turned \x1b[31m"}]}) + "\n"
    (tmp_path / "two.jsonl").write_text(lone * 2, encoding="utf-8")
    done = run("inspect", "two.jsonl", *CHARS, "--html", "page.html")
    assert done.code == 0, done.stderr
    page = page_of(tmp_path)
    assert [m["conversation"] for m in page.data["messages"]] == [0, 1]
    assert "\u202e" not in page.text
    assert "\x1b" not in page.text


def test_messages_that_a_repair_takes_out_or_adds_are_told_apart(run, folder):
    """A result without its call goes; a call without its result is answered."""
    broken = [
        user("Go."),
        result("nobody", "an orphan"),
        *plain_exchanges(6),
        calling_message(call("c1")),
        user("And now?"),
    ]
    (folder / "broken.jsonl").write_bytes(jsonl(*broken))
    args = ("broken.jsonl", "--target-ratio", "0.6", *CHARS, "-o", "out.jsonl", "--html", "compact.html", "--json")
    counts = json.loads(run("compact", *args).stdout)["dispositions"]
    assert run("diff", "broken.jsonl", "out.jsonl", *CHARS, "--html", "diff.html").code == 0
    for name in ("compact.html", "diff.html"):
        messages = page_of(folder, name).data["messages"]
        assert {fate: sum(m["fate"] == fate for m in messages) for fate in counts} == counts
        assert [m["index"] for m in messages if m["reason"] == "removed by a repair of the input"] == [1]
        assert {m["role"] for m in messages if m["fate"] == "added"} >= {"tool"}


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (("inspect", "session.jsonl", "--html", "session.jsonl"), "--html session.jsonl: is the input session.jsonl"),
        (("inspect", "session.jsonl", "--html", "-"), "--html -: standard output is used"),
        (("inspect", "session.jsonl", "--message", "1", "--html", "p.html"), "without --message"),
        (("compact", "session.jsonl", *TARGET, "-o", "o", "--html", "./o"), "is also named by -o"),
        (("compact", "session.jsonl", *TARGET, "--check", "--html", "link"), "--html link: is the input"),
        (("diff", "session.jsonl", "other.jsonl", "--html", "other.jsonl"), "is the input other.jsonl"),
        (("inspect", ".", "--html", "p.html"), "a page shows one file, but there are"),
        (("inspect", "session.jsonl", "--html", "no/where.html"), "--html no/where.html: the folder"),
    ],
)
def test_a_page_that_cannot_be_written_is_refused_and_nothing_is_lost(run, folder, args, says):
    (folder / "link").symlink_to("session.jsonl")
    (folder / "other.jsonl").write_bytes(session(1))
    done = run(*args)
    assert done.code == 2
    assert says in " ".join(done.stderr.split())
    assert (folder / "session.jsonl").read_bytes() == session()
    assert (folder / "other.jsonl").read_bytes() == session(1)


def test_the_page_is_no_more_readable_than_its_input(run, folder):
    (folder / "session.jsonl").chmod(0o600)
    assert run("inspect", "session.jsonl", *CHARS, "--html", "page.html").code == 0
    assert (folder / "page.html").stat().st_mode & 0o777 == 0o600


def test_words_of_the_user_are_on_the_page_whole(pages):
    for page, _ in pages.values():
        assert any(RULE in part["text"] for m in page.data["messages"] for part in m["parts"] if m["role"] == "user")
