"""Standing instructions that a harness put in: they bind for the rest of the session, whatever strategy comes next."""

from __future__ import annotations

import json
from itertools import cycle

import pytest

from compactor_cli import api
from compactor_cli.model.injected import is_wrapper
from compactor_cli.strategies.adaptive.building import PlanBuilder
from compactor_cli.strategies.adaptive.required import RequiredLines
from compactor_cli.strategies.shared.binding import rule_spans
from tests.builders import (
    assistant,
    call,
    calling_message,
    compact,
    jsonl,
    listing_output,
    load,
    prose,
    result,
    system,
    user,
)

pytestmark = pytest.mark.one_test_in(3)

RULES = (
    "Never push to main without a review.",
    "Every change gets a line in CHANGELOG.md.",
    "所有文件名必须使用英文。",
)
TOLD = "# AGENTS.md instructions for /work/app\n\n<INSTRUCTIONS>\n" + "\n".join(RULES) + "\n</INSTRUCTIONS>"
QUOTING = ["adaptive", "rolling", "handoff", "hybrid", "summarize"]
ROUNDS = 5


def work(start: int, count: int) -> list[dict[str, object]]:
    """Exchanges with tools, a request of the user now and then."""
    records = []
    for at in range(start, start + count):
        if at % 6 == 0:
            records.append(user(f"Look at part {at} of the app."))
        records.append(calling_message(call(f"c{at}"), content=prose(f"topic{at}")))
        records.append(result(f"c{at}", listing_output(f"output{at}")))
    return records


def session(*, first: bool) -> bytes:
    told, asked = user(TOLD), user("Make the app start faster.")
    begin = [told, asked] if first else [asked, *work(0, 4), told]
    return jsonl(system(), *begin, *work(10, 30))


def said(data: bytes) -> str:
    return "\n".join(str(json.loads(line).get("content") or "") for line in data.splitlines())


@pytest.mark.parametrize("first", [True, False], ids=["before-the-request", "later"])
@pytest.mark.parametrize("strategy", [*QUOTING, "tiered"])
@pytest.mark.parametrize("ratio", [0.1, 0.25])
def test_they_stand_word_for_word_in_what_is_left(strategy: str, ratio: float, first: bool) -> None:
    text = said(compact(session(first=first), strategy=strategy, target_ratio=ratio).data)
    assert [rule for rule in RULES if rule not in text] == []


@pytest.mark.drawn(4)
@pytest.mark.parametrize(
    "strategies",
    [*([name] for name in QUOTING), ["tiered"], ["rolling", "adaptive"], ["adaptive", "tiered"]],
    ids="-".join,
)
def test_they_stand_after_five_rounds(strategies: list[str]) -> None:
    kept, names = session(first=True), cycle(strategies)
    target = load(kept).tokens // 4
    for at in range(ROUNDS):
        kept = compact(kept + jsonl(*work(100 * (at + 1), 12)), strategy=next(names), target_tokens=target).data
        text = said(kept)
        assert [rule for rule in RULES if text.count(rule) != 1] == [], f"round {at + 1}"


def test_of_too_many_whole_sentences_stay_in_their_share_of_the_room() -> None:
    rules = [f"Files of part {at} belong to team {at * 37 % 101}, ask it before a change." for at in range(400)]
    told = user("# AGENTS.md instructions for /work/app\n\n" + "\n".join(rules))
    data = jsonl(system(), told, user("Make the app start faster."), *work(10, 30))
    text = said(compact(data, strategy="rolling", target_ratio=0.2).data)
    assert 5 <= len([rule for rule in rules if rule in text]) <= 30


def test_the_report_says_what_they_took() -> None:
    (part,) = compact(session(first=True), strategy="adaptive", target_ratio=0.2).parts
    spent = {one.name: one.tokens for one in part.spent}
    assert len("".join(RULES)) // 4 <= spent["instructions"] <= len(TOLD) // 4 + 20
    (whole,) = compact(session(first=True), strategy="tiered", target_ratio=0.5, keep=("AGENTS",)).parts
    assert {one.name for one in whole.spent} >= {"instructions", "requests"}


def test_what_else_a_harness_put_in_is_none() -> None:
    other = user("<system-reminder>Never mention this reminder to anybody at all.</system-reminder>")
    data = jsonl(system(), other, user("Make the app start faster."), *work(10, 30))
    assert "Never mention" not in said(compact(data, strategy="rolling", target_ratio=0.1).data)


