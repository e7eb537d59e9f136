"""What the process imports that forks servers (see `tests.warm`), and how these start commands for each tool."""

from __future__ import annotations

import os
import sys

from compactor_cli.cli.commands.mcp import serve
from tests.warm import find_imports, import_all

PYTHON = "TEST_PYTHON"
"""A program that a server uses in place of Python when it starts a command."""


def preload():
    """Import the package mcp, and whatever a server imports."""
    import_all(find_imports(_serve_nobody))


def begin():
    """Let the commands be forked too."""
    if PYTHON in os.environ:
        sys.executable = os.environ[PYTHON]


def _serve_nobody():
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    serve([])
