"""What is quoted reads as it was written: code keeps its shape, outputs stand behind their commands."""

from __future__ import annotations

import json
import re
from itertools import pairwise

import pytest
from msgspec.structs import replace

from compactor_cli.features.work.state import known_state
from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summaries.extractive import drop_least
from compactor_cli.summary_text.excerpts import quote
from compactor_cli.summary_text.state_block import state_lines
from tests.builders import assistant as says
from tests.builders import call, calling_message, user
from tests.builders import result as answers
from tests.features.sessions import Told
from tests.pipeline.sessions import Json, assistant, compact, long_session, result
from tests.strategies import work

pytestmark = pytest.mark.one_test_in(2)

DEEP = " " * 8
CODE = [
    f"{DEEP}for berth in harbor_{n}:\n{DEEP}    if berth.tide > limit_{n}:\n{DEEP}        alarm_{n}(berth)"
    for n in range(8)
]


def quoted(records: list[Json], ratio: float = 0.2) -> str:
    part = compact(records, strategy="adaptive", target_ratio=ratio)
    return "\n".join(message.text() for message in part.messages if message.origin == "summary")


def asking_for_code() -> list[Json]:
    """A session that reads a file, and later asks for names of it again and again."""
    names = [name for n in range(8) for name in (f"harbor_{n}", f"limit_{n}", f"alarm_{n}")]
    greps = [
        record
        for n, name in enumerate(names)
        for record in (assistant(None, (f"g{n}", "grep", {"pattern": name})), result(f"g{n}", f"tides.py: {name}"))
    ]
    read = [assistant("I read it.", ("r", "Read", {"path": "tides.py"})), result("r", "\n\n".join(CODE))]
    return [user("Mend the alarms."), *read, *long_session(8)[2:-2], *greps, user("Go on.")]


def test_quoted_code_keeps_its_shape_and_loses_the_margin_of_its_file() -> None:
    text = quoted(asking_for_code(), 0.3)
    whole = re.findall(r"for berth in harbor_(\d):\n {5}if berth\.tide > limit_\1:\n {9}alarm_\1\(berth\)", text)
    assert whole
    assert DEEP + "for" not in text


@pytest.mark.parametrize("number", ["{:>6}→", "{:>6}\t", "{:05}| "])
def test_the_numbers_that_a_tool_puts_before_lines_are_not_quoted(number: str) -> None:
    records = asking_for_code()
    lines = "\n".join(CODE).split("\n")
    records[2] = result("r", "\n".join(number.format(at) + line for at, line in enumerate(lines, 100)))
    shown = [line for line in quoted(records, 0.2).split("\n") if "berth in harbor_" in line]
    assert shown
    assert not any(re.search(r"\d{3}", line.partition("for berth")[0].replace("#", "")) for line in shown)


def test_code_is_the_same_in_the_next_round() -> None:
    first = compact(asking_for_code(), strategy="adaptive", target_ratio=0.3)
    asked = user("Go on with the next one.")
    records = [*map(json.loads, first.data.splitlines()), *long_session(4)[2:], asked]
    shapes = []
    for ratio in (0.35, 0.4, 0.45, 0.46):
        text = quoted(records, ratio)
        assert "\nearlier #" in text
        shapes += re.findall(r"(→ |… |\n )( *)(?:for berth|if berth)\b.*:\n ( *)(?:if berth|alarm_)", text)
    assert {before for before, _, _ in shapes} >= {"→ ", "\n "}
    assert {len(inner) - len(outer) for _, outer, inner in shapes} == {4}


