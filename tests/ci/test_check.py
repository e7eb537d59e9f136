"""`compact --check` for CI: annotations of GitHub and SARIF, by the process."""

from __future__ import annotations

import json
import re

import jsonschema
import pytest

from tests.builders import jsonl, plain_exchanges, user

LARGE = jsonl(*plain_exchanges(10))
SMALL = jsonl(user("Hello."))
TARGET = ("--target-tokens", "800", "--check")
COMMAND = re.compile(r"::(warning|error) file=([^,]*),line=(\d+),title=([^:]*)::(.*)")
RESULT = {
    "type": "object",
    "required": ["ruleId", "level", "message", "locations"],
    "properties": {
        "ruleId": {"type": "string"},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": {"type": "object", "required": ["text"]},
        "locations": {"type": "array", "minItems": 1},
    },
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "required": ["tool", "results"],
                "properties": {"results": {"type": "array", "items": RESULT}},
            },
        },
    },
}
"""What of SARIF 2.1.0 code scanning asks for."""


@pytest.fixture
def place(tmp_path):
    (tmp_path / "large.jsonl").write_bytes(LARGE)
    (tmp_path / "small.jsonl").write_bytes(SMALL)
    (tmp_path / "damaged.jsonl").write_bytes(SMALL + b"{not json\n")
    return tmp_path


def parts_of(line):
    """The parts of an annotation, which is all of a line."""
    found = COMMAND.fullmatch(line)
    assert found is not None, line
    return found.groups()


def test_each_file_that_has_to_be_compacted_is_annotated(run, place):
    done = run("compact", "large.jsonl", "small.jsonl", *TARGET, "--annotations", "github")
    assert done.code == 1
    (found,) = map(parts_of, done.text.splitlines())
    assert found[:4] == ("warning", "large.jsonl", "1", "compactor%3A needs-compaction")
    assert re.search(r"from [\d,]+ to [\d,]+ tokens", found[4])


def test_a_damaged_file_is_an_error_at_its_line(run, place):
    done = run("compact", "damaged.jsonl", "large.jsonl", *TARGET, "--annotations", "github")
    assert done.code == 3
    found = [parts_of(line) for line in done.text.splitlines()]
    assert [(level, path, line) for level, path, line, *_ in found] == [
        ("error", "damaged.jsonl", "2"),
        ("warning", "large.jsonl", "1"),
    ]


@pytest.mark.parametrize(("file", "rule", "code"), [("damaged", "unreadable", 3), ("large", "cannot-fit", 4)])
def test_a_single_file_that_fails_is_annotated_too(run, place, file, rule, code):
    done = run("compact", f"{file}.jsonl", "--target-tokens", "5", "--check", "--annotations", "github")
    assert done.code == code
    assert f"title=compactor%3A {rule}::" in done.text
    assert len(done.text.splitlines()) == 1, "a message of several lines is one command"


def test_names_and_messages_are_escaped(run, place):
    odd = place / "a,b:100%.jsonl"
    odd.write_bytes(LARGE)
    assert "file=a%2Cb%3A100%25.jsonl,line=1" in run("compact", odd.name, *TARGET, "--annotations", "github").text


def test_sarif_is_what_code_scanning_takes(run, place):
    (place / "sub dir").mkdir()
    (place / "sub dir" / "l.jsonl").write_bytes(LARGE)
    files = ("damaged.jsonl", "sub dir/l.jsonl", "small.jsonl")
    assert run("compact", *files, *TARGET, "--sarif", "out.sarif").code == 3
    log = json.loads((place / "out.sarif").read_text())
    jsonschema.validate(log, SARIF)
    (one,) = log["runs"]
    rules = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    seen = []
    for result in one["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
        where = result["locations"][0]["physicalLocation"]
        seen.append((result["ruleId"], where["artifactLocation"]["uri"], where["region"]["startLine"]))
    assert seen == [("unreadable", "damaged.jsonl", 2), ("needs-compaction", "sub%20dir/l.jsonl", 1)]


def test_a_clean_run_has_an_empty_log_and_no_annotations(run, place):
    done = run("compact", "small.jsonl", *TARGET, "--annotations", "github", "--sarif", "out.sarif")
    assert (done.code, done.stdout) == (0, b"")
    assert json.loads((place / "out.sarif").read_text())["runs"][0]["results"] == []


@pytest.mark.parametrize(
    "args",
    [
        ("--annotations", "github"),
        ("--sarif", "x.sarif"),
        ("--check", "--annotations", "gitlab"),
        ("--check", "--annotations", "github", "--json"),
        ("--check", "--sarif", "small.jsonl"),
    ],
)
def test_options_that_do_not_go_together_are_refused(run, place, args):
    done = run("compact", "small.jsonl", "--target-tokens", "800", *args)
    assert done.code == 2
    assert (place / "small.jsonl").read_bytes() == SMALL
