"""The guard that keeps tests off the network, here and in processes that tests start."""

from __future__ import annotations

import socket
import subprocess
import sys
from functools import partial

import pytest

from tests.builders import clean_environment
from tests.network_guard.sitecustomize import is_allowed

# the guard may have been loaded when this process started, as a module of another name
FORBIDDEN = partial(pytest.raises, OSError, match="do not use the network")
PROBE = """
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=1)
except OSError as error:
    print(type(error).__name__)
"""


def attempts(log):
    """What was noted so far; it is forgotten, so that the test does not fail for it."""
    noted = log.read_text()
    log.unlink()
    return noted


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80, 0, 0)])
def test_a_connection_to_elsewhere_raises_and_is_noted(address, network_log):
    family = socket.AF_INET6 if len(address) == 4 else socket.AF_INET
    with socket.socket(family) as client, FORBIDDEN():
        client.connect(address)
    assert address[0] in attempts(network_log)


def test_looking_up_a_name_raises_and_is_noted(network_log):
    with FORBIDDEN():
        socket.getaddrinfo("example.com", 443)
    assert "socket.getaddrinfo 'example.com'" in attempts(network_log)


def test_a_datagram_to_elsewhere_raises_and_is_noted(network_log):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client, FORBIDDEN():
        client.sendto(b"hello", ("192.0.2.1", 53))
    assert "socket.sendto" in attempts(network_log)


def test_a_process_that_a_test_starts_is_guarded_though_it_swallows_the_error(network_log):
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, env=clean_environment(), timeout=60, check=True
    )
    assert done.stdout.decode().strip() == "NetworkForbiddenError"
    assert "192.0.2.1" in attempts(network_log)


def test_a_test_that_leaves_an_attempt_behind_fails(pytestconfig, tmp_path):
    """The whole way: another run of pytest, whose one test swallows the error."""
    (tmp_path / "conftest.py").write_text("from tests.conftest import network_log, no_network\n")
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    exec({PROBE!r})\n")
    # in a folder of its own it does not tidy up after other runs, which may take minutes
    alone = ["-p", "no:cacheprovider", "--basetemp", str(tmp_path / "inner")]
    command = [sys.executable, "-m", "pytest", "-q", *alone, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, env=clean_environment(), cwd=tmp_path, timeout=60, check=False)
    assert b"the network was used" in done.stdout


@pytest.mark.parametrize(
    "address",
    ["/run/some.socket", b"/run/some.socket", "", "localhost", ("127.0.0.1", 80), ("127.8.9.1", 1), ("::1", 80, 0, 0)],
)
def test_this_machine_is_allowed(address):
    assert is_allowed(address)


@pytest.mark.parametrize("address", ["example.com", b"example.com", ("0.0.0.0", 80), ("10.0.0.1", 80), ("host", 80)])
def test_all_else_is_not(address):
    assert not is_allowed(address)


def test_a_connection_on_this_machine_works():
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        assert client.getpeername() == server.getsockname()
