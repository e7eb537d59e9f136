"""What shell commands do to files, step by step: through their programs, arguments and redirections."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from posixpath import join, normpath

from msgspec import Struct, field

from compactor_cli.features.work.checks import find_check
from compactor_cli.features.work.code_files import patched_files, written_files
from compactor_cli.features.work.git_files import folder_option, git_actions, plain_operands, without_global_options
from compactor_cli.features.work.programs import SCRIPT_RUNNER, without_prefixes
from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.clean import both_ends
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, operands, parse_steps, word_set

Action = tuple[str, str]
"""(path, what is done to it)."""

_CHECK_ACTION = (".", "checked")
_FILE_HINT = compiled_later(
    r">|\b(?:g?sed|perl|ruby|tee|rm|unlink|mv|cp|touch|git|patch|apply_?patch|cat|head|tail|less|nl)\b|write|open\("
    r"|\*\*\* Begin Patch"
)
"""What every command line that affects a file contains."""
_NOT_A_FILE = compiled_later(r"^/dev/|[*?$`{}\n\x00|<>;\"'&!]|^(?![A-Za-z]:[\\/])[^/]*:|(?:^|/)\.+/?$|[,:]$|^[\W\d_]+$")
"""Words that are not paths: devices, patterns and variables, URLs and remote places (`host:path`), code."""
_NAMED_FILE = compiled_later(r"/|\.[A-Za-z]|^[A-Z][A-Za-z]{3}")
"""A word that is clearly a file to write to. Other words (`size > limit`) may be code in another language."""
_WRITERS = word_set("cat echo printf jq sort grep sed awk")
_READERS = word_set("cat head tail less nl")
_EXTENSION = compiled_later(r"\.\w+$")
_CODE_PROGRAM = compiled_later(r"(?:python[\d.]*|py|node)$")
_COMPLAINT = compiled_later(
    r"^(?:\S*sh: (?:line \d+: )?|\(eval\):\S* |(?:sed|perl|rm|mv|cp|tee|touch|patch): |error: pathspec ).*$",
    re.MULTILINE,
)
"""How a shell and its programs report what they could not do."""
_FOLDER_MISSING = compiled_later(
    r"^.{0,40}\bcd:(?:\d+:)? .*(?:no such|not a dir|can't cd)", re.MULTILINE | re.IGNORECASE
)
_SEARCHED_CHARS = 4_000
"""Characters at each end of an output that are searched for these reports."""


class _LineState(Struct):
    """What is known about a command line, step by step."""

    steps: Sequence[Step]
    seen_words: set[str] = field(default_factory=set)
    """Words of the steps so far; files that they name existed."""
    folder: str = ""
    """The folder in which the steps run; "" for the folder in which the line runs."""
    created_folders: set[str] = field(default_factory=set)
    """Folders that the line created, into which it may move files."""
    documents: dict[str, str] = field(default_factory=dict)
    """File name -> here-document that was written to it."""
    _first_check: int = -1

    @property
    def first_check(self) -> int:
        """Return the number of the first step that is a check, or the number of steps if there is none."""
        if self._first_check < 0:
            checks = (index for index, step in enumerate(self.steps) if _is_check(step))
            self._first_check = next(checks, len(self.steps))
        return self._first_check


def shell_actions(command: str, failed_output: str | None = None) -> list[Action]:
    """Return what a command line does to files, in order. `written` means that the file was created with it, as far
    as it shows. `failed_output`: the output of a line that failed; then only the steps before the failure count."""
    found: Iterable[tuple[int, str, str]] = _actions_by_step(command)
    if found and failed_output is not None:
        found = _finished_actions(found, parse_steps(command), failed_output)
    actions = [(path, action) for _, path, action in found]
    last = dict(actions)
    temporary = {path for path, action in actions if action == "written" and last[path] == "deleted"}
    return [(path, action) for path, action in actions if path not in temporary]


@cache_by_text
def _actions_by_step(command: str) -> tuple[tuple[int, str, str], ...]:
    """Return (number of the step, path, action) for each action of a command line."""
    if _FILE_HINT.search(command) is None:
        return ()
    line = _LineState(parse_steps(command))
    found: list[tuple[int, str, str]] = []
    for index, step in enumerate(line.steps):
        words = without_prefixes(list(step.words))
        if found and words and found[-1][1:] != _CHECK_ACTION and _is_test(step, words, index < line.first_check):
            found.append((index, *_CHECK_ACTION))
        if step.heredoc:
            line.documents["".join(step.writes)] = step.heredoc
        found += ((index, path.removeprefix("./") or ".", action) for path, action in _step_actions(step, words, line))
        line.seen_words.update(words)
    return tuple(found)


def _finished_actions(
    found: Iterable[tuple[int, str, str]], line: Sequence[Step], output: str
) -> Iterator[tuple[int, str, str]]:
    """Yield the actions of a failed command line that took place, judging by its steps and its output."""
    output = both_ends(output, _SEARCHED_CHARS, _SEARCHED_CHARS)
    completed = set(_completed_steps(line, is_lost=_FOLDER_MISSING.search(output) is not None))
    complaints = "\n".join(_COMPLAINT.findall(output))
    for index, path, action in found:
        is_refused = len(path) > 1 and basename(path) in complaints
        if (path, action) == _CHECK_ACTION or (index in completed and not is_refused):
            yield index, path, action


def _completed_steps(line: Sequence[Step], *, is_lost: bool) -> Iterator[int]:
    """Yield the numbers of steps that were completed although the line failed. These are the steps before the last
    one, up to a check that may be what failed. The last step counts only if it wrote the output of a check.
    `is_lost`: whether the folder that the line changes to is missing."""
    last = len(line) - 1
    in_check = is_after_check = False
    for index, step in enumerate(line):
        is_check = _is_check(step)
        in_check = is_check or (in_check and line[index - 1].operator == "|")
        if index == last:
            writes = (is_check and step.writes) or (in_check and basename(step.words[0]) == "tee")
            yield from [index] if writes else []
        elif (not is_after_check or in_check) and not (index == last - 1 and step.operator == "||"):
            yield index
        is_after_check = (is_after_check or is_check or (is_lost and step.words[0] == "cd")) and step.operator not in (
            ";",
            "&",
        )


def _is_test(step: Step, words: Sequence[str], is_first: bool) -> bool:
    """Return whether a step tests what earlier steps changed. It is a check, or a script if no check ran before the
    change; otherwise that check would count as well. `is_first`: no check ran before."""
    return (is_first and SCRIPT_RUNNER.fullmatch(basename(words[0])) is not None) or _is_check(step)


def _is_check(step: Step) -> bool:
    return find_check(step) is not None


def _step_actions(step: Step, words: list[str], line: _LineState) -> Iterator[Action]:
    program = basename(words[0]) if words else ""
    find_actions = _PROGRAMS.get(program)
    if find_actions:
        yield from ((path.rstrip("/"), action) for path, action in find_actions(words, step, line) if is_file(path))
    elif program == "git":
        yield from _git_command_actions(words[1:], step, line)
    elif program == "cd" and len(words) > 1:
        line.folder = _changed_folder(line.folder, words[1])
    elif step.heredoc.lstrip().startswith("*** Begin Patch"):
        yield from patched_files(step.heredoc)
    elif _CODE_PROGRAM.match(program):
        scripts = [line.documents[word] for word in words if word in line.documents]
        code = step.heredoc or next(iter([*_option_values(words, "-c", "-e"), *scripts]), "")
        yield from ((path, action) for path, action in written_files(code) if is_file(path))
    elif program == "mkdir":
        line.created_folders.update(path.rstrip("/") for path in operands(words[1:]))
    is_certain = program in _WRITERS or step.heredoc or program == "git"
    for path in step.writes if program not in ("[[", "test") else ():
        if is_file(path) and (is_certain or _NAMED_FILE.search(path)):
            yield path, "edited" if path in line.seen_words or path in step.appends else "written"


def is_file(path: str) -> bool:
    """Return whether a word may be the path of a file."""
    return 0 < len(path) < 300 and _NOT_A_FILE.search(path) is None


def _option_values(words: Sequence[str], *options: str) -> list[str]:
    return [word for option, word in pairwise(words) if option in options]


def _sed_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    in_place = next((word for word in words[1:] if re.match(r"-[nErsuz]*i|--in-place", word)), "")
    operand_words = [word for word in operands(words[1:], ("-e", "-f", "-l", "--expression", "--file")) if word]
    if in_place == "-i" and operand_words and re.fullmatch(r"\.\w+", operand_words[0]):  # BSD: the suffix of backups
        operand_words = operand_words[1:]
    has_script_option = any(re.match(r"-[nErsuz]*[ef]$|--expression|--file", word) for word in words[1:])
    for path in operand_words if has_script_option else operand_words[1:]:
        if in_place or _EXTENSION.search(path):
            yield path, "edited" if in_place else "read"


def _perl_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    options = [word for word in words[1:] if re.match(r"-[A-Za-z\d]*[ieE]", word) and not re.match(r"-[MmI]", word)]
    if any(re.match(r"-[pnlawsE\d]*i", word) for word in options):
        scripts = [word for word in options if re.search(r"^-[pnlaws\di]*[eE]$", word)]
        yield from ((path, "edited") for path in (operands(words[1:], scripts) if scripts else ()))


def _tee_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    return ((path, "edited") for path in operands(words[1:]))


def _remove_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    return ((path, "deleted") for path in operands(words[1:]))


def _touch_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    """Yield the files that `touch` creates. If a build follows, the files may just have been marked as changed, so
    none is yielded."""
    has_build = line.first_check < len(line.steps)
    paths = [] if has_build else operands(words[1:], ("-d", "-t", "-r", "--date", "--reference"))
    return ((path, "created") for path in paths)


def _show_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    value_options = ("-n", "-c") if basename(words[0]) in ("head", "tail") else ()
    return ((path, "read") for path in operands(words[1:], value_options) if _EXTENSION.search(path))


def _move_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    """Yield the actions of `mv` and `cp`. With several files, or a folder as the target, each file keeps its name
    there."""
    target_folders = _option_values(words, "-t", "--target-directory")
    operand_words = operands(words[1:], ("-t", "--target-directory", "-S", "--suffix"))
    sources, target = (
        (operand_words, target_folders[0])
        if target_folders
        else (operand_words[:-1], operand_words[-1] if operand_words else "")
    )
    is_move = basename(words[0]) == "mv"
    into_folder = (
        target_folders
        or len(sources) > 1
        or target.rstrip("/") in line.created_folders
        or re.search(r"/$|(?:^|/)\.{1,2}$", target)
    )
    yield from ((path, "deleted" if is_move else "read") for path in sources)
    for path in sources:
        name = basename(path.rstrip("/"))
        if into_folder and name not in (".", ".."):
            yield f"{target.rstrip('/')}/{name}", "created"
        elif not into_folder and not _may_be_folder(target, name):
            yield target, "edited" if target in line.seen_words else "created"


def _may_be_folder(target: str, name: str) -> bool:
    """Return whether a target may be the folder of the file: the target has no extension, but the file has one."""
    target_name = basename(target)
    return "." not in target_name and _EXTENSION.search(name) is not None and not name.startswith(target_name)


def _patch_actions(words: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    """Yield the changes of a patch that is in the command line, as a here-document or an argument."""
    if not any(word in ("--dry-run", "--check", "--stat", "--numstat", "--summary", "--cached") for word in words):
        for text in ([step.heredoc] if step.heredoc else list(line.documents.values())) or words[1:]:
            yield from patched_files(text)
        line.documents.clear()  # a patch is applied only once


def _git_command_actions(arguments: list[str], step: Step, line: _LineState) -> Iterator[Action]:
    words = without_global_options(arguments)
    verb = words[0] if words else ""
    actions: Iterator[Action] = iter(())
    if verb == "rm" and "--cached" not in words:
        actions = ((path, "deleted") for path in plain_operands(words[1:]))
    elif verb == "mv":
        actions = _move_actions(words, step, line)
    elif verb in ("apply", "am"):
        actions = _patch_actions(words, step, line)
    yield from ((path.rstrip("/"), action) for path, action in actions if is_file(path))
    folder = _changed_folder(line.folder, folder_option(arguments))
    folder = normpath(folder) if folder else ""
    for path, action in git_actions(words):
        yield from [(folder, "inside")] if folder else []
        yield path, action


def _changed_folder(folder: str, target: str) -> str:
    """Return the folder after changing to `target` from another one."""
    return target if target.startswith(("~", "$")) else join(folder, target)


_PROGRAMS: dict[str, Callable[[list[str], Step, _LineState], Iterator[Action]]] = {
    "sed": _sed_actions,
    "gsed": _sed_actions,
    "perl": _perl_actions,
    "ruby": _perl_actions,
    "tee": _tee_actions,
    "rm": _remove_actions,
    "unlink": _remove_actions,
    "touch": _touch_actions,
    "mv": _move_actions,
    "cp": _move_actions,
    "patch": _patch_actions,
    "apply_patch": _patch_actions,
    "applypatch": _patch_actions,
    **dict.fromkeys(_READERS, _show_actions),
}
"""Program -> function that finds the files it affects."""
