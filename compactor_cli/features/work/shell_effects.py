"""Steps of shell commands that act outside the session: commits, pushes, pull requests, publishing, deployment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from compactor_cli.features.work.act_identities import ADDRESS
from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.command_keys import command_key, key_behind
from compactor_cli.features.work.effects import Effect, plain_key, reason, with_alike
from compactor_cli.features.work.git_files import past_options
from compactor_cli.features.work.git_steps import first_line, git_step
from compactor_cli.features.work.github_steps import github_step
from compactor_cli.features.work.http_steps import told_status
from compactor_cli.features.work.programs import program_words, without_prefixes
from compactor_cli.features.work.remote_steps import awaits, database_script, remote_step
from compactor_cli.features.work.result_outcomes import ActOutcome, is_statement, outcome_of
from compactor_cli.features.work.sql_effects import all_confirmed, sql_effects, sql_key
from compactor_cli.text.clean import one_line
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.secret_values import without_secrets
from compactor_cli.text.shell import Step, operands, word_set

_CONCLUDES = {"git commit": ("git merge", "git cherry-pick", "git revert", "git pull")}
"""Effect -> what it completes after a failed start, such as a merge with conflicts."""
_COMMITTED = compiled_later(r"\[[^\]\n]+ (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.*)")
_CONFLICT = compiled_later(r"^CONFLICT |Automatic merge failed|could not apply|fatal: .*(?:merge|rebase)", re.MULTILINE)
_ANSWERED_WITH_ERROR = compiled_later(
    r"^HTTP/\S+ [45]\d\d\b|^curl: \(\d+\)|(?:^|\})[45]\d\d\s*\Z|"
    r"^[ \t]*\{[^{}]*\"(?:status|statusCode|status_code|code)\"\s*:\s*\"?[45]\d\d\b|"
    r"^[ \t]*\{[^{}]*\"(?:error|errors|error_code|error_description)\"\s*:\s*(?!null|false|\[\s*\]|\"\")\S",
    re.MULTILINE,
)
"""How a server says, in a status line or an object, that it did not carry out a request."""
_REFUSALS = {
    "git commit": compiled_later(r"^(?:nothing (?:added )?to commit|no changes added to commit)", re.MULTILINE),
    "git push": compiled_later(r"^ ! \[|failed to push|fatal: .*(?:remote|repository|upstream|push)", re.MULTILINE),
    **dict.fromkeys(("git merge", "git rebase", "git cherry-pick", "git revert", "git pull"), _CONFLICT),
    **dict.fromkeys(("curl POST", "curl PUT", "curl PATCH", "curl DELETE"), _ANSWERED_WITH_ERROR),
}
"""Output of commands that took no effect."""
_CONFIRMED = {
    "git push": compiled_later(r"\.\.\S+\s+\S+ -> |\[new (?:branch|tag)\]|Everything up-to-date|^ \+ ", re.MULTILINE),
}
_FATAL = compiled_later(
    r"^(?:[│|] )?(?:(?:\A[\w.-]{1,20}: )?(?:[Ee]rror|ERROR|[Ff]atal|FATAL): |ERROR \d+ |npm (?:ERR!|error)|"
    r"make(?:\[\d+\])?: \*\*\* |E: |\[?ERR_PNPM|WRONGTYPE |NOAUTH |fatal: \[\S+\]: |"
    r"Traceback \(|Error from server|An error occurred \(|The \w+ \"[^\"\n]*\" is invalid\b|"
    r"Job for \S+ failed|(?:Unable to connect to|The connection to) the server\b|Unable to locate credentials)",
    re.MULTILINE,
)
"""How programs say that they gave up, when their exit code is hidden."""
_REFUSED = compiled_later(
    r"(?:[A-Za-z][\w-]* ){0,4}(?:failed|denied|unauthorized|forbidden)(?: to [^:\n]{1,60})?: "
    r"(?!\d|none\b|no\b|false\b)\S|HTTP [45]\d\d(?::|\s*\Z| \()|[X✗✘] \S"
)
"""How programs say at the end that they were refused."""
_DENIED = compiled_later(r"(?:denied|error|fatal): |HTTP [45]\d\d|[X✗✘] ")
"""How the last of several lines begins that says so."""
_CALLED_OFF = compiled_later(r"^(?:│ )?(?:Apply|Destroy|Edit|Update|Operation) cancell?ed(?=[.,!]|\s*$)", re.MULTILINE)
"""How programs say that they did nothing because nobody approved, or nothing had changed."""
_NOTHING_DONE = {"git stash": compiled_later(r"^No local changes to save", re.MULTILINE)}
"""Output when there was nothing to do."""
_TIMED_OUT = compiled_later(r"^error: timed out waiting for\b", re.MULTILINE)
_ROLLED_OUT = "successfully rolled out"
_VALUED = word_set("-n --namespace --context --kubeconfig -l --selector -f --filename --timeout")
"""Options of `rollout status` that take a value."""
_ASIDE = word_set("cd echo export source . set pwd true sleep cat tail head grep")
_SEVERAL = 2
_LINE_WIDTH = 200
"""Maximum length of a result that only states the outcome of a command."""
_GIT_ASIDE = word_set("add status diff log")
_TRIES = word_set("dryrun serverdryrun whatif pretend simulate validateonly checkonly generatecliskeleton help")
"""Options, without dashes, with which programs only say what they would do or what they can do."""
_NOT_TRIED = ("none", "false", "no", "0")
_GIT_TRIES = compiled_later(r"-[^-oe]*n")
"""A group of short options without values that contains n: `git push -n`."""


def shell_effects(call: ToolCall, steps: Sequence[Step]) -> Iterator[Effect]:
    """Yield the effects of the steps of a command: done, failed or unfinished. Yield none for a finished command
    whose result leaves the outcome open. Git commands that only move to other commits have no text."""
    clients = [database_script(without_prefixes(list(step.words)), step.document) for step in steps]
    scripts = [script for _, script in clients if script]
    sure = len(scripts) < _SEVERAL or all_confirmed(call.said, scripts)
    for at, step in enumerate(steps):
        place, script = clients[at]
        if script:
            alone = all(_is_aside(other) for other in steps if other is not step)
            done = _step_done(call, steps, at, "")
            yield from sql_effects(call, place, script, done=done, alone=alone) if sure or call.undecided else ()
            continue
        text, key, git = _step_effect(step, steps)
        if not text and (not git or call.undecided):
            continue
        well, status = (
            told_status(step, call.said) if key.startswith("curl ") and _is_only(step, steps) else (False, "")
        )
        done = well if status else _step_done(call, steps, at, key)
        came = _said_of(call, steps, step, text) if done and not status and not _is_sure(call, key) else ActOutcome()
        if came.kind == "waits":
            yield Effect(text, key, False, waits=came.said)
        elif came.kind == "failed":
            yield Effect(text, key, False, with_alike(call.said, came.said))
        elif came.kind == "tried":
            continue
        elif done:
            yield Effect(_confirmed(text, call.said, key), key_behind(key, call.said), True, git=git)
        elif text and (done is False or call.undecided):
            yield Effect(
                text, key, False, one_line(status, _LINE_WIDTH) or _refusal(call, key), unfinished=done is None
            )


def _is_only(step: Step, steps: Sequence[Step]) -> bool:
    """Return whether no other step runs the same program."""
    return sum(basename(other.words[0]) == basename(step.words[0]) for other in steps) == 1


def _gave_up(said: str) -> str:
    """Return the line of an output that says that the program gave up; "" if there is none. Weaker phrases count
    only if they are the whole output or its last line."""
    if found := _FATAL.search(said):
        return _line_at(said, found.start())
    before, _, last = said.strip().rpartition("\n")
    last = last.strip()
    if before and not _DENIED.match(last):  # another line may report success
        return ""
    return last if _REFUSED.match(last) else ""


def _line_at(said: str, place: int) -> str:
    return said[said.rfind("\n", 0, place + 1) + 1 :].split("\n", 1)[0]


def effect_key(text: str) -> str:
    """Return the key of an effect, from its text: what a later success has to share with it."""
    if key := sql_key(text):
        return key
    return command_key(text.split(" (", 1)[0].split(), plain_key(text))


def made_up_for(key: str) -> tuple[str, ...]:
    """Return the keys of failures that a success with this key makes up for."""
    numbered = key.startswith("gh ") and key.rsplit(" ", 1)[-1].isdigit()
    return key, *((key.rsplit(" ", 1)[0],) if numbered else ()), *_CONCLUDES.get(key, ())


def _step_done(call: ToolCall, steps: Sequence[Step], at: int, key: str) -> bool | None:
    """Return whether a step took effect; None if unknown. The first conclusive sign decides."""
    return next(done for tells, done in _signs(call, steps, at, key) if tells)


def _signs(call: ToolCall, steps: Sequence[Step], at: int, key: str) -> Iterator[tuple[object, bool | None]]:
    """Yield (sign, meaning) for everything that shows whether a step took effect; the meaning counts if the sign is
    true. The output about this step comes first, then the outcome of the whole command, then the step's position."""
    said, step, topic = call.said, steps[at], " ".join(key.split(" ", 2)[:2])
    gave_up = call.failed is None and not step.after and _gave_up(said) != ""
    failed = call.failed or gave_up
    if awaits(key.split()) and not call.undecided:
        timed_out = _TIMED_OUT.search(said) is not None
        yield (timed_out or not failed) and _rolled_out(key, said), True
        yield timed_out, False
        yield not failed, None
    yield topic == "git commit" and _COMMITTED.search(said), True  # a later `git status` prints similar lines
    yield topic in _REFUSALS and _REFUSALS[topic].search(said), False
    yield topic in _CONFIRMED and _CONFIRMED[topic].search(said), True
    yield topic in _NOTHING_DONE and _NOTHING_DONE[topic].search(said), None
    yield not call.undecided and _ran_on(said, steps[at:]), True
    yield call.undecided or (call.failed is not True and _CALLED_OFF.search(said)), None
    yield failed and all(_is_aside(other) for place, other in enumerate(steps) if place != at), False
    yield failed, None
    yield at and steps[at - 1].after == "||", None  # whether it ran at all depends on the previous step
    yield step.after in (";", "|", "||") and _FATAL.search(said), None
    yield True, True


