"""A provider on the loopback interface, and a cache of its own for each test."""

from __future__ import annotations

import warnings

import pytest

from compactor_cli import api
from compactor_cli.llm.litellm_client import load_litellm
from compactor_cli.settings import LlmSettings, Settings
from tests.llm.server import KEY, OPENAI, Provider
from tests.warm import Warm


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


@pytest.fixture(scope="session")
def forking():
    """What forks processes that have litellm already."""
    warm = Warm("tests.llm.warm")
    yield warm
    warm.close()


@pytest.fixture
def quick(forking, tmp_path):
    """As `run`: `compactor ARGS...` as a process in tmp_path, which need not wait for litellm's import."""

    def runner(*args, **options):
        return forking.run(*args, **{"cwd": tmp_path, **options})

    return runner


@pytest.fixture
def compacting(provider, loaded_litellm):
    """Compact bytes in this process with the real asker before the provider. Returns the result and the asker.

    `llm` are settings of the model; nothing is kept from one call to the next unless they say so.
    """

    def compact(data, model=OPENAI, *, llm=None, on_stage=None, format="", flush=None, **settings):
        asked = LlmSettings(**{"api_base": provider.api_base(model), "backoff": 0.0, "cache": False, **(llm or {})})
        chosen = Settings(**{"summarizer": "llm", "strategy": "rolling", "llm": asked, **settings})
        asker = api.language_model(model, chosen, tokenizer="chars")
        source = api.load(data, tokenizer="chars", format=format)
        return api.compact(source, chosen, tokenizer="chars", model=asker, on_stage=on_stage, flush=flush), asker

    return compact
