"""The edge of --decisions: a file of decisions read, and held against the session that it is used on."""

from __future__ import annotations

from msgspec import Struct

from compactor_cli.cli.files import read_text
from compactor_cli.cli.session import Session
from compactor_cli.configuration.layers import Layer, Origin, SettingValue
from compactor_cli.errors import InputError
from compactor_cli.model.decisions import Decided, Decisions, Spot
from compactor_cli.model.transcript import Source

_NAMED = 5
"""Messages that an error names."""


class DecisionsFile(Struct, frozen=True):
    """Decisions, and the file that they stand in."""

    path: str
    decisions: Decisions

    def of(self, session: Session, source: Source) -> tuple[Decided, ...]:
        """Return the decisions on each conversation of a session. A session that has changed otherwise is told of;
        raises InputError where a message is not the one any more that was decided on."""
        from compactor_cli.pipeline.decision_files import match_decisions

        held = match_decisions(self.decisions, source)
        if held.lost:
            raise InputError(
                f"{lost_words(held.lost)} of {source.path}, which has changed since; decide anew: "
                f"compactor browse {source.path} --decisions {self.path}",
                path=self.path,
            )
        if held.changed:
            session.say(
                f"note: {self.path}: the session has changed since it was decided on (it had {self.decisions.messages} "
                f"messages and has {source.message_count}); the messages that were decided on are the same"
            )
        return held.of(source)


def decisions_in(path: str) -> DecisionsFile | None:
    """Return the decisions in a file; None when none is named. Raises InputError."""
    if not path:
        return None
    from compactor_cli.pipeline.decision_files import read_decisions

    return DecisionsFile(path, read_decisions(read_text(path), path))


def with_aim(overrides: Layer, file: DecisionsFile | None) -> Layer:
    """Return the settings that options set, with the target and the strategy of decisions where they name none."""
    if file is None:
        return overrides
    aim, origin = file.decisions.aim, Origin("decisions", file.path)
    filled = dict(overrides)
    if not {"target_tokens", "target_ratio"} & set(overrides):
        # no target is one as well: that of settings files is not meant
        targets = {"target_tokens": aim.target_tokens, "target_ratio": aim.target_ratio}
        filled |= {name: SettingValue(value, origin) for name, value in targets.items()}
    if aim.strategy:
        filled.setdefault("strategy", SettingValue(aim.strategy, origin))
    return filled


def lost_words(lost: tuple[Spot, ...]) -> str:
    """Return which decisions do not hold any more."""
    names = [f"{s.message} of conversation {s.conversation}" if s.conversation else str(s.message) for s in lost]
    listed = ", ".join(names[:_NAMED]) + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
    return f"was decided on other messages than {listed}"
