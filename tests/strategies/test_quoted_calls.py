"""How calls are quoted: their arguments as `key=value`, behind their tool, in later rounds too."""

from __future__ import annotations

import json

import pytest

from compactor_cli.model.pairing import pair_calls
from compactor_cli.strategies.shared.quoted_lines import Quoter
from compactor_cli.strategies.shared.selection import ChosenLine
from compactor_cli.summary_text.excerpts import quote
from tests.builders import assistant as says
from tests.builders import call, calling_message, user
from tests.builders import result as answers
from tests.features.sessions import Told

EARLIER = "## Session Summary of #2-9\n#4 click: e507b\n#4 click: e510 the second one\n more of it\n#5 → a page"


def test_two_calls_of_the_same_tool_in_one_message_stay_two() -> None:
    told = Told(user(EARLIER), user("Go on."), says("So."))
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))

    def quoted(*words: str) -> list[str]:
        chosen = [line for line in told.lines.of_message(0) if any(word in told.lines.text(line) for word in words)]
        return quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in chosen])).split("\n")

    assert told.messages[0].origin == "summary"
    assert quoted("e507b", "e510") == ["earlier #4 click: e507b", "earlier #4 click: e510 the second one"]
    assert quoted("e507b", "more") == ["earlier #4 click: e507b", "earlier #4 click: more of it"]


@pytest.mark.parametrize(
    ("arguments", "quoted"),
    [
        ('{"command": "git fetch origin"}', "git fetch origin"),
        ('{"cmd": "node -p \\"require.resolve(1)\\""}', 'node -p "require.resolve(1)"'),
        ('{"command": "ls", "timeout": 3}', "ls timeout=3"),
        ('{"command": ""}', 'command=""'),
        ('{"query": "ls"}', "query=ls"),
        ('{"path": "a.py"}', "path=a.py"),
        ('{"ref": "e137", "text": "2", "submit": true}', "ref=e137 text=2 submit=true"),
        ('{"ref": "e137", "text": "say \\"so\\", {now}"}', 'ref=e137 text=say "so", {now}'),
        ('{"paths": ["a.py", "b.py"], "query": ""}', 'paths=["a.py","b.py"] query=""'),
        ('{"base": "release-7", "head": "tide-9"}', "base=release-7 head=tide-9"),
        ('{"from": "Rome", "to": "Oslo"}', "from=Rome to=Oslo"),
        ('{"content": "", "path": "a.py"}', 'content="" path=a.py'),
        ('{"path": "src", "pattern": "tide"}', "path=src pattern=tide"),
        ('{"path": "a.py", "file": "b.py"}', "path=a.py file=b.py"),
        ('{"before": "level=3", "after": ""}', 'before=level=3 after=""'),
        ('{"name": "x-1 at=sea", "at": "quay", "by": "Zed"}', 'name="x-1 at=sea" at=quay by=Zed'),
        ('{"name": "x-1 at=sea", "at": "quay"}', 'name="x-1 at=sea" at=quay'),
        ('{"command": "A=1 make", "env": "B=2 C"}', 'A=1 make env="B=2 C"'),
        ('{"query": "a = b"}', 'query="a = b"'),
        ("{}", "{}"),
        ("ls {now}", "ls {now}"),
        (
            json.dumps({"command": "cat > note.md << 'EOF'\n" + "A line of the note, which is long.\n" * 9 + "EOF"}),
            "cat > note.md << 'EOF'",
        ),
    ],
)
def test_a_call_is_quoted_without_the_signs_of_json(arguments: str, quoted: str) -> None:
    told = Told(user("Go."), calling_message(call("c1", "Bash", arguments)), answers("c1", "done"), says("So."))
    first = next(iter(told.lines.of_message(1)))
    (line,) = quote(
        Quoter(told.messages, told.lines, len, pair_calls(told.messages)).excerpts([ChosenLine(first, 1.0, 1)])
    ).splitlines()
    assert line.removesuffix(" …") == f"#1 Bash: {quoted}"


def test_a_command_stands_without_its_key_and_other_arguments_with_theirs() -> None:
    arguments = {"command": "go build ./... 2>&1", "description": "Build the whole of it, and look for errors."}
    told = Told(
        user("Go."), calling_message(call("c1", "Bash", json.dumps(arguments))), answers("c1", "done"), says("So.")
    )
    asked = [ChosenLine(line, 1.0, 1) for line in told.lines.of_message(1)]
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))
    assert len(asked) > 1
    shown = "go build ./... 2>&1 description=Build the whole of it, and look for errors."
    assert quote(quoter.excerpts(asked)) == f"#1 Bash: {shown}"


def test_a_later_piece_of_a_query_stands_behind_where_it_is_asked_and_how_it_begins() -> None:
    query = "select name, setting, unit from pg_settings where " + " or ".join(f"name = 'limit_{n}'" for n in range(30))
    told = Told(
        user("Go."), calling_message(call("c1", "psql", json.dumps({"db": "stg", "sql": query}))), answers("c1", "x")
    )
    first, begins, *others = told.lines.of_message(1)
    quoter = Quoter(told.messages, told.lines, len, pair_calls(told.messages))

    def shown(*lines: int) -> str:
        return quote(quoter.excerpts([ChosenLine(line, 1.0, 1) for line in lines]))

    begun = shown(others[0])
    assert begun.startswith("#1 psql: db=stg … select name, setting, unit from pg_settings where name = … name =")
    assert begun.endswith(" … → x"), "the query goes on behind it"
    assert shown(begins).startswith('#1 psql: db=stg sql="select name, setting, unit from pg_settings where name')
    assert shown(first, begins, *others) == f'#1 psql: db=stg sql="{query}" → x'