@pytest.mark.parametrize(("code", "ended"), [("0", ""), ("1", " failed")])
def test_the_output_of_a_command_that_was_written_as_text_stands_behind_it(code: str, ended: str) -> None:
    records: list[Json] = [user("Mend the alarms.")]
    for n in range(12):
        said = " ".join(f"tide{n}x{at}" for at in range(40))
        records.append(says(f"```bash\nmake tide_{n} -C harbors/of/the/north/berth_{n}\n```"))
        records.append(user(f"<returncode>{code}</returncode>\n<output>\n{said}\n</output>"))
    records += [record for n in range(3) for record in (user(f"Is it {n}?"), says("It is berth_10."))]
    alone, together = 0, 0
    for ratio in (0.15, 0.2, 0.3, 0.5, 0.6, 0.7):
        headings = re.findall(r"^#(\d+)(.*?→|:)", quoted(records, ratio), re.MULTILINE)
        commands = {int(number) for number, speaker in headings if speaker == ":"}
        for number, speaker in headings:
            is_alone, at = int(number) - 1 not in commands, int(number) // 2 - 1
            if "→" in speaker:
                assert speaker == (
                    f" shell make tide_{at} -C harbors/of/the/north/berth_{at}{ended} →" if is_alone else f"{ended} →"
                )
                alone, together = alone + is_alone, together + (not is_alone)
    assert alone
    assert together


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("23553.0", " → 23553.0"),
        ("ok", ""),
        ("(no output)", ""),
        ("The file a.py has been updated.", ""),
        ("one line\nand another", ""),
        ("as many words as a sentence of its own has in it", ""),
    ],
)
def test_a_quoted_call_has_the_few_words_of_its_result_behind_it(said: str, shown: str) -> None:
    told = Told(
        user("What is it?"),
        calling_message(call("c1", "calculate", '{"sum": "1+2"}')),
        answers("c1", said),
        says("So."),
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    asked, *rest = (ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1))
    assert quote(quoter.excerpts([asked, *rest])) == f"#1 calculate: sum=1+2{shown}"
    with_result = [asked, *rest, *(ChosenLine(line, 1.0, 1) for line in told.lines.of_message(2))]
    of_result = quote(quoter.excerpts(with_result)).removeprefix("#1 calculate: sum=1+2")
    assert of_result.partition("\n")[0] == shown, "a line of its own could be left out"
    assert of_result.count(said.split("\n", maxsplit=1)[0]) == 1, "it is not said twice"


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "shown"),
    [
        ("Bash", '{"command": "mise run lint"}', "[lint] $ golangci-lint run\n0 issues.", " → 0 issues."),
        ("Bash", '{"command": "pytest -q"}', "." * 60 + "\n60 passed in 1.20s", " → 60 passed in 1.20s"),
        ("Bash", '{"command": "rg tide_"}', "Exit code 1\nOutput:\n", " → no output"),
        ("Bash", '{"command": "rg tide_"}', "(no output)", " → no output"),
        ("Bash", '{"command": "npm install"}', "(no output)", ""),
        ("Bash", '{"command": "rm -rf build/"}', "", ""),
        ("Bash", '{"command": "gh issue list --search tides | grep berth"}', "[]", " → []"),
        ("Read", '{"path": "log.txt"}', "{}", " → {}"),
        ("Bash", '{"command": "cat notes.md"}', "One line of notes.\nAnother line of notes that says no more.", ""),
        ("Read", '{"path": "log.txt"}', "." * 60 + "\n60 passed in 1.20s", ""),
    ],
)
def test_a_quoted_command_says_how_it_came_out(tool: str, arguments: str, said: str, shown: str) -> None:
    told = Told(user("Check it."), calling_message(call("c1", tool, arguments)), answers("c1", said), says("So."))
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    asked = [ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1)]
    quoted = json.loads(arguments).get("command", "path=log.txt")
    assert quote(quoter.excerpts(asked)) == f"#1 {tool}: {quoted}{shown}"
    with_result = [*asked, *(ChosenLine(line, 1.0, 1) for line in told.lines.of_message(2))]
    quoted = quote(quoter.excerpts(with_result))
    words = shown.removeprefix(" → ")
    assert not words or said.count(words) == 0 or quoted.count(words) == 1, "it is quoted, and not said twice"


@pytest.mark.parametrize(
    ("tool", "arguments", "said", "cause"),
    [
        (
            "Bash",
            {"command": "mise run lint"},
            "Exit code 1\nctx.go:81:15: string `tide` has 3 occurrences (goconst)\n1 issues:\n[lint] ERROR task failed",
            "ctx.go:81:15: string `tide` has 3 occurrences (goconst)",
        ),
        (
            "Read",
            {"path": "tides.yml"},
            "<tool_use_error>File does not exist.</tool_use_error>",
            "File does not exist.",
        ),
        ("book_flight", {"flight": "HAT001"}, "Error: gift card balance is not enough", None),
        (
            "Bash",
            {"command": "./e2e.sh"},
            "Exit code 1\na.js:12: listening on 80\n1 failed, 3 passed",
            "3 passed",
        ),
        (
            "Edit",
            {"path": "a.js", "old": "x", "new": "y"},
            "No replacement was performed, `x` did not appear in a.js.\n```\nthrow Error('never reached')\n```",
            "No replacement was performed, `x` did not appear in a.js.",
        ),
    ],
)
def test_a_quoted_call_that_failed_says_why(tool: str, arguments: Json, said: str, cause: str | None) -> None:
    told = Told(
        user("Do."), calling_message(call("c1", tool, json.dumps(arguments))), answers("c1", said), says("It failed.")
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1)]))
    assert text.startswith(f"#1 {tool} failed: ")
    assert text.partition(" → ")[2].endswith(cause or said)
    assert "listening" not in text and "never reached" not in text


