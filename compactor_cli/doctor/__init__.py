"""Find and fix what keeps a session from being resumed or sent. A new check is a class and a line in CHECKS."""

from __future__ import annotations

from compactor_cli.doctor.base import Check
from compactor_cli.doctor.chains import DuplicateIds, ForeignSessions, MissingParents
from compactor_cli.doctor.content_checks import EmptyMessages, LargePictures, RejectedBlocks

CHECKS: tuple[Check, ...] = (
    MissingParents(),
    DuplicateIds(),
    ForeignSessions(),
    RejectedBlocks(),
    EmptyMessages(),
    LargePictures(),
)
