"""Run the commands on mutated files, and check their exit codes and outputs."""

from __future__ import annotations

import hashlib
import io
import json
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from compactor_cli import api
from compactor_cli.cli.app import app
from compactor_cli.errors import CompactorError
from compactor_cli.strategies import STRATEGIES
from tests.fuzz.mutations import mutate

ALLOWED = (0, 3, 4)
LARGEST = 400_000
"""Maximum bytes of a file. A longer one takes more time and shows no more."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A command that ended in a way it must not, or an output that is wrong."""

    case: int
    done: str
    """The mutations."""
    command: str
    what: str
    data: bytes


@dataclass(slots=True)
class Hunt:
    """The results of a run."""

    codes: Counter[int] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


def run(*args: object) -> tuple[int, str]:
    """Run a command in this process, and return its exit code and what it reported about a bug."""
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogateescape")
    err = io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            app([str(arg) for arg in args], standalone_mode=True)
        except SystemExit as ended:
            code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
        except BaseException:  # any exception that gets here is a finding
            return 70, traceback.format_exc()
        else:
            code = 0
    said = err.getvalue()
    return code, said[:1500] + " … " + said[-1500:] if code not in ALLOWED else ""


def hunt(files: Sequence[Path], folder: Path, numbers: Sequence[int], seed: int) -> Hunt:
    """Mutate a file for each number, and check what the commands do with it. A number and a seed identify a case."""
    seen = Hunt()
    for number in numbers:
        _case(files, folder, number, seed, seen)
    return seen


def _case(files: Sequence[Path], folder: Path, number: int, seed: int, seen: Hunt) -> None:
    random = Random(f"{seed}:{number}")
    data = random.choice(files).read_bytes()
    done, mutated = mutate(random, data, random.choice(files).read_bytes())
    before, after = folder / "before.jsonl", folder / "after.jsonl"
    before.write_bytes(mutated)
    after.unlink(missing_ok=True)
    strategy = random.choice([*STRATEGIES, "adaptive", "adaptive", "tiered"])
    aim = random.choice((["--target-ratio", 0.25], ["--target-ratio", 0.05], ["--target-tokens", 400], []))
    skip = ["--skip-damaged"] if random.random() < 0.3 else []
    looks = [["score", "--json"], ["inspect"], ["inspect", "--json"], ["score"]]
    look = random.choice(looks)

    def command(*args: object) -> int:
        args = (*args, "--tokenizer", "chars")
        code, said = run(*args)
        seen.codes[code] += 1
        if code not in ALLOWED:
            seen.findings.append(Finding(number, done, " ".join(map(str, args)), f"exit {code}: {said}", mutated))
        return code

    command(look[0], before, *look[1:], *skip)
    compacting = ("compact", before, "-o", after, "--strategy", strategy, *aim, *skip, "--report", folder / "report")
    if command(*compacting) != 0:
        return
    if command("inspect", after, "--json") == 0:
        if random.random() < 0.3:
            command("diff", before, after, *skip)
        if (wrong := _wrong(after)) is not None:
            seen.findings.append(Finding(number, done, " ".join(map(str, compacting)), wrong, mutated))
    elif seen.codes[3] and (not seen.findings or seen.findings[-1].case != number):
        what = "the output cannot be read again: " + _refusal(after)
        seen.findings.append(Finding(number, done, " ".join(map(str, compacting)), what, mutated))


def _refusal(file: Path) -> str:
    try:
        api.load(file.read_bytes(), str(file), tokenizer="chars")
    except CompactorError as error:
        return str(error)
    return ""


def _wrong(after: Path) -> str | None:
    """Return what is wrong with an output: every record must be JSON."""
    output = api.load(after.read_bytes(), tokenizer="chars")
    try:
        for transcript in output.transcripts:
            for record in range(len(transcript.records)):
                json.loads(transcript.raw(record))
    except ValueError as error:
        return f"a record of the output is no JSON: {error}"
    return None


def keep(findings: Sequence[Finding], folder: Path) -> None:
    """Write the files that led to findings, so that they can be examined."""
    folder.mkdir(parents=True, exist_ok=True)
    for finding in findings:
        name = f"{finding.case}-{hashlib.sha256(finding.data).hexdigest()[:8]}"
        (folder / f"{name}.jsonl").write_bytes(finding.data)
        (folder / f"{name}.txt").write_text(f"{finding.done}\n{finding.command}\n{finding.what}\n", encoding="utf-8")