NUMBERED = """  181→def tide(harbor):
  182→    table = [
  183→        (1, harbor.north_berth),
  184→    ]
  185→    return sum(row.level_of_berth for row in table)"""


def test_numbered_code_keeps_its_indentation() -> None:
    """The blanks before a number are none of the code's."""
    told = Told(
        user("Read it."), calling_message(call("c1", "Read", '{"path": "t.py"}')), answers("c1", NUMBERED), says("So.")
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in told.lines.of_message(2)]))
    code = text.partition("→ ")[2].replace("\n ", "\n")
    assert code == re.sub(r"^ +\d+→", "", NUMBERED, flags=re.MULTILINE)


def test_a_quote_does_not_begin_with_what_closes_something_else() -> None:
    code = "\n".join(
        f"    )\n    assert tide_{n} == harbor_{n}(\n        'berth_{n}', 'a long name of a pier_{n}',"
        for n in range(9)
    )
    told = Told(
        user("Read it."), calling_message(call("c1", "Read", '{"path": "t.py"}')), answers("c1", code), says("So.")
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    lines = [line for line in told.lines.of_message(2) if told.lines.text(line).lstrip().startswith(")\n")]
    assert lines
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in lines[1:]]))
    assert "assert tide_" in text
    assert not re.search(r"… *\)", text)


def test_a_quote_may_begin_with_what_opens_something() -> None:
    front = "---\ntitle: Tides of the harbour of the north\n---\nThe tides of berth_7 are in harbor_table_7."
    told = Told(
        user("Read it."), calling_message(call("c1", "Read", '{"path": "t.md"}')), answers("c1", front), says("So.")
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in told.lines.of_message(2)]))
    assert text.partition("→ ")[2].replace("\n ", "\n") == front


def test_code_in_what_is_said_keeps_its_indentation() -> None:
    blocks = "\n".join(f"if tide_{n} > harbor_limit_{n}:\n    alarm_of_the_berth_{n}()" for n in range(6))
    told = Told(user("Show it."), says(f"It is this:\n```python\ndef tide():\n{indented(blocks)}\n```\nNo more."))
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1)]))
    shown = text.replace("\n ", "\n")
    assert indented(blocks) in shown


def indented(code: str) -> str:
    return "\n".join(f"    {line}" for line in code.split("\n"))


def test_what_is_quoted_of_an_output_of_several_files_says_which() -> None:
    berths = "\n".join(f"berth_{n} = tide(harbor_{n})" for n in range(12))
    said = f"==> north/tides.py <==\n{berths}\n\n==> south/tides.py <==\n{berths.replace('berth', 'pier')}"
    told = Told(
        user("Read them."), calling_message(call("c1", "Bash", '{"command": "head */tides.py"}')), answers("c1", said)
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    wanted = [line for line in told.lines.of_message(2) if re.search(r"_(?:5|9)\b", told.lines.text(line))]
    text = quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in wanted]))
    north, south = (part.partition(" <== … ")[2] for part in text.split("==> ")[1:])
    assert "north/tides.py" in text.split("berth_")[0]
    assert "south/tides.py" in text.partition("pier_")[0]
    assert "berth_5" in north
    assert "pier_5" in south
    assert text.count("tides.py <==") == 2, "each is said once"


def test_lines_inside_of_json_are_lines_at_their_place_too() -> None:
    lines = "\n".join(f"{n} | berth_{n} = tide(harbor_{n})" for n in range(40))
    answer = json.dumps([{"query": "tides.py:1-40", "result": lines, "success": True}])
    newest = [assistant("I read it.", ("r", "read_files", {"path": "tides.py"})), answers("r", answer)]
    part = compact(
        [*long_session(8)[:-2], user("Mend berth_7 and berth_31."), *newest], strategy="adaptive", target_ratio=0.2
    )
    text = part.messages[-1].text()
    assert "\\n" not in text
    assert re.search(r"^\d+ \| berth_\d+ = tide", text, re.MULTILINE)
    assert "left out" in text


def test_the_state_counts_what_it_has_no_room_for() -> None:
    part = compact(work.session(40), strategy="adaptive", target_ratio=0.02)
    text = next(m.text() for m in part.messages if "\nState" in m.text())
    listed = [line for line in state_lines(text) if line.startswith(("edited", "created"))]
    (more,) = re.findall(r"(\d+) more changed files", text)
    assert len({*listed}) + int(more) == 40


