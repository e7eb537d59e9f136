"""Files that are changed in place: one line differs, and comments stay where they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from compactor_cli.settings.editing import with_value, without
from compactor_cli.settings.keys import keys
from compactor_cli.settings.settings_files import SettingsFile, parse, section_of
from compactor_cli.settings.template import template

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
    found = section_of(file(name), parse(file(name), text))
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
    after = without(file(name), FILES[name], key)
    assert changed(FILES[name], after) == (gone, [])


@pytest.mark.parametrize("name", FILES)
def test_a_key_that_is_not_there_cannot_be_taken_out(name):
    assert without(file(name), FILES[name], "query") is None


@pytest.mark.parametrize("name", ["compactor.toml", "compactor.yaml"])
def test_in_a_file_of_comments_a_value_goes_under_its_own(name):
    before = template(yaml=name.endswith("yaml"))
    for key, value in (("keep_last", 3), ("context.threshold", 9000), ("tiers.borders", (1, 2, 3))):
        after = with_value(file(name), before, keys()[key], value).splitlines()
        assert [line for line in before.splitlines() if line not in after] == []
        at = next(at for at, line in enumerate(after) if line not in before.splitlines())
        assert keys()[key].leaf in after[at - 1]
        assert after[at - 1].lstrip().startswith("#")


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
