"""The model's server as a separate process, and the command that asks it."""

from __future__ import annotations

import selectors
import subprocess
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from tests import drawing
from tests.builders import ROOT
from tests.warm import WarmProcess, close_shared

PATIENCE = 120
"""Seconds within which the server must answer."""
_PYTHON = ROOT / ".venv-llm" / "bin" / "python"
_FORKING = WarmProcess("tests.llm.warm")
_SUMMARY_TOKENS = 110
"""The minimum for a summary with seven headings. Longer ones take more time and are no better."""


def pytest_addoption(parser):
    drawing.add_option(parser)


def pytest_configure(config):
    drawing.configure(config)


def pytest_unconfigure():
    _FORKING.close()
    close_shared()


class Server:
    """The model's server, after it has begun to answer."""

    def __init__(self, address):
        self.address = address

    @property
    def work(self):
        """Tokens read and written so far. Every request adds to them."""
        lines = _get(f"{self.address}/metrics").decode().splitlines()
        counts = dict(line.split(" ", 1) for line in lines if not line.startswith("#"))
        return sum(int(float(counts[f"llamacpp:{name}_total"])) for name in ("prompt_tokens", "tokens_predicted"))


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    if not _PYTHON.is_file():
        pytest.exit(f"{_PYTHON.relative_to(ROOT)} is missing: run these tests with `make test-llm`", returncode=1)
    log = tmp_path_factory.mktemp("server") / "log.txt"
    with log.open("wb") as errors:
        process = subprocess.Popen(
            [_PYTHON, Path(__file__).parent / "serve.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
        )
    with process:
        try:
            yield Server(_address(process, log))
        finally:
            process.kill()


def _address(process, log):
    """Return the address of the server as soon as it answers."""
    deadline = time.monotonic() + PATIENCE
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        said = selector.select(PATIENCE)
    address = process.stdout.readline().decode().strip() if said else ""
    while address and time.monotonic() < deadline:
        try:
            _get(f"{address}/health")
        except (URLError, OSError):
            time.sleep(0.1)
        else:
            return address
    words = log.read_text("utf-8", "replace")[-2_000:]
    return pytest.exit(f"the model's server did not answer within {PATIENCE} s; it said:\n{words}", returncode=1)


def _get(address):
    with urlopen(address, timeout=10) as response:
        return response.read()


def compactor(server, folder, *args, cache):
    """Run `compactor ARGS...` in a folder, with the model set in the environment and answers cached in `cache`."""
    return _FORKING.run(
        *args,
        cwd=folder,
        timeout=300,
        HOME=str(folder),
        XDG_CACHE_HOME=str(cache),
        XDG_CONFIG_HOME=str(folder),
        COMPACTOR_LLM_MODEL="openai/smollm2",
        COMPACTOR_LLM_API_BASE=f"{server.address}/v1",
        COMPACTOR_LLM_SUMMARY_TOKENS=str(_SUMMARY_TOKENS),
        OPENAI_API_KEY="none",
        NO_PROXY="*",
    )
