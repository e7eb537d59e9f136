"""Sessions of an agent at work, in a short notation."""

from __future__ import annotations

import json

from compactor_cli.features.work.state import compute_state
from tests.builders import assistant, call, calling_message, read_records, result, user


class Session:
    """Records of OpenAI chat: requests, calls with their results, answers."""

    def __init__(self, request="Please do it."):
        self.records = [user(request)]
        self._calls = 0

    def calls(self, tool, said="ok", **arguments):
        """Add a call and its result. `said=None` leaves the call unanswered."""
        self._calls += 1
        name = f"call_{self._calls}"
        self.records.append(calling_message(call(name, tool, json.dumps(arguments))))
        if said is not None:
            self.records.append(result(name, said))
        return self

    def runs(self, command, said="", tool="bash"):
        return self.calls(tool, said, command=command)

    def edits(self, path, said="The file has been updated."):
        return self.calls("Edit", said, file_path=path, old_string="a", new_string="b")

    def answers(self, text):
        self.records.append(assistant(text))
        return self

    def asks(self, text):
        self.records.append(user(text))
        return self

    @property
    def messages(self):
        return read_records(*self.records)

    def state(self, earlier=()):
        return compute_state(self.messages, earlier)

    def texts(self, kind="", earlier=()):
        """Return the texts of the state's lines, of one kind if given."""
        return [line.text for line in self.state(earlier) if kind in ("", line.kind)]


FAILS = "Exit code 1\n"
"""The beginning of the result of a failed command in some harnesses."""
