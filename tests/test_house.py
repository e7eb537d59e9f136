"""Rules that keep the code easy to navigate: a name means one thing, and files and functions are short."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "compactor_cli"
LINES, PARAMETERS = 60, 10
PROGRAMS = {"agents", "formats", "targets", "resuming"}
"""Folders with a file for each program whose sessions are read, written or continued."""
LONG = {"compact", "compact_json"}
"""Functions that may be longer or have more parameters: the public API's options, and a report member by member."""


@pytest.fixture(scope="module")
def trees():
    return {path.relative_to(PACKAGE): ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


@pytest.fixture(scope="module")
def definitions(trees):
    """Return all definitions, each with its file. Only statements are searched, because expressions define nothing."""
    found, below = [], list(trees.items())
    while below:
        path, node = below.pop()
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            found.append((path, node))
        below += [(path, child) for child in ast.iter_child_nodes(node) if not isinstance(child, ast.expr)]
    return found


def functions(definitions):
    return [(path, node) for path, node in definitions if not isinstance(node, ast.ClassDef)]


def test_a_class_name_is_used_once(definitions):
    places = defaultdict(list)
    for path, node in definitions:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            places[node.name].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_file_is_long(trees):
    long = {str(path): len((PACKAGE / path).read_text().splitlines()) for path in trees}
    assert {path: lines for path, lines in long.items() if lines > 400} == {}


def test_no_function_is_long_or_takes_many_parameters(definitions):
    found = {
        f"{path}: {node.name}"
        for path, node in functions(definitions)
        if node.end_lineno - node.lineno >= LINES or len(node.args.args + node.args.kwonlyargs) > PARAMETERS
    }
    assert {each for each in found if each.split(": ")[1] not in LONG} == set()


def test_what_a_function_returns_is_said_with_a_verb(definitions):
    """Properties are described by a noun. All other docstrings begin with a verb, such as Return."""
    nouns = ("The ", "A ", "An ", "What ", "Whether ", "Where ", "Which ", "How ")
    found = {
        f"{path}: {node.name}"
        for path, node in functions(definitions)
        if (ast.get_docstring(node) or "").startswith(nouns)
        and not any("property" in ast.unparse(each) for each in node.decorator_list)
    }
    assert found == set()


def test_a_file_name_is_used_once(trees):
    """Files named after a program, a command, or what they show have the same names on purpose."""
    alike = {"__init__", "base"} | {path.stem for path in trees if path.parent.name in PROGRAMS}
    places = defaultdict(list)
    for path in trees:
        if path.parts[0] != "render" and path.parent != Path("cli/commands") and path.stem not in alike:
            places[path.stem].append(str(path))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}
