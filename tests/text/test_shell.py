"""Command lines taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from compactor_cli.text.shell import parse_steps


def words(command):
    return [" ".join(step.words) for step in parse_steps(command)]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cd /x && pytest -q", ["cd /x", "pytest -q"]),
        ("pytest 2>&1 | tail -5; echo $?", ["pytest", "tail -5", "echo $?"]),
        ("FOO=1 BAR='a b' make test > out.txt", ["make test"]),
        ("bash -lc 'git status && ls'", ["git status", "ls"]),
        ("for f in a b; do go test $f; done", ["for f in a b", "go test $f"]),
        ("ls # && rm -rf x", ["ls"]),
        ("(cd web && npm test)", ["cd web", "npm test"]),
        ("go test \\\n  ./...", ["go test ./..."]),
        ("echo 'a && b' \"c | d\"", ["echo a && b c | d"]),
        ("echo $'it\\'s\\nfine' && ls", ["echo it's\nfine", "ls"]),
    ],
)
def test_steps_are_the_simple_commands(command, expected):
    assert words(command) == expected


def test_what_joins_steps_is_known():
    assert [step.operator for step in parse_steps("a && b || c | d; e & f")] == ["&&", "||", "|", ";", "&", ""]


def test_the_body_of_a_here_document_is_no_command():
    found = parse_steps("cat > a.py <<'EOF'\nimport os; git push\nEOF\npython a.py")
    assert [step.words for step in found] == [("cat",), ("python", "a.py")]
    assert found[0].heredoc == "import os; git push\n"


@pytest.mark.parametrize(
    ("command", "writes", "appends"),
    [
        ("make > out.txt 2>&1", ("out.txt",), ()),
        ("cat >> 'my file.txt' <<EOF\nx > y\nEOF", ("my file.txt",), ("my file.txt",)),
        ('make 2> "$D"/my\\ log &>> all', ("$D/my log", "all"), ("all",)),
        ("(a; b) > c", ("c",), ()),
        ("bash -c 'echo x > a' >> b", ("a", "b"), ("b",)),
        ("a 2>&1 >&2 <b <<<c 3<>d 2>&-", (), ()),
        ("a -> b => c > >(d)", (), ()),
        ("echo 'a > b'", (), ()),
    ],
)
def test_what_a_step_writes_to_is_known(command, writes, appends):
    found = parse_steps(command)
    assert [path for step in found for path in step.writes] == list(writes)
    assert [path for step in found for path in step.appends] == list(appends)


def test_a_message_written_with_cat_is_one_word():
    command = 'git commit -m "$(cat <<\'EOF\'\nSay "it\'s" done\n\nMore.\nEOF\n)" && git push'
    assert [step.words for step in parse_steps(command)] == [
        ("git", "commit", "-m", 'Say "it\'s" done\n\nMore.'),
        ("git", "push"),
    ]


@given(st.text(alphabet="ab '\"$(){}|&;<>\\\n`#=-", max_size=60))
def test_any_text_can_be_taken_apart(text):
    assert all(step.words for step in parse_steps(text))


def test_an_open_quote_does_not_swallow_the_rest_twice():
    assert words("echo 'abc && ls") == ["echo 'abc", "ls"]
