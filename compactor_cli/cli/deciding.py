"""The command line's side of --decisions: read a decisions file and match it with the session it applies to."""

from __future__ import annotations

from msgspec import Struct

from compactor_cli.cli.files import read_text
from compactor_cli.cli.session import Session
from compactor_cli.configuration.layers import Layer, Origin, SettingValue
from compactor_cli.errors import InputError
from compactor_cli.model.decisions import Decided, Decisions, MessageKey
from compactor_cli.model.transcript import Source

_MAX_NAMED = 5


class DecisionsFile(Struct, frozen=True):
    """Decisions, and the file that contains them."""

    path: str
    decisions: Decisions

    def of(self, session: Session, source: Source) -> tuple[Decided, ...]:
        """Return the decisions on each conversation. Raises InputError if a message is no longer the one decided on."""
        from compactor_cli.pipeline.decision_files import match_decisions

        matched = match_decisions(self.decisions, source)
        if matched.unmatched:
            raise InputError(
                f"{lost_phrase(matched.unmatched)} of {source.path}, which has changed since; decide again: compactor "
                f"browse {source.path} --decisions {self.path}",
                path=self.path,
            )
        if matched.changed:
            session.say(
                f"note: {self.path}: the session has changed since the decisions were made (it had "
                f"{self.decisions.messages} messages and now has {source.message_count}), but the messages they are "
                "about are the same"
            )
        return matched.for_source(source)


def read_decisions(path: str) -> DecisionsFile | None:
    """Return the decisions in a file, or None if no file is named. Raises InputError."""
    if not path:
        return None
    from compactor_cli.pipeline.decision_files import read_decisions

    return DecisionsFile(path, read_decisions(read_text(path), path))


def with_aim(overrides: Layer, file: DecisionsFile | None) -> Layer:
    """Return the settings that options set, completed with the target and strategy of the decisions."""
    if file is None:
        return overrides
    aim, origin = file.decisions.aim, Origin("decisions", file.path)
    filled = dict(overrides)
    if not {"target_tokens", "target_ratio"} & set(overrides):
        # the decisions may have no target; then the target of settings files does not apply either
        targets = {"target_tokens": aim.target_tokens, "target_ratio": aim.target_ratio}
        filled |= {name: SettingValue(value, origin) for name, value in targets.items()}
    if aim.strategy:
        filled.setdefault("strategy", SettingValue(aim.strategy, origin))
    return filled


def lost_phrase(lost: tuple[MessageKey, ...]) -> str:
    names = [f"{s.message} of conversation {s.conversation}" if s.conversation else str(s.message) for s in lost]
    listed = ", ".join(names[:_MAX_NAMED]) + (f" and {len(names) - _MAX_NAMED} more" if len(names) > _MAX_NAMED else "")
    return f"was saved for messages other than {listed}"
