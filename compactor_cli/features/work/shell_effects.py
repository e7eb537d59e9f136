"""Steps of shell commands that act outside the session: commits, pushes, pull requests, publishing, deployment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from compactor_cli.features.work.act_identities import ADDRESS
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect, failure_text, reason
from compactor_cli.features.work.git_files import without_global_options
from compactor_cli.features.work.git_steps import git_step, title_line
from compactor_cli.features.work.github_steps import github_key, github_step
from compactor_cli.features.work.programs import HARMLESS_PROGRAMS, started_program_words, without_prefixes
from compactor_cli.features.work.remote_steps import database_script, remote_step
from compactor_cli.features.work.result_outcomes import ActOutcome, result_outcome, states_outcome
from compactor_cli.features.work.sql_effects import are_all_executed, sql_effects, sql_key
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import mask_secrets
from compactor_cli.text.shell import Step, operands, word_set

_CONCLUDED_EFFECTS = {"git commit": ("git merge", "git cherry-pick", "git revert", "git pull")}
"""Effect -> what it completes after a failed start, such as a merge with conflicts."""
_COMMIT_LINE = compiled_later(r"\[[^\]\n]+ (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.*)")
_CONFLICT = compiled_later(r"^CONFLICT |Automatic merge failed|could not apply|fatal: .*(?:merge|rebase)", re.MULTILINE)
_SERVER_ERROR = compiled_later(
    r"^HTTP/\S+ [45]\d\d\b|^curl: \(\d+\)|(?:^|\})[45]\d\d\s*\Z|"
    r"^[ \t]*\{[^{}]*\"(?:status|statusCode|status_code|code)\"\s*:\s*\"?[45]\d\d\b|"
    r"^[ \t]*\{[^{}]*\"(?:error|errors|error_code|error_description)\"\s*:\s*(?!null|false|\[\s*\]|\"\")\S",
    re.MULTILINE,
)
"""How a server says, in a status line or an object, that it did not carry out a request."""
_STATUS_VARIABLE = "_code}"
"""End of the variable with which `curl -w` prints the status."""
_PRINTED_FAILURE = compiled_later(
    r"(?:^|[^\w.])(?:[45]\d\d|000)\W*\Z|(?:(?i:http|status|code)\w*[ :=/]{1,2}|(?:^|\}))(?:[45]\d\d|000)\b[^\n]*\s*\Z",
    re.MULTILINE,
)
"""How this status stands at the end of an output if the request was not carried out."""
_NO_EFFECT_OUTPUT = {
    "git commit": compiled_later(r"^(?:nothing (?:added )?to commit|no changes added to commit)", re.MULTILINE),
    "git push": compiled_later(r"^ ! \[|failed to push|fatal: .*(?:remote|repository|upstream|push)", re.MULTILINE),
    **dict.fromkeys(("git merge", "git rebase", "git cherry-pick", "git revert", "git pull"), _CONFLICT),
    **dict.fromkeys(("curl POST", "curl PUT", "curl PATCH", "curl DELETE"), _SERVER_ERROR),
}
"""Output of commands that took no effect."""
_CONFIRMING_OUTPUT = {
    "git push": compiled_later(r"\.\.\S+\s+\S+ -> |\[new (?:branch|tag)\]|Everything up-to-date|^ \+ ", re.MULTILINE),
}
_FATAL_LINE = compiled_later(
    r"^(?:[│|] )?(?:(?:\A[\w.-]{1,20}: )?(?:[Ee]rror|ERROR|[Ff]atal|FATAL): |ERROR \d+ |npm (?:ERR!|error)|"
    r"make(?:\[\d+\])?: \*\*\* |E: |\[?ERR_PNPM|WRONGTYPE |NOAUTH |fatal: \[\S+\]: |"
    r"Traceback \(|Error from server|An error occurred \(|The \w+ \"[^\"\n]*\" is invalid\b|"
    r"Job for \S+ failed|(?:Unable to connect to|The connection to) the server\b|Unable to locate credentials)",
    re.MULTILINE,
)
"""How programs say that they gave up, when their exit code is hidden."""
_REFUSED_LINE = compiled_later(
    r"(?:[A-Za-z][\w-]* ){0,4}(?:failed|denied|unauthorized|forbidden)(?: to [^:\n]{1,60})?: "
    r"(?!\d|none\b|no\b|false\b)\S|HTTP [45]\d\d(?::|\s*\Z| \()|[X✗✘] \S"
)
"""How programs say at the end that they were refused."""
_DENIED_START = compiled_later(r"(?:denied|error|fatal): |HTTP [45]\d\d|[X✗✘] ")
"""How the last of several lines begins that says so."""
_CANCELLED_LINE = compiled_later(
    r"^(?:│ )?(?:Apply|Destroy|Edit|Update|Operation) cancell?ed(?=[.,!]|\s*$)", re.MULTILINE
)
"""How programs say that they did nothing because nobody approved, or nothing had changed."""
_NOTHING_TO_DO_OUTPUT = {"git stash": compiled_later(r"^No local changes to save", re.MULTILINE)}
"""Output when there was nothing to do."""
_MIN_SCRIPTS = 2
_MAX_LINE_CHARS = 200
"""Maximum length of a result that only states the outcome of a command."""
_HARMLESS_GIT_VERBS = word_set("add status diff log")
_TRIAL_OPTIONS = word_set("dryrun serverdryrun whatif pretend simulate validateonly checkonly generatecliskeleton help")
"""Options, without dashes, with which programs only say what they would do or what they can do."""
_FALSE_VALUES = ("none", "false", "no", "0")
_MAX_STEPS = 100
"""Number of first steps of a command to read: each is compared with the others."""
_GIT_DRY_RUN = compiled_later(r"-[^-oe]*n")
"""A group of short options without values that contains n: `git push -n`."""
_MAX_KEY_CHARS = 160
_PUSH = "git push"
_PUSH_VALUE_OPTIONS = word_set("-o --push-option --receive-pack --exec")
_PUSHED_BRANCH = compiled_later(r"^ [ +*].*? -> (\S+)$", re.MULTILINE)


def shell_effects(call: ToolCall, steps: Sequence[Step]) -> Iterator[Effect]:
    """Yield the effects of the steps of a command: done, failed or unfinished. Yield none for a finished command
    whose result leaves the outcome open. Git commands that only move to other commits have no text."""
    steps = steps[:_MAX_STEPS]
    clients = [database_script(without_prefixes(list(step.words)), step.heredoc) for step in steps]
    scripts = [script for _, script in clients if script]
    are_confirmed = len(scripts) < _MIN_SCRIPTS or are_all_executed(call.output, scripts)
    for index, step in enumerate(steps):
        client, script = clients[index]
        if script:
            alone = all(_is_harmless(other) for other in steps if other is not step)
            done = _has_taken_effect(call, steps, index, "")
            yield from (
                sql_effects(call, client, script, done=done, alone=alone) if are_confirmed or call.undecided else ()
            )
            continue
        text, key, git = _step_effect(step, steps)
        if not text and (not git or call.undecided):
            continue
        done = _has_taken_effect(call, steps, index, key)
        outcome = _one_line_outcome(call, steps, step, text) if done and not _is_confirmed(call, key) else ActOutcome()
        if outcome.kind == "waits":
            yield Effect(text, key, False, waiting_for=outcome.words)
        elif outcome.kind == "failed":
            yield Effect(text, key, False, failure_text(outcome.words))
        elif outcome.kind == "tried":
            continue
        elif done:
            yield Effect(_with_created_name(text, call.output, key), _completed_key(key, call.output), True, git=git)
        elif text and (done is False or call.undecided):
            yield Effect(
                text,
                key,
                False,
                _refusal_reason(call, key),
                is_unfinished=done is None,
            )


def _giving_up_line(output: str) -> str:
    """Return the line of an output that says that the program gave up; "" if there is none. Weaker phrases count
    only if they are the whole output or its last line."""
    if match := _FATAL_LINE.search(output):
        return _line_around(output, match.start())
    before, _, last = output.strip().rpartition("\n")
    last = last.strip()
    if before and not _DENIED_START.match(last):  # another line may report success
        return ""
    return last if _REFUSED_LINE.match(last) else ""


def _line_around(output: str, position: int) -> str:
    return output[output.rfind("\n", 0, position + 1) + 1 :].split("\n", 1)[0]


def effect_key(text: str) -> str:
    """Return the key of an effect, from its text: what a later success has to share with it."""
    if key := sql_key(text):
        return key
    return _command_key(text.split(" (", 1)[0].split())


def _command_key(words: Sequence[str]) -> str:
    """Return the key of a command from its shortened words."""
    if words[:1] == ["gh"]:
        return github_key(words)
    if words[:2] == _PUSH.split():
        return f"{_PUSH} {_branches(words[2:])}".strip()
    if words[:1] == ["git"]:
        return " ".join(words[:2])
    if words[:2] == ["docker", "push"]:
        return " ".join([*words[:2], *map(basename, words[2:])])  # the registry is what a second attempt corrects
    return one_line(" ".join(words), _MAX_KEY_CHARS)


def _completed_key(key: str, output: str) -> str:
    """Return the key of a command that took place. If only its output names what it acted on, that is added."""
    branches = dict.fromkeys(found[1] for found in _PUSHED_BRANCH.finditer(output)) if key == _PUSH else ()
    return " ".join([key, *branches])


def _branches(words: Sequence[str]) -> str:
    """Return the remote names of what `git push` sends; "" for the branch that is checked out."""
    targets = [word.lstrip("+").rpartition(":")[2] for word in operands(words, _PUSH_VALUE_OPTIONS)[1:]]
    return " ".join(name.removeprefix("refs/heads/") for name in targets if name not in ("HEAD", "@"))


def resolved_keys(key: str) -> tuple[str, ...]:
    """Return the keys of failures that a success with this key makes up for."""
    numbered = key.startswith("gh ") and key.rsplit(" ", 1)[-1].isdigit()
    return key, *((key.rsplit(" ", 1)[0],) if numbered else ()), *_CONCLUDED_EFFECTS.get(key, ())


def _has_taken_effect(call: ToolCall, steps: Sequence[Step], index: int, key: str) -> bool | None:
    """Return whether a step took effect; None if unknown. The first conclusive sign decides."""
    return next(done for is_conclusive, done in _effect_signs(call, steps, index, key) if is_conclusive)


def _effect_signs(call: ToolCall, steps: Sequence[Step], index: int, key: str) -> Iterator[tuple[object, bool | None]]:
    """Yield (sign, meaning) for everything that shows whether a step took effect; the meaning counts if the sign is
    true. The output about this step comes first, then the outcome of the whole command, then the step's position."""
    output, step, topic = call.output, steps[index], " ".join(key.split(" ", 2)[:2])
    gave_up = call.failed is None and not step.operator and _giving_up_line(output) != ""
    failed = call.failed or gave_up
    yield topic == "git commit" and _COMMIT_LINE.search(output), True  # a later `git status` prints similar lines
    yield _no_effect_sign(call, topic), False
    yield topic in _CONFIRMING_OUTPUT and _CONFIRMING_OUTPUT[topic].search(output), True
    yield topic in _NOTHING_TO_DO_OUTPUT and _NOTHING_TO_DO_OUTPUT[topic].search(output), None
    yield not call.undecided and _has_later_failure(output, steps[index:]), True
    yield call.undecided or (call.failed is not True and _CANCELLED_LINE.search(output)), None
    yield failed and all(_is_harmless(other) for other_index, other in enumerate(steps) if other_index != index), False
    yield failed, None
    yield index and steps[index - 1].operator == "||", None  # whether it ran at all depends on the previous step
    yield step.operator in (";", "|", "||") and _FATAL_LINE.search(output), None
    yield True, True


