"""A provider on the loopback interface, and a cache of its own for each test."""

from __future__ import annotations

import warnings

import pytest

from compactor_cli.llm.litellm_client import load_litellm
from tests.llm.server import KEY, Provider


@pytest.fixture(autouse=True)
def caches_of_their_own(tmp_path, monkeypatch):
    """Answers that one test keeps do not reach another."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))


@pytest.fixture
def provider(monkeypatch):
    """A running server; in this process its keys are set, and no proxy stands before it."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("NO_PROXY", "*")
    server = Provider()
    yield server
    server.close()


@pytest.fixture(scope="session")
def loaded_litellm():
    """litellm, imported once, without what it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_litellm()
