"""Find and fix what keeps a session from being resumed or sent. A new check is a function and its name in CHECKS."""

from __future__ import annotations

from compactor_cli.doctor.base import Check
from compactor_cli.doctor.chains import duplicate_ids, foreign_sessions, missing_parents
from compactor_cli.doctor.content_checks import empty_messages, large_pictures, rejected_blocks

CHECKS: tuple[Check, ...] = (
    missing_parents,
    duplicate_ids,
    foreign_sessions,
    rejected_blocks,
    empty_messages,
    large_pictures,
)