def _no_effect_sign(call: ToolCall, topic: str) -> re.Match[str] | None:
    """Return where an output says that a command of this kind took no effect."""
    pattern = _NO_EFFECT_OUTPUT.get(topic)
    found = pattern.search(call.output) if pattern else None
    is_printed = topic.startswith("curl ") and _STATUS_VARIABLE in call.command
    return found or (_PRINTED_FAILURE.search(call.output) if is_printed else None)


def _has_later_failure(output: str, steps: Sequence[Step]) -> bool:
    """Return whether a later step, which only runs if the first of these steps succeeded, reported how it failed."""
    chained = takewhile(lambda pair: pair[0].operator == "&&", pairwise(steps))
    keys = dict.fromkeys(_step_effect(step, steps)[1] for _, step in chained)
    topics = dict.fromkeys(" ".join(key.split(" ", 2)[:2]) for key in keys)
    return any(topic in _NO_EFFECT_OUTPUT and _NO_EFFECT_OUTPUT[topic].search(output) for topic in topics)


def _is_confirmed(call: ToolCall, key: str) -> bool:
    """Return whether a command confirms its effect in its own way, or its exit code does."""
    pattern = _CONFIRMING_OUTPUT.get(" ".join(key.split(" ", 2)[:2]))
    has_committed = key == "git commit" and _COMMIT_LINE.search(call.output) is not None
    return call.failed is False or has_committed or (pattern is not None and pattern.search(call.output) is not None)


