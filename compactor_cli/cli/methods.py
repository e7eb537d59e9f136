"""The rows of `compactor evaluate`: our strategies, other tools by their command lines, and simple methods."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, count
from pathlib import Path

from msgspec import Struct

from compactor_cli.cli.session import Session
from compactor_cli.errors import BudgetError, InputError, UsageError
from compactor_cli.evaluation.retention.baselines import BASELINES
from compactor_cli.evaluation.retention.cases import front_bytes
from compactor_cli.evaluation.retention.measure import Method, NoOutputError
from compactor_cli.formats.loading import load
from compactor_cli.model.message import Message
from compactor_cli.model.transcript import Transcript
from compactor_cli.pipeline.run import compact
from compactor_cli.settings import Settings
from compactor_cli.text.clean import one_line
from compactor_cli.tokens.base import TokenCounter

_MAX_REASON_CHARS = 160


class Command(Struct, frozen=True):
    """Another tool: the words of its command line, containing {in}, {out} and {budget}."""

    name: str
    words: tuple[str, ...]


def methods_for(
    session: Session, strategies: Sequence[str], commands: Sequence[Command], timeout: float
) -> list[Method]:
    """Return the methods in row order: strategies, commands (each limited to `timeout` seconds), simple methods."""
    counter = session.counter
    return [
        *(strategy_method(session, name, session.settings) for name in strategies),
        *(Method(c.name, "against", partial(_run_command, c, counter=counter, timeout=timeout)) for c in commands),
        *(plain_method(name, counter) for name in BASELINES),
    ]


def strategy_method(session: Session, strategy: str, settings: Settings | None = None) -> Method:
    """Return the method for a strategy with the given settings; its target is set for each case."""
    chosen = replace(settings or Settings(), strategy=strategy, target_ratio=None)
    return Method(strategy, "strategy", partial(_compact_front, session, chosen))


def plain_method(name: str, counter: TokenCounter) -> Method:
    """Return a simple method by its name in BASELINES."""
    return Method(name, "baseline", lambda front, target: BASELINES[name](front.messages, target, counter))


def _compact_front(session: Session, settings: Settings, front: Transcript, target: int) -> Sequence[Message]:
    settings = replace(settings, target_tokens=target)
    try:
        return compact(front, session.tools(front, settings), settings).messages
    except BudgetError as error:
        raise NoOutputError(
            f"cannot be met: the smallest valid output is {error.floor / target:.2f} x the target"
        ) from None


def parse_commands(texts: Sequence[str], used_names: Collection[str]) -> list[Command]:
    """Return the commands of --against, each with a unique name. Raises UsageError for an unusable one."""
    commands: list[Command] = []
    names = set(used_names)
    for text in texts:
        name, separator, command = text.partition("::")
        try:
            words = shlex.split(command if separator else text)
        except ValueError as error:
            raise UsageError(f"--against {text!r}: {error}") from None
        if not words or not all(any(placeholder in word for word in words) for placeholder in ("{in}", "{out}")):
            raise UsageError(
                f"--against {text!r}: the command needs {{in}} and {{out}} where the files belong (and may have "
                f"{{budget}}, in tokens)"
            )
        if separator and (name in names or not name.strip()):
            raise UsageError(f"--against {text!r}: the name {name!r} is empty or already used by another row")
        name = name.strip() if separator else _free_name(Path(words[0]).name, names)
        names.add(name)
        commands.append(Command(name, tuple(words)))
    return commands


def _run_command(
    command: Command, front: Transcript, target: int, *, counter: TokenCounter, timeout: float
) -> Sequence[Message]:
    """Return the messages that a tool made of a front. Raises NoOutputError with the reason if it produced nothing."""
    with tempfile.TemporaryDirectory(prefix="compactor-") as folder:
        suffix = Path(front.path).suffix or ".jsonl"
        source, out = Path(folder) / f"in{suffix}", Path(folder) / f"out{suffix}"
        source.write_bytes(front_bytes(front))
        words = [
            word.replace("{in}", str(source)).replace("{out}", str(out)).replace("{budget}", str(target))
            for word in command.words
        ]
        try:
            _run(words, timeout)
            data = out.read_bytes()
        except OSError as error:
            raise NoOutputError(f"its output cannot be read: {error.strerror}") from None
        except NoOutputError as error:
            # the temporary folder's name differs in each run and tells nobody anything
            raise NoOutputError(str(error).replace(f"{folder}{os.sep}", "")) from None
        try:
            read = load(data, "its output", counter)
        except InputError as error:
            raise NoOutputError(one_line(str(error), _MAX_REASON_CHARS)) from None
    return [message for transcript in read.transcripts for message in transcript.messages]


def _run(words: Sequence[str], timeout: float) -> None:
    try:
        process = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # so that its child processes can be ended with it
        )
    except OSError as error:
        raise NoOutputError(f"cannot be started: {error.strerror}") from None
    with process:
        try:
            output, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            raise NoOutputError(f"not finished after {timeout:g} seconds") from None
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
    if process.returncode:
        last = (output.decode("utf-8", "replace").strip().splitlines() or [""])[-1]
        raise NoOutputError(one_line(f"exit code {process.returncode}: {last}", _MAX_REASON_CHARS).rstrip(": "))


def _free_name(name: str, used_names: Collection[str]) -> str:
    """Return the name, with a number appended if another row has it."""
    numbered_names = (f"{name}-{number}" for number in count(2))
    return next(free for free in chain([name], numbered_names) if free not in used_names)
