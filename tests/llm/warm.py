"""What a process imports that is to fork commands which ask a model (see `tests.warm`)."""

from __future__ import annotations

import contextlib
import importlib
import os
import sys

from compactor_cli.llm.litellm_client import LitellmClient, load_litellm
from compactor_cli.model.asking import ModelRequest, Turn
from compactor_cli.settings import LlmSettings
from compactor_cli.tokens.models import model_facts


def preload():
    """litellm, and whatever asking imports."""
    load_litellm()
    model_facts("gpt-4o-mini")
    for name in _imported_by_asking():
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def _imported_by_asking():
    """Modules that asking imports besides litellm. A process of its own finds them, since asking starts threads."""
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(writing)
        with os.fdopen(reading, encoding="utf-8") as names:
            found = names.read().split()
        os.waitpid(child, 0)
        return found
    try:
        before = set(sys.modules)
        for model in ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"):
            settings = LlmSettings(api_base="http://127.0.0.1:9", retries=0, timeout=5.0)  # nobody answers there
            LitellmClient(model, settings)(ModelRequest("", "", (Turn("user", "x"),), 1))
        os.write(writing, "\n".join(sorted(set(sys.modules) - before)).encode())
    finally:
        os._exit(0)
