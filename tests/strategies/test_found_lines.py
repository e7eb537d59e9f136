"""Lines that a search found in files: which one they are in is said once, in every round."""

from __future__ import annotations

import re

import pytest

from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.excerpts import Excerpt, files_of_lines, quote
from tests.features.sessions import Told
from tests.pipeline.sessions import assistant, result, user

_FILES = [f"src/harbours/of_the_north/berth_{n}.py" for n in range(6)]


def found(sign: str = ":") -> str:
    return "\n".join(
        f"{path}{sign}{at}{sign}    alarm_{n}_{at} = raise_alarm('berth {n}', tide={at * 7})"
        for n, path in enumerate(_FILES)
        for at in range(3, 60, 4)
    )


def lines_of(text: str) -> Told:
    """A session in which a search found the lines, or an earlier summary quotes them."""
    if text.startswith("## "):
        return Told(user(text), user("Go on."))
    call = {"pattern": "raise_alarm", "path": "src"}
    return Told(user("Rename the alarms."), assistant(None, ("g", "Grep", call)), result("g", text), user("Go on."))


def files_as_read(text: str) -> list[tuple[str, str]]:
    """Of each alarm the file as a reader takes it, the last that was named above it, and the one it is in."""
    pairs, last = [], ""
    for line in text.split("\n"):
        last = next(iter(re.findall(r"(src/\S+?\.py)[:-]\d", line)), "" if " → " in line else last)
        pairs += [(last, _FILES[int(number)]) for number in re.findall(r"alarm_(\d)_\d+ = ", line)]
    return pairs


@pytest.mark.parametrize("sign", [":", "-"])
@pytest.mark.parametrize("step", [1, 3, 5])
def test_each_line_stands_below_its_file_in_three_rounds(sign: str, step: int) -> None:
    text = found(sign)
    for _ in range(3):
        told = lines_of(text)
        quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
        alarms = [line for line, text in enumerate(told.texts) if " = raise_alarm" in text]
        quoted = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in alarms[::step]]))
        pairs = files_as_read(quoted)
        assert len(pairs) == len(alarms[::step])
        assert all(as_read == really for as_read, really in pairs)
        files = {really for _, really in pairs}
        assert [quoted.count(file) for file in sorted(files)] == [1] * len(files), "each is named once"
        text = f"## Session Summary of #1-9 (round 2)\n{quoted}"


def as_quoted(*lines: str, heading: str = "#4 → ") -> str:
    return quote([Excerpt(heading, line, "gap" if n else "heading") for n, line in enumerate(lines)])


@pytest.mark.parametrize(
    "lines",
    [
        ("a.py:3: one", "b.py:4: two"),
        ("a.py:3: one", "nothing more", "a.py:9: two"),
        ("a.py:9: one", "a.py:3: two"),
        ("db.example:5432: refused", "db.example:5432: refused again"),
        ("10.0.0.7:80: up", "10.0.0.7:81: down"),
        ("12:30:45 a", "12:31:46 b"),
        ("level-1-a", "level-2-b"),
        ("2026-05-20 a", "2026-06-21 b"),
        ("https://a.example:80:x", "https://a.example:81:x"),
        ("reg.io/app.web:3-alpine", "reg.io/app.web:4-alpine"),
        ("a.py:3: one", "7: of something else"),
        ("db.internal:5432: up", "db.internal:6379: timeout"),
        ("origin/issue-204-mail", "origin/issue-205-billing"),
        ("./fixtures/case-1-full.json", "./fixtures/case-2-full.json"),
        ("pod/worker-35-7f9c 1/1 Running", "pod/worker-36-7f9c 1/1 Running"),
    ],
)
def test_what_only_looks_like_lines_of_a_file_is_whole(lines: tuple[str, ...]) -> None:
    assert as_quoted(*lines) == "#4 → " + "\n… ".join(lines)


def test_words_of_people_and_agents_are_whole() -> None:
    lines = ("src/a.py:3: this one", "src/a.py:9: and this one")
    for heading in ("#4 user: ", "#5: ", "#6 Bash: "):
        assert as_quoted(*lines, heading=heading) == heading + "\n… ".join(lines)


def test_files_are_read_back() -> None:
    text = as_quoted("src/a.py:3: one", "src/a.py:9: two", "src/a.py-12- three", "src/b.py:1: four")
    assert text == "#4 → src/a.py:3: one\n… :9: two\n… -12- three\n… src/b.py:1: four"
    starts = {text.index("… :9"): "src/a.py", text.index("… -12"): "src/a.py"}
    assert files_of_lines(text) == starts


@pytest.mark.parametrize("heading", ["#4 user: ", "#4: ", "#4 Bash: "])
def test_a_number_in_what_somebody_says_is_none_of_a_line(heading: str) -> None:
    said = f"{heading}look\n src/a.py:3: a wrong sign\n :12: standup\n… -15- users wait"
    text = f"{said}\n#5 → :17: more\n a.py:3: one\n 12:30: standup"
    assert files_of_lines(text) == {}
