"""What shell commands do to files, step by step: through their programs, arguments and redirections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from posixpath import join, normpath

from msgspec import Struct, field

from compactor_cli.features.work.checks import check_of
from compactor_cli.features.work.code_files import patched_files, written_by
from compactor_cli.features.work.git_files import folder_option, git_actions, past_options, plain_words
from compactor_cli.features.work.programs import SCRIPT_RUNNER, without_prefixes
from compactor_cli.text.cached import remembered
from compactor_cli.text.clean import both_ends
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, steps, word_set

Action = tuple[str, str]
"""(path, what is done to it)."""

_CHECKED = (".", "checked")
_SIGN = compiled_later(
    r">|\b(?:g?sed|perl|ruby|tee|rm|unlink|mv|cp|touch|git|patch|apply_?patch|cat|head|tail|less|nl)\b|write|open\("
    r"|\*\*\* Begin Patch"
)
"""What every command line that affects a file contains."""
_NO_FILE = compiled_later(r"^/dev/|[*?$`{}\n\x00|<>;\"'&!]|^(?![A-Za-z]:[\\/])[^/]*:|(?:^|/)\.+/?$|[,:]$|^[\W\d_]+$")
"""Words that are not paths: devices, patterns and variables, URLs and remote places (`host:path`), code."""
_NAMED_FILE = compiled_later(r"/|\.[A-Za-z]|^[A-Z][A-Za-z]{3}")
"""A word that is clearly a file to write to. Other words (`size > limit`) may be code in another language."""
_WRITERS = word_set("cat echo printf jq sort grep sed awk")
_READERS = word_set("cat head tail less nl")
_ENDING = compiled_later(r"\.\w+$")
_CODE = compiled_later(r"(?:python[\d.]*|py|node)$")
_COMPLAINT = compiled_later(
    r"^(?:\S*sh: (?:line \d+: )?|\(eval\):\S* |(?:sed|perl|rm|mv|cp|tee|touch|patch): |error: pathspec ).*$",
    re.MULTILINE,
)
"""How a shell and its programs report what they could not do."""
_NO_FOLDER = compiled_later(r"^.{0,40}\bcd:(?:\d+:)? .*(?:no such|not a dir|can't cd)", re.MULTILINE | re.IGNORECASE)
_HEAD = 4_000
"""Characters at each end of an output that are searched for these reports."""


class _Line(Struct):
    """What is known about a command line, step by step."""

    steps: Sequence[Step]
    said: set[str] = field(default_factory=set)
    """Words of the steps so far; files that they name existed."""
    folder: str = ""
    """The folder in which the steps run; "" for the folder in which the line runs."""
    folders: set[str] = field(default_factory=set)
    """Folders that the line created."""
    documents: dict[str, str] = field(default_factory=dict)
    """File name -> here-document that was written to it."""
    _first_check: int = -1

    @property
    def first_check(self) -> int:
        """Return the number of the first step that is a check, or the number of steps if there is none."""
        if self._first_check < 0:
            checks = (at for at, step in enumerate(self.steps) if _is_check(step))
            self._first_check = next(checks, len(self.steps))
        return self._first_check


def shell_actions(command: str, failed_with: str | None = None) -> list[Action]:
    """Return what a command line does to files, in order. `written` means that the file was created with it, as far
    as it shows. `failed_with`: the output of a line that failed; then only the steps before the failure count."""
    found: Iterable[tuple[int, str, str]] = _by_step(command)
    if found and failed_with is not None:
        found = _before_failure(found, steps(command), failed_with)
    actions = [(path, action) for _, path, action in found]
    last = dict(actions)
    passing = {path for path, action in actions if action == "written" and last[path] == "deleted"}
    return [(path, action) for path, action in actions if path not in passing]


@remembered
def _by_step(command: str) -> tuple[tuple[int, str, str], ...]:
    """Return (number of the step, path, action) for each action of a command line."""
    if _SIGN.search(command) is None:
        return ()
    line = _Line(steps(command))
    found: list[tuple[int, str, str]] = []
    removing: set[int] = set()
    for at, step in enumerate(line.steps):
        words = without_prefixes(list(step.words))
        if found and words and found[-1][1:] != _CHECKED and _tells(step, words, at < line.first_check):
            found.append((at, *_CHECKED))
        if step.document:
            line.documents["".join(step.writes)] = step.document
        found += ((at, path.removeprefix("./") or ".", did) for path, did in _step_actions(step, words, line))
        if words and basename(words[0]) == "rm":
            removing.add(at)
        line.said.update(words)
    made = {folder.removeprefix("./") for folder in line.folders}  # removed to start afresh, or only for this line
    return tuple((at, path, "emptied" if at in removing and path in made else did) for at, path, did in found)


def _before_failure(
    found: Iterable[tuple[int, str, str]], line: Sequence[Step], said: str
) -> Iterator[tuple[int, str, str]]:
    """Yield the actions of a failed command line that took place, judging by its steps and its output."""
    said = both_ends(said, _HEAD, _HEAD)
    done = set(_done(line, is_lost=_NO_FOLDER.search(said) is not None))
    refused = "\n".join(_COMPLAINT.findall(said))
    for at, path, action in found:
        is_refused = len(path) > 1 and basename(path) in refused
        if (path, action) == _CHECKED or (at in done and not is_refused):
            yield at, path, action


def _done(line: Sequence[Step], *, is_lost: bool) -> Iterator[int]:
    """Yield the numbers of steps that were completed although the line failed. These are the steps before the last
    one, up to a check that may be what failed. The last step counts only if it wrote the output of a check.
    `is_lost`: whether the folder that the line changes to is missing."""
    last = len(line) - 1
    checking = checked = False
    for at, step in enumerate(line):
        checks = _is_check(step)
        checking = checks or (checking and line[at - 1].after == "|")
        if at == last:
            writes = (checks and step.writes) or (checking and basename(step.words[0]) == "tee")
            yield from [at] if writes else []
        elif (not checked or checking) and not (at == last - 1 and step.after == "||"):
            yield at
        checked = (checked or checks or (is_lost and step.words[0] == "cd")) and step.after not in (";", "&")


def _tells(step: Step, words: Sequence[str], is_first: bool) -> bool:
    """Return whether a step tests what earlier steps changed. It is a check, or a script if no check ran before the
    change; otherwise that check would count as well. `is_first`: no check ran before."""
    return (is_first and SCRIPT_RUNNER.fullmatch(basename(words[0])) is not None) or _is_check(step)


def _is_check(step: Step) -> bool:
    return check_of(step) is not None


def _step_actions(step: Step, words: list[str], line: _Line) -> Iterator[Action]:
    program = basename(words[0]) if words else ""
    find = _PROGRAMS.get(program)
    if find:
        yield from ((path.rstrip("/"), did) for path, did in find(words, step, line) if is_file(path))
    elif program == "git":
        yield from _git(words[1:], step, line)
    elif program == "cd" and len(words) > 1:
        line.folder = _gone_to(line.folder, words[1])
    elif step.document.lstrip().startswith("*** Begin Patch"):
        yield from patched_files(step.document)
    elif _CODE.match(program):
        scripts = [line.documents[word] for word in words if word in line.documents]
        code = step.document or next(iter([*_values(words, "-c", "-e"), *scripts]), "")
        yield from ((path, did) for path, did in written_by(code) if is_file(path))
    elif program == "mkdir":
        line.folders.update(path.rstrip("/") for path in operands(words[1:]))
    sure = program in _WRITERS or step.document or program == "git"
    for path in step.writes if program not in ("[[", "test") else ():
        if is_file(path) and (sure or _NAMED_FILE.search(path)):
            yield path, "edited" if path in line.said or path in step.appends else "written"


def is_file(path: str) -> bool:
    """Return whether a word may be the path of a file."""
    return 0 < len(path) < 300 and _NO_FILE.search(path) is None


def _values(words: Sequence[str], *options: str) -> list[str]:
    return [word for before, word in pairwise(words) if before in options]


def _sed(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    in_place = next((word for word in words[1:] if re.match(r"-[nErsuz]*i|--in-place", word)), "")
    plain = [word for word in operands(words[1:], ("-e", "-f", "-l", "--expression", "--file")) if word]
    if in_place == "-i" and plain and re.fullmatch(r"\.\w+", plain[0]):  # BSD: the suffix of backups
        plain = plain[1:]
    scripted = any(re.match(r"-[nErsuz]*[ef]$|--expression|--file", word) for word in words[1:])
    for path in plain if scripted else plain[1:]:
        if in_place or _ENDING.search(path):
            yield path, "edited" if in_place else "read"


def _perl(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    options = [word for word in words[1:] if re.match(r"-[A-Za-z\d]*[ieE]", word) and not re.match(r"-[MmI]", word)]
    if any(re.match(r"-[pnlawsE\d]*i", word) for word in options):
        scripts = [word for word in options if re.search(r"^-[pnlaws\di]*[eE]$", word)]
        yield from ((path, "edited") for path in (operands(words[1:], scripts) if scripts else ()))


def _tee(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    return ((path, "edited") for path in operands(words[1:]))


def _remove(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    return ((path, "deleted") for path in operands(words[1:]))


def _touch(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    """Yield the files that `touch` creates. If a build follows, the files may just have been marked as changed, so
    none is yielded."""
    builds = line.first_check < len(line.steps)
    paths = [] if builds else operands(words[1:], ("-d", "-t", "-r", "--date", "--reference"))
    return ((path, "created") for path in paths)


def _show(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    valued = ("-n", "-c") if basename(words[0]) in ("head", "tail") else ()
    return ((path, "read") for path in operands(words[1:], valued) if _ENDING.search(path))


def _move(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    """Yield the actions of `mv` and `cp`. With several files, or a folder as the target, each file keeps its name
    there."""
    into = _values(words, "-t", "--target-directory")
    plain = operands(words[1:], ("-t", "--target-directory", "-S", "--suffix"))
    sources, target = (plain, into[0]) if into else (plain[:-1], plain[-1] if plain else "")
    moves = basename(words[0]) == "mv"
    folder = into or len(sources) > 1 or target.rstrip("/") in line.folders or re.search(r"/$|(?:^|/)\.{1,2}$", target)
    yield from ((path, "deleted" if moves else "read") for path in sources)
    for path in sources:
        name = basename(path.rstrip("/"))
        if folder and name not in (".", ".."):
            yield f"{target.rstrip('/')}/{name}", "created"
        elif not folder and not _may_be_folder(target, name):
            yield target, "edited" if target in line.said else "created"


def _may_be_folder(target: str, name: str) -> bool:
    """Return whether a target may be the folder of the file: the target has no extension, but the file has one."""
    own = basename(target)
    return "." not in own and _ENDING.search(name) is not None and not name.startswith(own)


def _patch(words: list[str], step: Step, line: _Line) -> Iterator[Action]:
    """Yield the changes of a patch that is in the command line, as a here-document or an argument."""
    if not any(word in ("--dry-run", "--check", "--stat", "--numstat", "--summary", "--cached") for word in words):
        for text in ([step.document] if step.document else list(line.documents.values())) or words[1:]:
            yield from patched_files(text)
        line.documents.clear()  # a patch is applied only once


def _git(arguments: list[str], step: Step, line: _Line) -> Iterator[Action]:
    words = past_options(arguments)
    verb = words[0] if words else ""
    found: Iterator[Action] = iter(())
    if verb == "rm" and "--cached" not in words:
        found = ((path, "deleted") for path in plain_words(words[1:]))
    elif verb == "mv":
        found = _move(words, step, line)
    elif verb in ("apply", "am"):
        found = _patch(words, step, line)
    yield from ((path.rstrip("/"), action) for path, action in found if is_file(path))
    folder = _gone_to(line.folder, folder_option(arguments))
    folder = normpath(folder) if folder else ""
    for path, action in git_actions(words):
        yield from [(folder, "inside")] if folder else []
        yield path, action


def _gone_to(folder: str, target: str) -> str:
    """Return the folder after changing to `target` from another one."""
    return target if target.startswith(("~", "$")) else join(folder, target)


_PROGRAMS: dict[str, Callable[[list[str], Step, _Line], Iterator[Action]]] = {
    "sed": _sed,
    "gsed": _sed,
    "perl": _perl,
    "ruby": _perl,
    "tee": _tee,
    "rm": _remove,
    "unlink": _remove,
    "touch": _touch,
    "mv": _move,
    "cp": _move,
    "patch": _patch,
    "apply_patch": _patch,
    "applypatch": _patch,
    **dict.fromkeys(_READERS, _show),
}
"""Program -> function that finds the files it affects."""