def _rolled_out(key: str, said: str) -> bool:
    """Return whether an output says that the awaited rollout succeeded, by its name."""
    name = "".join(operands(key.split(), _VALUED)[3:][-1:]).rpartition("/")[2]
    named = rf"(?<![\w.-]){re.escape(name)}\W{{0,2}}" if name else ""
    return re.search(named + _ROLLED_OUT, said) is not None


def _ran_on(said: str, steps: Sequence[Step]) -> bool:
    """Return whether a later step, which only runs if the first of these steps succeeded, reported how it failed."""
    for before, step in pairwise(steps):
        if before.after != "&&":
            return False
        key = _step_effect(step, steps)[1]
        refused = _REFUSALS.get(" ".join(key.split(" ", 2)[:2]))
        if (refused and refused.search(said)) or (awaits(key.split()) and _TIMED_OUT.search(said)):
            return True
    return False


def _is_sure(call: ToolCall, key: str) -> bool:
    """Return whether a command confirms its effect in its own way, or its exit code does."""
    confirmed = _CONFIRMED.get(" ".join(key.split(" ", 2)[:2]))
    committed = key == "git commit" and _COMMITTED.search(call.said) is not None
    return call.failed is False or committed or (confirmed is not None and confirmed.search(call.said) is not None)


def _said_of(call: ToolCall, steps: Sequence[Step], step: Step, text: str) -> ActOutcome:
    """Return the outcome stated in a one-line result of a command, if only one of its steps acts."""
    said = call.said.strip()
    alone = all(_is_aside(other) for other in steps if other is not step)
    if not text or not alone or "\n" in said or len(said) > _LINE_WIDTH or not is_statement(said):
        return ActOutcome()
    return outcome_of(said, "", [*step.words, *(word for argument in step.words for word in argument.split())])


