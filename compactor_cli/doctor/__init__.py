"""Find and fix what keeps a session from being resumed or sent. A new check is a class and a line in CHECKS."""

from __future__ import annotations

from compactor_cli.doctor.base import Check
from compactor_cli.doctor.chains import Ids, Parents, Sessions
from compactor_cli.doctor.content_checks import Blocks, Empty, Pictures

CHECKS: tuple[Check, ...] = (Parents(), Ids(), Sessions(), Blocks(), Empty(), Pictures())