def _one_line_outcome(call: ToolCall, steps: Sequence[Step], step: Step, text: str) -> ActOutcome:
    """Return the outcome stated in a one-line result of a command, if only one of its steps acts."""
    output = call.output.strip()
    alone = all(_is_harmless(other) for other in steps if other is not step)
    if not text or not alone or "\n" in output or len(output) > _MAX_LINE_CHARS or not states_outcome(output):
        return ActOutcome()
    return result_outcome(output, "", [*step.words, *(word for argument in step.words for word in argument.split())])


def _is_harmless(step: Step) -> bool:
    """Return whether a step hardly ever fails."""
    return step.words[0] in HARMLESS_PROGRAMS or (
        step.words[0] == "git" and step.words[1:2] != () and step.words[1] in _HARMLESS_GIT_VERBS
    )


def _refusal_reason(call: ToolCall, key: str) -> str:
    match = _no_effect_sign(call, " ".join(key.split()[:2]))
    line = (
        _line_around(call.output, match.start())
        if match
        else _giving_up_line(call.output)
        if call.failed is None
        else ""
    )
    return failure_text(line) if line else reason(call)


def _with_created_name(text: str, output: str, key: str) -> str:
    """Return the text of an effect with the name that the result gave to what it created."""
    if key == "git commit":
        commit = _COMMIT_LINE.search(output)
        title = (
            f' "{title_line(commit.group(2))}"' if commit and not text.endswith('"') and commit.group(2).strip() else ""
        )
        return f"{text}{title} ({commit.group(1)[:10]})" if commit else text
    if key.startswith(("gh pr create", "gh issue create", "gh release create")):
        address = ADDRESS.search(output)
        return f"{text} → {address.group()}" if address else text
    return text


