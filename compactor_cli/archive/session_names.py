"""What a session is called in the archive, so that its rounds are found together."""

from __future__ import annotations

import hashlib

from compactor_cli.archive.manifest import session_names
from compactor_cli.model.archived import Manifest, Round
from compactor_cli.model.transcript import Source

_LONGEST = 200
"""Characters of a session id that are kept as they are."""


def session_keys(source: Source) -> tuple[str, ...]:
    """Return keys of the conversations of a file whose format gives them an id."""
    pairs = zip(source.transcripts, session_names(source), strict=True)
    return tuple(id_key(transcript.format, name) for transcript, name in pairs if name)


def id_key(format: str, session: str) -> str:
    """Return the key of a session whose format gives it an id."""
    if len(session) > _LONGEST:  # an index takes no more
        session = hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()
    return f"id:{format}:{session}"


def content_key(manifest: Manifest, round: Round) -> str:
    """Return the key of a session that has no id and that nothing is known of: the content it begins with."""
    number = f"#{round.conversation}" if round.conversation else ""
    return f"content:{manifest.input.sha256}{number}"
