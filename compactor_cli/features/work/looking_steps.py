"""Steps of commands that only look around, and steps that were to change files but say that they could not."""

from __future__ import annotations

from collections.abc import Sequence

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.endings import CHANGE_FILES, complaints_of
from compactor_cli.features.work.github_steps import looks_by_api
from compactor_cli.features.work.programs import plain_steps
from compactor_cli.features.work.remote_steps import asked_of
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, steps, word_set

_LOOKING = word_set(
    "cd ls cat head tail less more grep egrep rg ag find fd sed awk wc sort uniq which type test [ [[ echo printf "
    "pwd stat file du df tree diff cmp jq yq nl cut tr xargs tee true false export source . set env date sleep "
    "kill pkill ps lsof touch mkdir for curl wget whoami uname basename dirname realpath readlink strings xxd od "
    "hexdump column open man rm cp mv chmod history id time local declare return exit break continue case esac command"
)
"""Programs with which an agent looks around; if they find nothing, nothing is broken."""
_SEARCHES = frozenset(("grep", "egrep", "rg", "ag", "fd", "find", "ls", "diff", "git grep", "git diff", "git status"))
"""Programs that show what exists or what differs."""
GIT_LOOKING = word_set("status log show diff branch rev-parse ls-files blame grep remote fetch config merge-base")
_LOOKING_WORD = compiled_later(
    r"-{0,2}(?:search|list|ls|view|show|status|info|get|describe|logs?|inspect|help|capture|checks|version)(?:-|$)"
)
_INTERPRETER = compiled_later(r"python[\d.]*|node|bun|ruby|perl|php|deno|psql|sqlite3|mysql")
_AS_ASKED = {"mkdir": "exists"}
"""Complaints that something is already as requested; they do not mean that anything is broken."""
_PARENTS = frozenset({"-p", "--parents"})
_NOT_THERE = "No such file"
"""The same for something that cannot be removed or moved because it does not exist."""


def only_looks(command: str) -> bool:
    """Return whether a command line only looks at something; its failure means that there was nothing to find."""
    return all(map(looks, plain_steps(steps(command))))


def searches(command: str) -> bool:
    """Return whether a command line searches for something; no output means that it does not exist."""
    return any(
        _SEARCHES & {step.words[0].rpartition("/")[2], " ".join(step.words[:2])} for step in plain_steps(steps(command))
    )


def looks(step: Step) -> bool:
    """Return whether a step only looks at something, or runs code written for this single call."""
    folder, _, program = step.words[0].rpartition("/")
    if folder and not folder.startswith("/"):
        return False  # a program of the project, whatever its name
    if len(step.words) > 1 and step.words[-1] == "-h":
        return True
    if program in _LOOKING or (program == "git" and GIT_LOOKING & set(step.words[1 : 5 if "-C" in step.words else 3])):
        return True
    if _INTERPRETER.fullmatch(program) and (step.document or {"-c", "-e", "-p", "-", "--eval"} & set(step.words[1:3])):
        return True
    return looks_by_api(step.words) or any(_LOOKING_WORD.match(word) for word in asked_of(step.words)[1:3])


def cannot_change(call: ToolCall, steps: Sequence[Step]) -> list[Step]:
    """Return the steps of a failed command that say that they could not change existing files."""
    if not call.failed:
        return []
    asked = [step for step in steps if basename(step.words[0]) in CHANGE_FILES]
    return [step for step in asked if any(not _is_as_asked(step, why) for why in complaints_of(step, call.said))]


def _is_as_asked(step: Step, why: str) -> bool:
    parents = not _PARENTS.isdisjoint(step.words)  # with -p, complaints are about files, not folders
    return not parents and _AS_ASKED.get(basename(step.words[0]), _NOT_THERE) in why
