"""The page in a real browser: what it shows, what answers to keys and clicks, and that nothing is said or loaded."""

from __future__ import annotations

import json

import pytest

from tests.builders import assistant, jsonl, run_process, user
from tests.render.html.builders import NASTY, session

CHARS = ("--tokenizer", "chars")
LISTED = "return document.querySelectorAll('#list > li').length"
FOCUS = "document.activeElement"


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """A folder with the three pages of a session, and the report of its diff."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "session.jsonl").write_bytes(session())
    target = ("--target-ratio", "0.3", *CHARS, "--strategy", "tiered")
    for args in (
        ("compact", "session.jsonl", *target, "-o", "small.jsonl", "--html", "compact.html"),
        ("diff", "session.jsonl", "small.jsonl", *CHARS, "--html", "diff.html"),
        ("inspect", "session.jsonl", *CHARS, "--html", "inspect.html"),
    ):
        done = run_process(*args, "--json", cwd=folder)
        assert done.code == 0, done.stderr
        (folder / f"{args[0]}.json").write_bytes(done.stdout)
    return folder


@pytest.fixture
def report(pages):
    return json.loads((pages / "diff.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["inspect", "compact", "diff"])
def test_every_page_works_in_silence_and_loads_nothing(tab, pages, name):
    tab.open(pages / f"{name}.html")
    tab.find("#open-all").click()
    tab.find("#theme").click()
    assert tab.console() == []
    assert [url for url in tab.requests() if url != (pages / f"{name}.html").as_uri()] == []


@pytest.mark.parametrize("name", ["inspect", "compact", "diff"])
def test_markup_in_texts_is_shown_and_never_run(tab, pages, name):
    tab.open(pages / f"{name}.html")
    tab.find("#open-all").click()
    assert any(NASTY in text for text in tab.texts("pre"))
    assert tab.js("return document.images.length") == 0
    assert tab.chromium.title.startswith("compactor: ")
    assert tab.js("return document.scripts.length") == 2


def test_figures_survival_and_losses_are_those_of_the_report(tab, pages, report):
    tab.open(pages / "diff.html")
    figures = dict(zip(tab.texts("#figures dt"), tab.texts("#figures dd"), strict=True))
    assert figures["Tokens before"].startswith(f"{report['tokens']['before']:,}")
    assert figures["Saved"].startswith(f"{report['tokens']['saved_percent']}%")
    for fate, count in report["messages"].items():
        assert figures[fate] == f"{count}messages"
    rows = tab.js(
        "return [...document.querySelectorAll('#survival tbody tr')].map(r => [...r.cells].map(c => c.textContent))"
    )
    assert [row[:3] for row in rows] == [
        [name.replace("_", " "), str(line["kept"]), str(line["total"])] for name, line in report["survival"].items()
    ]
    assert {line["category"] for line in report["lost"]} == {"identifiers"}
    assert tab.texts("#lost li") == ["Nothing."]
    tab.choose("#lost-category", "identifiers")
    assert tab.texts("#lost li") == ["identifiers" + line["text"] for line in report["lost"][:20]]


def test_before_and_after_stand_side_by_side_with_the_reason(tab, pages):
    tab.open(pages / "compact.html")
    data = tab.js("return JSON.parse(document.getElementById('data').textContent).messages")
    for fate in ("kept", "summarized", "added"):
        place = next(at for at, message in enumerate(data) if message["fate"] == fate)
        tab.js("document.querySelectorAll('#list .row')[arguments[0]].click()", place)
        item = f'#list > li[data-place="{place}"]'
        assert tab.texts(f"{item} .reason") == [f"Why: {data[place]['reason']}"]
        sides = {
            "kept": ["Before and after, word for word"],
            "summarized": ["Before", "After"],
            "added": ["Before", "After"],
        }
        assert tab.texts(f"{item} h3") == sides[fate]
        gone = {"kept": [], "summarized": ["Replaced by a summary."], "added": ["Not in the input."]}
        assert tab.texts(f"{item} .gone") == gone[fate]


def test_wide_pages_have_both_sides_beside_each_other_and_narrow_ones_below(tab, pages):
    beside = []
    for width in (1280, 360):
        tab.open(pages / "compact.html", width=width)
        tab.find("#open-all").click()
        tops = "[...document.querySelector('.sides:not(.single)').children].map(s => s.getBoundingClientRect().top)"
        first, second = tab.js(f"return {tops}")
        beside.append(first == second)
    assert beside == [True, False]


def test_search_finds_texts_marks_them_and_counts(tab, pages):
    tab.open(pages / "inspect.html")
    tab.find("#search").send_keys("NEEDLE7")
    tab.wait("document.querySelectorAll('#list > li').length === 1")
    tab.find("#open-all").click()
    assert tab.texts("#list pre mark") == ["needle7"]
    assert tab.find("#found").text.startswith("1 of 39 messages")
    tab.find("#clear").click()
    assert tab.js(LISTED) == 39


def test_a_hit_far_down_in_a_long_text_is_in_view(tab, run, tmp_path):
    (tmp_path / "s.jsonl").write_bytes(jsonl(user("line of words\n" * 3000 + "thimble\n" + "more words\n" * 3000)))
    assert run("inspect", "s.jsonl", *CHARS, "--html", "page.html").code == 0
    tab.open(tmp_path / "page.html")
    tab.find("#list .row").click()
    assert [one.text for one in tab.all("#list .detail button")] == ["Show all 75,008 characters"]
    tab.find("#search").send_keys("thimble")
    tab.wait("document.querySelector('#list pre mark') !== null")
    box, hit = (
        tab.js("return document.querySelector(arguments[0]).getBoundingClientRect()", s) for s in ("pre", "pre mark")
    )
    assert box["top"] <= hit["top"] < hit["bottom"] <= box["bottom"]


def test_filters_and_shares_choose_messages(tab, pages):
    tab.open(pages / "diff.html")
    tab.choose("#fate", "summarized")
    assert set(tab.texts("#list .badge")) == {"≡ summarized"}
    tab.js("[...document.querySelectorAll('#shares .link')].find(b => b.textContent === 'src/part1.py').click()")
    assert tab.find("#file").get_attribute("value") == "src/part1.py"
    assert tab.js(LISTED) == 8  # four calls and their results
    assert tab.js(f"return {FOCUS}.id") == "messages"


def test_messages_fold_and_unfold_and_say_so(tab, pages):
    tab.open(pages / "inspect.html")
    row = tab.find("#list .row")
    assert row.get_attribute("aria-expanded") == "false"
    row.click()
    assert row.get_attribute("aria-expanded") == "true"
    assert len(tab.all("#list .detail")) == 1
    row.click()
    assert (row.get_attribute("aria-expanded"), tab.all("#list .detail")) == ("false", [])
    tab.find("#open-all").click()
    assert len(tab.all("#list .detail")) == 39
    tab.find("#fold-all").click()
    assert tab.all("#list .detail") == []


def test_a_lost_item_leads_to_its_message(tab, run, tmp_path):
    lost = user("Never use tabs in the tables of the manual.")
    messages = [user("Write the manual."), assistant("I begin."), lost, assistant("So be it.")]
    (tmp_path / "before.jsonl").write_bytes(jsonl(*messages))
    (tmp_path / "after.jsonl").write_bytes(jsonl(*messages[:2]))
    assert run("diff", "before.jsonl", "after.jsonl", *CHARS, "--html", "page.html").code == 0
    tab.open(tmp_path / "page.html")
    assert any(lost["content"] in text for text in tab.texts("#lost li"))
    tab.find("#lost .link").click()
    assert tab.js(f"return {FOCUS}.querySelector('.number').textContent") == "#2"
    assert tab.js(f"return {FOCUS}.getAttribute('aria-expanded')") == "true"


def test_everything_is_reached_by_keys_with_a_visible_focus(tab, pages):
    from selenium.webdriver.common.keys import Keys

    tab.open(pages / "compact.html")
    reached = []
    for _ in range(60):
        tab.press(Keys.TAB)
        name = tab.js(f"return {FOCUS}.id || {FOCUS}.className")
        reached.append(name)
        assert tab.js(f"return getComputedStyle({FOCUS}).outlineStyle") != "none", name
        if name == "row":
            break
    assert {"skip", "theme", "colour", "slider", "link", "search", "fate", "role", "tool", "file", "clear"} <= {
        *reached
    }
    tab.press(Keys.ENTER)
    assert len(tab.all("#list .detail")) == 1
    tab.press(Keys.ARROW_DOWN, Keys.ARROW_DOWN)
    assert tab.js(f"return {FOCUS}.parentElement.dataset.place") == "2"
    tab.press(Keys.ARROW_UP, Keys.SPACE)
    assert tab.texts("#list [aria-expanded=true] .number") == tab.texts("#list .number")[:2]


def test_the_timeline_answers_to_keys_and_says_what_it_shows(tab, pages):
    from selenium.webdriver.common.keys import Keys

    tab.open(pages / "compact.html")
    data = tab.js("return JSON.parse(document.getElementById('data').textContent).messages")
    slider = tab.find("#slider")
    tab.js("arguments[0].focus()", slider)
    tab.press(Keys.END)
    assert slider.get_attribute("aria-valuenow") == str(len(data) - 1)
    tab.press(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert slider.get_attribute("aria-valuenow") == "2"
    said = slider.get_attribute("aria-valuetext")
    assert data[2]["fate"] in said
    assert data[2]["reason"] in said
    assert tab.find("#readout").text == said
    tab.press(Keys.ENTER)
    assert tab.js(f"return {FOCUS}.parentElement.dataset.place") == "2"


def test_fates_differ_by_more_than_colour(tab, pages):
    tab.open(pages / "compact.html")
    badges = {text.split()[0] for text in tab.texts("#list .badge")}
    assert len(badges) == len({*tab.texts("#list .badge")}) > 2
    patterns = tab.js(
        "return [...document.querySelectorAll('#legend canvas')].map(c => {"
        "const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;"
        "let s = ''; for (let i = 0; i < d.length; i += 4) s += Math.round(d[i + 3] / 64); return s; })"
    )
    assert len(patterns) == len(set(patterns)) > 2


def test_the_chart_shows_fates_or_tiers(tab, pages):
    tab.open(pages / "compact.html")
    image = "return document.getElementById('chart').toDataURL()"
    before, legend = tab.js(image), tab.texts("#legend li")
    tab.choose("#colour", "place")
    assert tab.js(image) != before
    assert tab.texts("#legend li") != legend
    assert any("tier 2" in line for line in tab.texts("#legend li"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_dark_mode_follows_the_system_and_the_switch(tab, pages, scheme):
    tab.open(pages / "compact.html", scheme=scheme)
    colour = "return getComputedStyle(document.body).backgroundColor"
    colours = {"light": "rgb(246, 247, 249)", "dark": "rgb(18, 22, 27)"}
    other = "dark" if scheme == "light" else "light"
    pressed = tab.find("#theme").get_attribute("aria-pressed")
    assert (tab.js(colour), pressed) == (colours[scheme], str(scheme == "dark").lower())
    tab.find("#theme").click()
    assert tab.js(colour) == colours[other]
    tab.find("#theme").click()
    assert tab.js(colour) == colours[scheme]


def test_who_wants_less_motion_gets_none(tab, pages):
    duration = "return getComputedStyle(document.querySelector('.row')).transitionDuration"
    assert tab.open(pages / "inspect.html").js(duration) != "0s"
    assert tab.open(pages / "inspect.html", motion="reduce").js(duration) == "0s"


@pytest.mark.parametrize("name", ["inspect", "compact", "diff"])
@pytest.mark.parametrize("width", [360, 768, 1280])
def test_no_width_scrolls_sideways(tab, pages, name, width):
    tab.open(pages / f"{name}.html", width=width)
    tab.find("#open-all").click()
    assert tab.js("return document.documentElement.scrollWidth") <= width


def test_what_cannot_be_seen_is_shown_as_escapes(tab, run, tmp_path):
    (tmp_path / "s.jsonl").write_bytes(jsonl(user("before \u202e turned \u200b\u00ad\u180e\U000e0041 hidden \x1b[31m")))
    assert run("inspect", "s.jsonl", *CHARS, "--html", "page.html").code == 0
    tab.open(tmp_path / "page.html")
    tab.find("#open-all").click()
    assert tab.texts("pre") == ["before \\u202e turned \\u200b\\u00ad\\u180e\\udb40\\udc41 hidden \\u001b[31m"]


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many")
    turns = [(user(f"question {at}"), assistant(f"answer {at}. " + "word " * (at % 90))) for at in range(5000)]
    (folder / "many.jsonl").write_bytes(jsonl(*[message for turn in turns for message in turn]))
    assert run_process("inspect", "many.jsonl", *CHARS, "--html", "many.html", cwd=folder).code == 0
    return folder / "many.html"


def test_of_ten_thousand_messages_only_a_stretch_is_in_the_page(tab, many):
    from selenium.webdriver.common.keys import Keys

    tab.open(many)
    assert tab.js(LISTED) <= 120
    assert tab.find("#found").text.startswith("10,000 of 10,000 messages")
    tab.js("document.getElementById('slider').focus()")
    tab.press(Keys.END, Keys.ENTER)
    assert tab.texts("#list .number")[-1] == "#9999"
    assert tab.js(LISTED) <= 120
    tab.js("document.getElementById('earlier').click()")
    assert tab.texts("#list .number")[0] == f"#{9996 - 60}"
    assert tab.console() == []


def test_more_messages_come_at_the_end_of_the_list(tab, many):
    tab.open(many)
    listed = tab.js(LISTED)
    tab.js("document.getElementById('later').scrollIntoView()")
    tab.wait(f"document.querySelectorAll('#list > li').length > {listed}")


def test_a_search_goes_through_all_ten_thousand(tab, many):
    tab.open(many)
    tab.find("#search").send_keys("question 4987")
    tab.wait("document.querySelectorAll('#list > li').length === 1")
    assert tab.texts("#list .number") == ["#9974"]