def _step_effect(step: Step, steps: Sequence[Step]) -> tuple[str, str, tuple[str, ...]]:
    """Return (text, key, words of a git command) of a step; the text is "" if the step has no reported effect."""
    words = without_prefixes(list(step.words))
    if not words or _is_trial(words):
        return "", "", ()
    program = basename(words[0])
    if program == "git":
        git_words = without_global_options([mask_secrets(word) for word in words[1:]])
        text, key = git_step(git_words, steps, step)
        return text, (effect_key(text) if git_words[:1] == ["push"] else key), tuple(git_words)
    text = (
        (github_step(words) if len(words) > 2 else "")
        if program == "gh"
        else remote_step(started_program_words(words), step)
    )
    return text, effect_key(text) if text else "", ()


def _is_trial(words: Sequence[str]) -> bool:
    """Return whether a command only says what it would do, or how it is used."""
    for word in words[1:]:
        if word.startswith("-"):
            name, _, value = word.partition("=")
            if name.replace("-", "").replace("_", "").lower() in _TRIAL_OPTIONS:
                return value.lower() not in _FALSE_VALUES
    program = basename(words[0])
    if program == "git":
        git_words = without_global_options(words[1:])
        is_git_trial = git_words[:1] in (["push"], ["clean"]) and any(map(_GIT_DRY_RUN.match, git_words[1:]))
        return is_git_trial or git_words[1:2] == ["-h"]
    return words[-1] == "-h" or (program == "aws" and words[-1] == "help")