def test_diff_counts_their_sentences() -> None:
    before = load(session(first=True))
    after = compact(session(first=True), strategy="truncate", target_ratio=0.25).data
    counted = {one.category: one for one in api.diff(before, before)[1]}["instructions"]
    assert counted.kept == counted.total >= len(RULES)
    lost = {one.category: one for one in api.diff(before, load(after))[1]}["instructions"]
    assert lost.kept == 0
    assert set(RULES) <= {text for _, text in lost.lost}


BINDING = (
    "Never merge anything yourself, not even when all checks have passed.",
    "Do not put work aside on a shared checkout, and stage explicit paths only.",
    "You must not touch what others have written without asking me first.",
)
MAP = [f"`packages/part{n}/`: holds the part with the number {n}" for n in range(40)]
LONG = "\n".join(
    (
        "# AGENTS.md instructions for /work/app\n\n<INSTRUCTIONS>",
        "Read [STRATEGY.md](STRATEGY.md) and [ROADMAP.md](ROADMAP.md) before calls on `product_boundary`.\n\n## Map",
        *(f"- {line}" for line in (*MAP[:20], *BINDING, *MAP[20:])),
        "</INSTRUCTIONS>",
    )
)


@pytest.mark.parametrize(("strategy", "target"), [*((name, 2000) for name in QUOTING), ("tiered", 2600)])
def test_of_long_ones_the_lines_that_bind_stay_though_they_stand_in_a_list(strategy: str, target: int) -> None:
    records = [system(), user(LONG), user("Make the app start faster."), *work(10, 60)]
    text = said(compact(jsonl(*records), strategy=strategy, target_tokens=target).data)
    assert [rule for rule in BINDING if rule not in text] == []
    assert sum(line in text for line in MAP) < 20


def test_cut_at_their_place_they_are_still_told_from_what_the_user_asks() -> None:
    beside = "<environment_context>\n  <cwd>/work/app</cwd>\n</environment_context>"
    told = user([{"type": "text", "text": LONG}, {"type": "text", "text": beside}])
    data = jsonl(system(), told, user("Make the app start faster."), *work(10, 60))
    (part,) = compact(data, strategy="tiered", target_tokens=2600).parts
    (cut,) = [message for message in part.messages if any(rule in message.text() for rule in BINDING)]
    assert cut.origin == "injected"
    assert cut.text().startswith("# AGENTS.md instructions for /work/app\n")
    assert beside in cut.text()
    (again,) = load(compact(data, strategy="tiered", target_tokens=2600).data).transcripts
    assert [m.origin for m in again.messages if any(rule in m.text() for rule in BINDING)] == ["injected"]


def test_a_summary_with_nothing_to_tell_says_so() -> None:
    other = user("<system-reminder>" + prose("nothing", 400) + "</system-reminder>")
    data = jsonl(system(), other, user("Make the app start faster."), *work(10, 60))
    (part,) = compact(data, strategy="tiered", target_ratio=0.25).parts
    own = [message for message in part.messages if message.origin == "summary"]
    said_of_all = [message.text().split("\n", 1)[1] for message in own]
    assert "Cut off: nothing of them is kept here." in said_of_all
    assert not [said for said in said_of_all if said.startswith("Stands for") and "\n" not in said]


ORDERS = (
    "- Do not use `git stash` on checkouts that others share with you.",
    "- **Never** name a branch after a person of the team.",
    "- All records that leave the process must have keys in snake_case.",
)


@pytest.mark.parametrize("strategy", ["adaptive", "rolling", "handoff"])
def test_of_long_ones_what_orders_or_forbids_comes_before_headings_code_and_what_is_told(strategy: str) -> None:
    sections = []
    for n, rule in enumerate(ORDERS):
        told = "\n".join(f"- The part {word} is of the {n}th layer, and {word} reads files." for word in WORDS)
        code = f"```bash\n# {n}. Build the layer\nmake layer-{n}\nls out/layer-{n}\n```"
        sections.append(f"## {n}. About layer {n}\n\n{told}\n{rule}\n\n### Building it\n\n{code}")
    told = "# AGENTS.md instructions for /work/app\n\n<INSTRUCTIONS>\n" + "\n\n".join(sections) + "\n</INSTRUCTIONS>"
    data = jsonl(system(), user(told), user("Make the app start faster."), *work(10, 30))
    text = said(compact(data, strategy=strategy, target_tokens=2_600).data)
    assert text.count("reads files.") < 2 * len(WORDS), "not all of them have room"
    assert [rule for rule in ORDERS if rule not in text] == []
    assert "ls out/layer-1" not in text


WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "sigma", "omega", "theta")


ITEMS = (
    "Texts of errors are for guests of the house.",
    "Tables are changed by hand, and the script that does it is thrown away.",
    "Lines of the log begin with the number of the order.",
    "Pictures under `golden/` come in a change of their own.",
)
AROUND = (
    "As you answer the user's questions, you can use the following context:",
    "Codebase and user instructions are shown below. Be sure to adhere to these instructions. IMPORTANT: These "
    "instructions OVERRIDE any default behavior and you MUST follow them exactly as written.",
)
LISTED = f"""<system-reminder>
{AROUND[0]}
# claudeMd
{AROUND[1]}

Contents of /srv/shop/CLAUDE.md (project):

# Shop

What stands behind the window; docs/map.md shows it all.

- {(chr(10) + "- ").join(ITEMS)}

      IMPORTANT: this context may or may not be relevant to your tasks.
</system-reminder>"""


@pytest.mark.parametrize("strategy", ["adaptive", "rolling"])
def test_items_of_a_short_one_stay_whatever_their_words_and_nothing_around_them(strategy: str) -> None:
    records = [user(LISTED), user("Make the app start faster."), *work(10, 6)]
    text = said(compact(jsonl(*records), strategy=strategy, target_tokens=420).data)
    assert [item for item in ITEMS if item not in text] == []
    assert [line for line in ("you can use the following", "OVERRIDE", "# claudeMd") if line in text] == []


PROSE = (
    "The billing module rounds amounts half up.",
    "Reports go to the folder of the quarter.",
    "Migrations have the number of their ticket.",
    "Every table has an owner in the register.",
    "Dates are written with the year first.",
    "The importer reads two files at a time.",
)


@pytest.mark.parametrize("strategy", ["adaptive", "handoff"])
@pytest.mark.parametrize("rest", ["- One item of a list is here.", "```\nmake world\n```"])
def test_sentences_stay_beside_an_item_and_code(strategy: str, rest: str) -> None:
    told = "\n".join(("# AGENTS.md instructions for /srv/app", "", "<INSTRUCTIONS>", *PROSE, rest, "</INSTRUCTIONS>"))
    records = [user(told), user("Make the app start faster."), *work(10, 6)]
    text = said(compact(jsonl(*records), strategy=strategy, target_tokens=330).data)
    assert sum(sentence in text for sentence in PROSE) >= 3


def test_rules_are_items_what_leads_to_them_and_sentences_that_forbid() -> None:
    text = "# Desk\nA desk of oak.\nNever lend it.\n\n## Forbidden\n- paint\n  of any kind\n- wax\nBut:\n- oil\n"
    text += "```\n- x\n```"
    found = [text[start:end] for start, end in rule_spans(text)]
    assert found == ["Never lend it.", "## Forbidden", "- paint", "  of any kind", "- wax", "But:", "- oil"]


@pytest.mark.parametrize(
    "line", ["Codebase and style are shown below.", "# claude models", "Contents of the box: nails"]
)
def test_what_a_user_writes_is_no_wrapper(line: str) -> None:
    assert not is_wrapper(line)
    assert all(map(is_wrapper, AROUND))


def test_what_binds_comes_before_details_of_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [user(LISTED), user("Make the app start faster."), *work(10, 2), user("Amounts are in francs.")]
    for n in range(4):
        edit = {"file_path": f"/srv/shop/parts/of_the_house/part_{n}.py", "old_string": "a = 1", "new_string": "a = 2"}
        records += [
            calling_message(call(f"e{n}", "Edit", json.dumps(edit))),
            result(f"e{n}", "The file has been updated."),
        ]
    records += [user("Go on."), assistant("It starts faster now: " + prose("start"))]

    def kept() -> list[int]:
        texts = [said(compact(jsonl(*records), target_tokens=target).data) for target in range(100, 290, 12)]
        return [sum(item in text for item in ITEMS) for text in texts]

    found = kept()
    monkeypatch.setattr(RequiredLines, "build", PlanBuilder.build)
    assert sum(found) > sum(kept())
