"""Steps of commands that only look around."""

from __future__ import annotations

from compactor_cli.features.work.github_steps import is_api_look_up
from compactor_cli.features.work.programs import plain_steps
from compactor_cli.features.work.remote_steps import without_leading_options
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, parse_steps, word_set

_LOOKING_PROGRAMS = word_set(
    "cd ls cat head tail less more grep egrep rg ag find fd sed awk wc sort uniq which type test [ [[ echo printf "
    "pwd stat file du df tree diff cmp jq yq nl cut tr xargs tee true false export source . set env date sleep "
    "kill pkill ps lsof touch mkdir for curl wget whoami uname basename dirname realpath readlink strings xxd od "
    "hexdump column open man rm cp mv chmod history id time local declare return exit break continue case esac command"
)
"""Programs with which an agent looks around; if they find nothing, nothing is broken."""
_SEARCH_COMMANDS = frozenset(
    ("grep", "egrep", "rg", "ag", "fd", "find", "ls", "diff", "git grep", "git diff", "git status")
)
"""Programs that show what exists or what differs."""
GIT_LOOKING_VERBS = word_set("status log show diff branch rev-parse ls-files blame grep remote fetch config merge-base")
_LOOKING_WORD = compiled_later(
    r"-{0,2}(?:search|list|ls|view|show|status|info|get|describe|logs?|inspect|help|capture|checks|version)(?:-|$)"
)
_INTERPRETER = compiled_later(r"python[\d.]*|node|bun|ruby|perl|php|deno|psql|sqlite3|mysql")


def is_only_looking(command: str) -> bool:
    """Return whether a command line only looks at something; its failure means that there was nothing to find."""
    return all(map(is_look, plain_steps(parse_steps(command))))


def is_search(command: str) -> bool:
    """Return whether a command line searches for something; no output means that it does not exist."""
    return any(
        _SEARCH_COMMANDS & {step.words[0].rpartition("/")[2], " ".join(step.words[:2])}
        for step in plain_steps(parse_steps(command))
    )


def is_look(step: Step) -> bool:
    """Return whether a step only looks at something, or runs code written for this single call."""
    folder, _, program = step.words[0].rpartition("/")
    if folder and not folder.startswith("/"):
        return False  # a program of the project, whatever its name
    if len(step.words) > 1 and step.words[-1] == "-h":
        return True
    if program in ("kubectl", "oc") and {"rollout", "status"} <= set(step.words):
        return False  # it waits, and fails if what was started does not happen
    if program in _LOOKING_PROGRAMS or (
        program == "git" and GIT_LOOKING_VERBS & set(step.words[1 : 5 if "-C" in step.words else 3])
    ):
        return True
    if _INTERPRETER.fullmatch(program) and (step.heredoc or {"-c", "-e", "-p", "-", "--eval"} & set(step.words[1:3])):
        return True
    return is_api_look_up(step.words) or any(
        _LOOKING_WORD.match(word) for word in without_leading_options(step.words)[1:3]
    )