def test_brackets_do_not_stay_where_nothing_around_them_does() -> None:
    body = "\n".join(f"    if tide_{n}(harbor) {{\n        return {n};\n    }}\n" for n in range(40))
    written = [assistant("I write it.", ("w", "Write", {"file_path": "tides.c", "content": body})), result("w", "ok")]
    seen = 0
    for ratio in (0.3, 0.5, 0.6, 0.7):
        records = [*long_session(8)[:-2], user("Write tide_7."), *written]
        part = compact(records, strategy="adaptive", target_ratio=ratio)
        (text,) = [call.text for message in part.messages for call in message.calls if call.name == "Write"]
        content = json.loads(text)["content"]
        seen += content.count("}")
        for before, line in pairwise(content.split("\n")):
            assert line.strip() != "}" or not before.startswith("[… ")
    assert seen


def test_the_words_of_the_user_in_a_result_stay_under_their_own_heading() -> None:
    said = "User responded: Postgres"
    told = Told(
        user("Go."), calling_message(call("c1", "ask_user", '{"q": "Which?"}')), answers("c1", said), says("So.")
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    chosen = [ChosenLine(line, 1.0, 1) for at in (1, 2) for line in told.lines.of_message(at)]
    assert quote(quoter.excerpts(chosen)).split("\n")[-1].startswith("#2 user: ")


def test_a_call_is_worth_as_much_as_the_result_that_stands_behind_it() -> None:
    told = Told(user("Go."), calling_message(call("c1", "count", '{"of": "a"}')), answers("c1", "23553.0"), says("So."))
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    asked = [ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1)]
    (excerpt,) = quoter.excerpts([*asked, *(ChosenLine(line, 7.0, 1) for line in told.lines.of_message(2))])
    assert excerpt.value == 7.0


@pytest.mark.parametrize(("later", "outcome"), [("60 passed in 1.20s", "failed, passed since"), ("1 failed", "failed")])
def test_a_quoted_failure_says_whether_it_has_passed_since(later: str, outcome: str) -> None:
    said = "E   tides.HighWater: berth_7 of harbor_9\n1 failed in 1.20s\nexit code: 1"
    code = "0" if "passed" in later else "1"
    told = Told(
        user("Mend it."),
        calling_message(call("c1", "Bash", '{"command": "pytest -q"}')),
        answers("c1", said),
        calling_message(call("c2", "Bash", '{"command": "pytest -q"}')),
        answers("c2", f"{later}\nexit code: {code}"),
    )
    pairing = pair_calls(told.messages)
    quoter = Quoter(told.messages, told.lines, len, pairing, known_state(told.messages, pairing=pairing).resolved)
    asked = [ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1)]
    assert quote(quoter.excerpts(asked)).startswith(f"#1 Bash {outcome}: pytest -q")


def test_what_a_line_is_in_is_worth_as_much_as_the_line() -> None:
    """Where a summary has to be shorter, it does not go before what stands below it."""
    code = "def tide_of(gate):\n    first = gate.level\n\n\n    second = gate.level_of_all_the_gates_of_the_harbor\n"
    told = Told(user("What is it?"), calling_message(call("c1", "Read", '{"path": "a.py"}')), answers("c1", code))
    first, *_, last = told.lines.of_message(2)
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    scope, within = quoter.excerpts([ChosenLine(first, 1.0, 1), ChosenLine(last, 7.0, 1)])
    assert (scope.value, within.value) == (7.0, 7.0)
    assert len(drop_least([scope, within, replace(within, value=2.0)], 1)) == 2


FLIGHTS = [{"number": f"HAT{n}", "origin": "JFK", "price": n} for n in range(100, 108)]
BERTHS = [f"Berth number {n} of the quay in the north, with its gate, its crane and its pilot" for n in range(12)]
LETTER = {"id": "av-12", "to": "Ada of the quay in the north", "text": "Dear {name}, the gate is shut." * 4, "meta": {}}


def shown_of(said: Json | list[Json], first: str, most: int | None = None) -> str:
    """The quote of those lines of a result that hold some words, the first ones."""
    told = Told(
        user("Find it."), calling_message(call("c1", "search", '{"from": "JFK"}')), answers("c1", json.dumps(said))
    )
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    own = [line for line in told.lines.of_message(2) if first in told.lines.text(line)][:most]
    assert own
    return quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in own]))


@pytest.mark.parametrize(
    ("said", "words", "goes_on"),
    [
        (FLIGHTS, "HAT100", True),
        ({"flights": FLIGHTS, "count": 8}, "HAT100", True),
        (FLIGHTS, "HAT", False),
        (BERTHS, "number 0", True),
        (BERTHS, "Berth", False),
        ([[each, each] for each in BERTHS], "number 0", True),
        ({"berths": BERTHS, "count": 12}, "number 3", True),
        (LETTER, "av-12", False),
    ],
)
def test_a_quote_of_a_list_says_that_others_follow(said: Json, words: str, goes_on: bool) -> None:
    assert shown_of(said, words, 1 if goes_on else None).endswith("…") == goes_on
