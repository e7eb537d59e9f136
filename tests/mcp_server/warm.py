"""What a process imports that is to fork servers (see `tests.warm`), and what these start for each tool."""

from __future__ import annotations

import os
import sys

from compactor_cli.cli.commands.mcp import serve
from tests.warm import import_all, imported_by

PYTHON = "TEST_PYTHON"
"""A program that a server takes for Python where it starts a command."""


def preload():
    """The package mcp, and whatever a server imports."""
    import_all(imported_by(_serve_nobody))


def begin():
    """Have the commands forked as well."""
    if PYTHON in os.environ:
        sys.executable = os.environ[PYTHON]


def _serve_nobody():
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in range(3):
        os.dup2(nowhere, stream)
    serve([])
