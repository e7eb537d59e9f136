"""What the process imports that forks commands that ask a model (see `tests.warm`)."""

from __future__ import annotations

from compactor_cli.asking.port import ModelRequest, Turn
from compactor_cli.llm.litellm_client import LitellmClient, load_litellm
from compactor_cli.settings import LlmSettings
from compactor_cli.tokens.models import model_facts
from tests.warm import find_imports, import_all


def preload():
    """Import litellm, and whatever asking imports."""
    load_litellm()
    model_facts("gpt-4o-mini")
    import_all(find_imports(_ask))


def begin():
    """Load litellm again, which takes no time: the variables that it sets were lost with the old environment."""
    load_litellm.cache_clear()
    load_litellm()


def _ask():
    """Ask where nobody answers, in a separate process: asking starts threads, which a process that forks must not
    have."""
    for model in ("openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"):
        settings = LlmSettings(api_base="http://127.0.0.1:9", retries=0, timeout=5.0)
        LitellmClient(model, settings)(ModelRequest("", "", (Turn("user", "x"),), 1))
