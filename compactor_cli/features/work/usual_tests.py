"""Find out whether a test is the usual one of a file: named like it, and next to it or at the same place among the
tests."""

from __future__ import annotations

import re
from functools import lru_cache

from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import word_set

TEST_AFFIX = compiled_later(r"^tests?_|_tests?$|[._-](?:test|spec)s?$")
"""The part of a test's name besides the name of what it tests."""
_TEST_FOLDERS = word_set("test tests __tests__ spec specs unit")
"""Folders of tests."""
_SOURCE_FOLDERS = word_set("src lib app source packages")
"""Folders of tested code, which may contain the packages."""
_COMMON_NAMES = word_set(
    "index main util utils model models init __init__ helper helpers types type common base core mod lib config setup "
    "views view app api conftest constants test tests spec"
)
"""Names of files that occur in many folders."""
_EXTENSION_GROUPS = word_set("js jsx ts tsx mjs cjs mts cts vue svelte"), word_set("ex exs")
"""Extensions of files that may test each other."""
_EXTENSION = compiled_later(r"[A-Za-z]\w{0,4}")


@lru_cache(maxsize=8192)
def is_test_of(test: str, path: str) -> bool:
    """Return whether a test, given by its file or module name, is the file itself or its usual test."""
    folders, name, ending = _split_path(test)
    own_folders, own_name, own_ending = _split_path(path)
    if ending and ending != own_ending and not any({ending, own_ending} <= group for group in _EXTENSION_GROUPS):
        return False
    if name == own_name:
        return not ending and own_folders[len(own_folders) - len(folders) :] == folders
    tested = TEST_AFFIX.sub("", name)
    if tested != own_name or tested.lower() in _COMMON_NAMES:
        return False
    if folders[:1] == ("",) and own_folders[:1] != ("",):  # the folders above the tests are unknown
        first = next((index for index, folder in enumerate(folders) if folder in _TEST_FOLDERS), 0)
        folders = folders[first:]
    source_folders = tuple(folder for folder in folders if folder not in _TEST_FOLDERS)
    if own_folders == source_folders:
        return True
    if not folders or folders[0] not in _TEST_FOLDERS:
        return False
    inner_folders = own_folders[1:] if own_folders[:1] and own_folders[0] in _SOURCE_FOLDERS else own_folders
    return source_folders in (inner_folders, inner_folders[1:])  # without the name of the package


def _split_path(path: str) -> tuple[tuple[str, ...], str, str]:
    """Return the folders, the name and the extension of a file. A module such as `tests.test_a.TestB` has no
    extension."""
    *folders, last = path.removeprefix("./").split("/")
    name, _, ending = last.rpartition(".")
    if name and _EXTENSION.fullmatch(ending) and not re.search("test|spec", ending, re.IGNORECASE):
        return tuple(folders), name, ending
    modules = last.split(".")
    classes = (index for index, module in enumerate(modules) if index and module[:1].isupper())
    *packages, module = modules[: next(classes, len(modules))]
    return (*folders, *packages), module, ""
