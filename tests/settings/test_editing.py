"""Files that are changed in place: one line differs, and comments stay where they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli.configuration.editing import settings_template, with_value, without_key
from compactor_cli.configuration.keys import keys
from compactor_cli.configuration.settings_files import SettingsFile, parse_file, section_of
from compactor_cli.errors import SettingsError

TOML = """\
# settings of the team
strategy = "tiered"  # until June

# what counts as important
[scoring]
# agreed in March
threshold = 70 # was 60
"""
YAML = """\
# settings of the team
strategy: tiered  # until June

# what counts as important
scoring:
    # agreed in March
    threshold: 70  # was 60
    # and nothing else
tiers:
    keep:
    - 1.0
    - 0.5
    - 0.3
    - 0.1  # hardly anything
"""
PYPROJECT = """\
[project]
name = "theirs"  # not ours

[tool.compactor]
# ours
strategy = "tiered"

[tool.ruff]
line-length = 100
"""
FILES = {"compactor.toml": TOML, "compactor.yaml": YAML, "pyproject.toml": PYPROJECT}


def file(name):
    return SettingsFile("project file", Path(name))


def changed(before, after):
    """Lines that went, and lines that came."""
    old, new = before.splitlines(), after.splitlines()
    return [line for line in old if line not in new], [line for line in new if line not in old]


def value_in(name, text, key):
    found = section_of(file(name), parse_file(file(name), text))
    for word in key.split("."):
        found = found[word]
    return found


@pytest.mark.parametrize(
    ("name", "key", "value", "gone", "come"),
    [
        (
            "compactor.toml",
            "strategy",
            "ranked",
            'strategy = "tiered"  # until June',
            'strategy = "ranked"  # until June',
        ),
        ("compactor.toml", "scoring.threshold", 50.0, "threshold = 70 # was 60", "threshold = 50.0 # was 60"),
        ("compactor.yaml", "strategy", "ranked", "strategy: tiered  # until June", 'strategy: "ranked"  # until June'),
        ("compactor.yaml", "scoring.threshold", 50, "    threshold: 70  # was 60", "    threshold: 50  # was 60"),
        ("pyproject.toml", "strategy", "ranked", 'strategy = "tiered"', 'strategy = "ranked"'),
    ],
)
def test_a_value_changes_in_its_line(name, key, value, gone, come):
    after = with_value(file(name), FILES[name], keys()[key], value)
    assert changed(FILES[name], after) == ([gone], [come])
    assert value_in(name, after, key) == value


@pytest.mark.parametrize(
    ("name", "key", "value", "come"),
    [
        ("compactor.toml", "keep_last", 3, ["keep_last = 3"]),
        ("compactor.toml", "scoring.residuals", False, ["residuals = false"]),
        ("compactor.toml", "context.threshold", 9000, ["[context]", "threshold = 9000"]),
        ("compactor.yaml", "keep_last", 3, ["keep_last: 3"]),
        ("compactor.yaml", "scoring.residuals", False, ["    residuals: false"]),
        ("compactor.yaml", "context.threshold", 9000, ["context:", "  threshold: 9000"]),
        ("pyproject.toml", "keep_last", 3, ["keep_last = 3"]),
        ("pyproject.toml", "context.threshold", 9000, ["[tool.compactor.context]", "threshold = 9000"]),
    ],
)
def test_a_new_key_is_a_new_line(name, key, value, come):
    after = with_value(file(name), FILES[name], keys()[key], value)
    assert changed(FILES[name], after) == ([], come)
    assert value_in(name, after, key) == value


def test_a_new_key_stands_with_the_others_of_its_section():
    after = with_value(file("compactor.toml"), TOML, keys()["keep_last"], 3).splitlines()
    assert after[after.index("keep_last = 3") - 1] == 'strategy = "tiered"  # until June'
    after = with_value(file("pyproject.toml"), PYPROJECT, keys()["keep_last"], 3).splitlines()
    assert after[after.index("keep_last = 3") - 1] == 'strategy = "tiered"'


@pytest.mark.parametrize(
    ("name", "key", "gone"),
    [
        ("compactor.toml", "strategy", ['strategy = "tiered"  # until June']),
        ("compactor.toml", "scoring.threshold", ["threshold = 70 # was 60"]),
        ("compactor.yaml", "strategy", ["strategy: tiered  # until June"]),
        ("compactor.yaml", "scoring.threshold", ["    threshold: 70  # was 60"]),
        (
            "compactor.yaml",
            "tiers.keep",
            ["    keep:", "    - 1.0", "    - 0.5", "    - 0.3", "    - 0.1  # hardly anything"],
        ),
        ("pyproject.toml", "strategy", ['strategy = "tiered"']),
    ],
)
def test_a_key_that_is_taken_out_takes_nothing_along(name, key, gone):
    after = without_key(file(name), FILES[name], key)
    assert changed(FILES[name], after) == (gone, [])


@pytest.mark.parametrize("name", FILES)
def test_a_key_that_is_not_there_cannot_be_taken_out(name):
    assert without_key(file(name), FILES[name], "query") is None


@pytest.mark.parametrize("name", ["compactor.toml", "compactor.yaml"])
def test_in_a_file_of_comments_a_value_stands_in_its_section(name):
    text = before = settings_template(yaml=name.endswith("yaml"))
    chosen = (("keep_last", 3), ("context.threshold", 9000), ("tiers.borders", [1, 2, 3]))
    for key, value in chosen:
        longer = with_value(file(name), text, keys()[key], value)
        gone, come = changed(text, longer)
        assert (gone, len(come)) == ([], 1)
        text = with_value(file(name), longer, keys()[key], value)
        assert text == longer
    assert [value_in(name, text, key) for key, _ in chosen] == [value for _, value in chosen]
    for key, _ in chosen:
        text = without_key(file(name), text, key) or ""
    assert text == before


def test_the_ends_of_lines_stay():
    after = with_value(file("compactor.toml"), TOML.replace("\n", "\r\n"), keys()["keep_last"], 3)
    assert after.count("\n") == after.count("\r\n") == TOML.count("\n") + 1


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "text", ['a "quoted" \\ word', "line\nbreak", "# no comment", "日本語", "yes", "3", ": - {x", ""]
)
def test_any_text_is_read_back(name, text):
    for before in ("", FILES[name]):
        after = with_value(file(name), before, keys()["query"], text)
        assert value_in(name, after, "query") == text
        again = with_value(file(name), after, keys()["query"], text + "!")
        assert value_in(name, again, "query") == text + "!"


@pytest.mark.parametrize("name", ["compactor.toml", "compactor.yaml"])
def test_unusual_layouts_are_changed_too(name):
    before = "scoring: {threshold: 5}\n" if name.endswith("yaml") else "scoring = {threshold = 5}\n"
    after = with_value(file(name), before, keys()["scoring.max_residuals"], 0.00001)
    assert value_in(name, after, "scoring") == {"threshold": 5, "max_residuals": 0.00001}


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("strategy:   'x'     # a\nkeep:  [ a,b ]\n", "strategy", 'strategy:   "y"     # a\nkeep:  [ a,b ]\n'),
        ('"strategy": x\n# a\n', "strategy", '"strategy": "y"\n# a\n'),
        ("strategy: # a\n  x\n# b\n", "strategy", 'strategy: "y" # a\n# b\n'),
        ("strategy: >-\n  a\n  b\n\n# c\n", "strategy", 'strategy: "y"\n\n# c\n'),
        ("strategy:\n", "strategy", 'strategy: "y"\n'),
        ("keep:\n- a\n- b\n# c\nkeep_last: 1\n", "keep", 'keep: "y"\n# c\nkeep_last: 1\n'),
        ("---\nkeep_last: 1\n...\n", "strategy", '---\nkeep_last: 1\nstrategy: "y"\n...\n'),
        ("{keep_last: 1}\n", "strategy", '{keep_last: 1, strategy: "y"}\n'),
        ("{}\n", "llm.model", '{llm: {model: "y"}}\n'),
        ("llm: null # a\n", "llm.model", 'llm: {model: "y"} # a\n'),
        ("llm: # a\n\n# b\nkeep: [a]\n", "llm.model", 'llm: # a\n  model: "y"\n\n# b\nkeep: [a]\n'),
        (
            "llm:\n    api_base: |\n      a\n\n# b\n",
            "llm.model",
            'llm:\n    api_base: |\n      a\n\n    model: "y"\n# b\n',
        ),
    ],
)
def test_in_yaml_nothing_else_is_written_anew(before, key, after):
    name = "compactor.yaml"
    assert with_value(file(name), before, keys()[key], "y") == after
    assert key.split(".")[-1] not in parse_file(file(name), without_key(file(name), after, key) or "")


@pytest.mark.parametrize(
    ("before", "key", "after"),
    [
        ("{a: 1, b: [2], c: 3}\n", "a", "{b: [2], c: 3}\n"),
        ("{a: 1, b: [2], c: 3}\n", "b", "{a: 1, c: 3}\n"),
        ("{a: 1, b: [2], c: 3}\n", "c", "{a: 1, b: [2]}\n"),
        ("{a: 1,}\n", "a", "{}\n"),
        ("s: {a: 1}", "s.a", "s: {}"),
    ],
)
def test_in_yaml_a_key_between_braces_is_taken_out(before, key, after):
    assert without_key(file("compactor.yaml"), before, key) == after


def test_a_comment_above_a_table_stays_there():
    before = "# a\n\n# of scoring\n[scoring]\nthreshold = 5\n\n\n# of tiers\n[tiers]\nkeep = [1, 1, 1, 1]\n"
    after = with_value(file("compactor.toml"), before, keys()["keep_last"], 3)
    after = with_value(file("compactor.toml"), after, keys()["scoring.residuals"], False)
    assert changed(before, after) == ([], ["keep_last = 3", "residuals = false"])
    assert after == before.replace("# a\n", "# a\nkeep_last = 3\n").replace("= 5\n", "= 5\nresiduals = false\n")


@pytest.mark.parametrize(
    "change", [lambda f, text, key: with_value(f, text, key, "y"), lambda f, text, key: without_key(f, text, key.name)]
)
def test_what_would_change_something_else_is_refused(change):
    with pytest.raises(SettingsError, match=r"compactor.yaml: strategy .* edit the file by hand"):
        change(file("compactor.yaml"), "strategy: &a x\nquery: *a\n", keys()["strategy"])
