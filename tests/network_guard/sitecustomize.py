"""Keep tests off the network: this process, and each Python process that has this folder on its PYTHONPATH.

Python imports a module of this name when it starts. An attempt to reach anything but the loopback interface raises an
error. It is also recorded in the file that NETWORK_GUARD_LOG names, because the caller may swallow the error. This
module imports only what Python has loaded at its start.
"""

import os
import sys

LOG = "NETWORK_GUARD_LOG"
_ADDRESS_AT = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
    "socket.gethostbyaddr": 0,
}
"""Audit event of Python -> number of the argument that is the address."""


class NetworkForbiddenError(OSError):
    """A test tried to reach the network."""


def is_allowed(address):
    """Return whether an address is on this machine: a path, no host, or a host of the loopback interface."""
    host = address[0] if isinstance(address, tuple) and address else address
    if isinstance(host, bytes):
        host = host.decode("utf-8", "replace")
    if not isinstance(host, str) or not isinstance(address, (tuple, str, bytes)):
        return True
    return host in ("", "localhost", "::1") or host.startswith(("127.", "/", "\0"))


def watch(event, arguments):
    """The audit hook. It sees every event of the process, so it returns at once if the event is not about a socket."""
    if not event.startswith("socket.") or event not in _ADDRESS_AT:
        return
    address = arguments[_ADDRESS_AT[event]]
    if is_allowed(address):
        return
    words = f"{event} {address!r} by process {os.getpid()}: {sys.argv}"
    log = os.environ.get(LOG)
    if log:
        with open(log, "a", encoding="utf-8", errors="backslashreplace") as file:  # noqa: PTH123  # imports nothing
            file.write(words.replace("\n", " ") + "\n")
    raise NetworkForbiddenError(f"tests do not use the network: {words}")


sys.addaudithook(watch)
