"""A light installation has no litellm: all that works offline works, and asking a model says what is missing."""

from __future__ import annotations

import os

import pytest

from compactor_cli.llm.litellm_client import NOT_INSTALLED

BLOCK = """
from importlib.machinery import PathFinder

found = PathFinder.find_spec

def find(name, path=None, target=None):
    return None if name.partition(".")[0] == "litellm" else found(name, path, target)

PathFinder.find_spec = find
"""
"""What Python runs when it starts."""


@pytest.fixture
def light(fresh, tmp_path, session):
    """Run a command in a process that has no litellm."""
    (tmp_path / "sitecustomize.py").write_text(BLOCK)
    path = os.pathsep.join((str(tmp_path), os.environ["PYTHONPATH"]))

    def runner(*args):
        return fresh(*args, PYTHONPATH=path)

    return runner


OFFLINE = [
    ("inspect", "session.jsonl", "--model", "gpt-4o"),
    ("score", "session.jsonl"),
    ("compact", "session.jsonl", "--target-ratio", "0.5", "-o", "out.jsonl", "--archive", "--database", "kept.db"),
    ("doctor", "session.jsonl"),
    ("convert", "session.jsonl", "--to", "anthropic", "-o", "out.jsonl"),
    ("formats",),
]


@pytest.mark.drawn(6)
@pytest.mark.parametrize("args", OFFLINE, ids=lambda args: args[0])
def test_what_works_offline_works_without_it(light, args):
    done = light(*args)
    assert done.code == 0, done.stderr
    assert "litellm" not in done.stderr


MODEL = ("--summarizer", "llm", "--llm-model", "openai/gpt-4o-mini", "-o", "out.jsonl")


@pytest.mark.drawn(2)
@pytest.mark.parametrize(("option", "code"), [("--no-fallback", 5), ("--fallback", 0)])
def test_asking_a_model_says_what_is_missing(light, option, code):
    done = light("compact", "session.jsonl", "--target-ratio", "0.25", *MODEL, option)
    assert done.code == code
    assert NOT_INSTALLED in done.stderr
    assert "bug" not in done.stderr