def _is_aside(step: Step) -> bool:
    """Return whether a step hardly ever fails."""
    return step.words[0] in _ASIDE or (step.words[0] == "git" and step.words[1:2] != () and step.words[1] in _GIT_ASIDE)


def _refusal(call: ToolCall, key: str) -> str:
    pattern = _REFUSALS.get(" ".join(key.split()[:2]))
    found = pattern.search(call.said) if pattern else None
    line = _line_at(call.said, found.start()) if found else _gave_up(call.said) if call.failed is None else ""
    return with_alike(call.said, line) if line else reason(call)


def _confirmed(text: str, said: str, key: str) -> str:
    """Return the text of an effect with the name that the result gave to what it created."""
    if key == "git commit":
        found = _COMMITTED.search(said)
        title = (
            f' "{first_line(found.group(2))}"' if found and not text.endswith('"') and found.group(2).strip() else ""
        )
        return f"{text}{title} ({found.group(1)[:10]})" if found else text
    if awaits(key.split()):
        return f"{text} → {_ROLLED_OUT}" if _rolled_out(key, said) else text
    if key.startswith(("gh pr create", "gh issue create", "gh release create")):
        address = ADDRESS.search(said)
        return f"{text} → {address.group()}" if address else text
    return text


def _step_effect(step: Step, steps: Sequence[Step]) -> tuple[str, str, tuple[str, ...]]:
    """Return (text, key, words of a git command) of a step; the text is "" if the step has no reported effect."""
    words = without_prefixes(list(step.words))
    if not words or _only_tries(words):
        return "", "", ()
    program = basename(words[0])
    if program == "git":
        asked = past_options([without_secrets(word) for word in words[1:]])
        text, key = git_step(asked, steps, step)
        return text, (effect_key(text) if asked[:1] == ["push"] else key), tuple(asked)
    text = (
        (github_step(words) if len(words) > 2 else "") if program == "gh" else remote_step(program_words(words), step)
    )
    return text, effect_key(text) if text else "", ()


def _only_tries(words: Sequence[str]) -> bool:
    """Return whether a command only says what it would do, or how it is used."""
    for word in words[1:]:
        if word.startswith("-"):
            name, _, value = word.partition("=")
            if name.replace("-", "").replace("_", "").lower() in _TRIES:
                return value.lower() not in _NOT_TRIED
    program = basename(words[0])
    if program == "git":
        asked = past_options(words[1:])
        tries = asked[:1] in (["push"], ["clean"]) and any(map(_GIT_TRIES.match, asked[1:]))
        return tries or asked[1:2] == ["-h"]
    return words[-1] == "-h" or (program == "aws" and words[-1] == "help")
