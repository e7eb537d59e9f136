"""A provider on the loopback interface, and a separate cache for each test."""

from __future__ import annotations

import warnings

import pytest

from compactor_cli import api
from compactor_cli.llm.litellm_client import load_litellm
from compactor_cli.settings import LlmSettings, Settings
from tests.llm.server import KEY, OPENAI, Provider
from tests.warm import WarmProcess


@pytest.fixture(autouse=True)
def caches_of_their_own(tmp_path, monkeypatch):
    """Keep the answers that one test caches away from other tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "cache"))


@pytest.fixture
def provider(monkeypatch):
    """A running server. Its keys are set in this process, and no proxy is used."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("NO_PROXY", "*")
    server = Provider()
    yield server
    server.close()


@pytest.fixture(scope="session")
def loaded_litellm():
    """litellm, imported once, without its warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_litellm()


@pytest.fixture(scope="session")
def forking():
    """The process that forks processes with litellm already imported."""
    warm = WarmProcess("tests.llm.warm")
    yield warm
    warm.close()


@pytest.fixture
def quick(forking, tmp_path):
    """As `run`: `compactor ARGS...` as a process in tmp_path, but without waiting for the import of litellm."""

    def runner(*args, **options):
        return forking.run(*args, **{"cwd": tmp_path, **options})

    return runner


@pytest.fixture
def compacting(provider, loaded_litellm):
    """Return a function that compacts bytes in this process, and returns the result and the asker.

    The real asker asks the provider. `llm`: settings of the model; nothing is cached between calls unless they say so.
    """

    def compact(data, model=OPENAI, *, llm=None, on_stage=None, format="", flush=None, **settings):
        asked = LlmSettings(**{"api_base": provider.api_base(model), "backoff": 0.0, "cache": False, **(llm or {})})
        chosen = Settings(**{"summarizer": "llm", "strategy": "rolling", "llm": asked, **settings})
        asker = api.language_model(model, chosen, tokenizer="chars")
        source = api.load(data, tokenizer="chars", format=format)
        return api.compact(source, chosen, tokenizer="chars", model=asker, on_stage=on_stage, flush=flush), asker

    return compact
