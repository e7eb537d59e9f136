"""Short ways to get the names, lines and values of a session."""

from __future__ import annotations

import json

from compactor_cli.features.evidence import gather_evidence
from compactor_cli.features.lines import SessionLines
from compactor_cli.features.session_text import read_session
from compactor_cli.features.term_scores import TermScores
from compactor_cli.profiles import default_profile
from tests.builders import read_records


class Told:
    """A session of OpenAI chat records, read up to its values; nothing in it is worth anything to `lines`
    but by `worth`."""

    def __init__(self, *records, worth=lambda term: 1.0, skip=frozenset(), profile=None):
        self.messages = read_records(*map(json.dumps, records))
        self.session = read_session(self.messages)
        self.evidence = gather_evidence(self.messages, self.session)
        self.values = TermScores(self.session, self.evidence, profile or default_profile())
        self.lines = SessionLines(self.session, worth, skip)

    @property
    def texts(self):
        return [self.lines.text(line) for line in range(len(self.lines))]

    def line(self, start):
        """Return the number of the first line that begins with `start`."""
        return next(line for line, text in enumerate(self.texts) if text.startswith(start))

    def term(self, name):
        """Return the number of a name that is in the session."""
        found = self.session.find_id(name)
        assert found is not None, name
        return found

    def of(self, name):
        """Return what the session shows about a name."""
        return self.evidence.mentions[self.term(name)]

    def value(self, name):
        return self.values.of(self.term(name))
