"""Steps of shell commands that act outside the session: commits, pushes, pull requests, publishing, deployment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from compactor_cli.features.work.calls import ToolCall
from compactor_cli.features.work.effects import Effect, reason
from compactor_cli.features.work.git_files import past_options
from compactor_cli.features.work.programs import PLATFORMS, RUNNERS
from compactor_cli.text.clean import one_line
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, word_set

_TITLE_WIDTH = 80
_GIT = word_set("push merge rebase cherry-pick revert clean")
_GIT_WITH = {
    "branch": word_set("-d -D --delete -m -M"),
    "checkout": word_set("-b -B"),
    "switch": word_set("-c -C --create"),
    "reset": word_set("--hard"),
}
"""Commands that change the repository with one of these options only."""
_GH_TOPICS = word_set("pr issue release repo workflow label gist")
_GH_VERBS = word_set("create merge close comment edit review reopen delete ready upload rerun run")
_PUBLISHERS = word_set("npm pnpm yarn cargo poetry bun gem uv")
_REMOTE = {
    "docker": word_set("push rm rmi"),
    "kubectl": word_set("apply delete create scale rollout patch"),
    "terraform": word_set("apply destroy import"),
    "helm": word_set("install upgrade uninstall rollback"),
    "twine": word_set("upload"),
    **dict.fromkeys(word_set("vercel netlify fly flyctl wrangler firebase"), word_set("deploy publish")),
    "systemctl": word_set("start stop restart enable disable"),
    "glab": word_set("mr issue"),
}
"""Other programs that act elsewhere, with the words that make them."""
_ACTING = word_set("create close reopen comment publish deploy approve assign resolve")
"""Words with which any program acts elsewhere, such as a tracker of issues."""
_OF_FILES = RUNNERS | PLATFORMS | word_set("git gh docker echo printf grep rg find ls cat cd man which sed awk")
"""Programs that do other things with these words."""
_SCRIPT = compiled_later(r"^(?:python|node|ruby|perl|php|bash|sh|zsh)[\d.]*$|\.\w+$")
_SENDS = compiled_later(r"^(?:-X|--request)=?(POST|PUT|PATCH|DELETE)?$")
_COMMITTED = compiled_later(r"\[[^\]\n]+ (?:\(root-commit\) )?([0-9a-f]{7,40})\] (.*)")
_CONFLICT = compiled_later(r"^CONFLICT |Automatic merge failed|could not apply|fatal: .*(?:merge|rebase)", re.MULTILINE)
_REFUSALS = {
    "git commit": compiled_later(r"^(?:nothing (?:added )?to commit|no changes added to commit)", re.MULTILINE),
    "git push": compiled_later(r"^ ! \[|failed to push|fatal: .*(?:remote|repository|upstream|push)", re.MULTILINE),
    **dict.fromkeys(("git merge", "git rebase", "git cherry-pick", "git revert", "git pull"), _CONFLICT),
}
"""What git says when a command took no effect."""
_CONFIRMED = {
    "git push": compiled_later(r"\.\.\S+\s+\S+ -> |\[new (?:branch|tag)\]|Everything up-to-date|^ \+ ", re.MULTILINE),
}
_FATAL = compiled_later(r"^(?:error|fatal): ", re.MULTILINE)
_ASIDE = word_set("cd echo export source . set pwd true sleep cat tail head grep")
_GIT_ASIDE = word_set("add status diff log")
_ADDRESS = compiled_later(r"https://\S+/(?:pull|pulls|issues|merge_requests|releases/tag)/[\w.-]+")


def shell_effects(call: ToolCall, steps: Sequence[Step]) -> Iterator[Effect]:
    """The effects of the steps of a command, done or failed; none where the result leaves it open."""
    for at, step in enumerate(steps):
        text, key = _step_effect(step, steps)
        if not text:
            continue
        done = _step_done(call, steps, at, key)
        if done is None:
            continue
        yield (
            Effect(_confirmed(text, call.said, key), key, True)
            if done
            else Effect(text, key, False, _refusal(call, key))
        )


def effect_key(text: str) -> str:
    """The key of an effect, from its text: what a later success has to share with it."""
    words = text.split(" (", 1)[0].split()
    program = words[0] if words else ""
    count = 3 if program == "gh" else 2 if program in ("git", *_PUBLISHERS, *_REMOTE) else len(words)
    return " ".join(words[:count])


def _step_done(call: ToolCall, steps: Sequence[Step], at: int, key: str) -> bool | None:
    """Return whether a step took effect; None where it cannot be told."""
    topic = " ".join(key.split(" ", 2)[:2])
    refused, confirmed = _REFUSALS.get(topic), _CONFIRMED.get(topic)
    if topic == "git commit" and _COMMITTED.search(call.said):  # a `git status` behind it talks like a refusal
        return True
    if refused and refused.search(call.said):
        return False
    if confirmed and confirmed.search(call.said):
        return True
    if call.failed:
        return False if all(_is_aside(step) for place, step in enumerate(steps) if place != at) else None
    return None if steps[at].after in (";", "|", "||") and _FATAL.search(call.said) else True


def _is_aside(step: Step) -> bool:
    """Return whether a step is hardly ever what fails."""
    return step.words[0] in _ASIDE or (step.words[0] == "git" and step.words[1:2] != () and step.words[1] in _GIT_ASIDE)


def _refusal(call: ToolCall, key: str) -> str:
    pattern = _REFUSALS.get(" ".join(key.split()[:2]))
    found = pattern.search(call.said) if pattern else None
    if not found:
        return reason(call)
    start = call.said.rfind("\n", 0, found.start() + 1) + 1
    return one_line(call.said[start:].split("\n", 1)[0], 140)


def _confirmed(text: str, said: str, key: str) -> str:
    """The text of an effect with the name that the result gave to what it made."""
    if key == "git commit":
        found = _COMMITTED.search(said)
        title = (
            f' "{_first_line(found.group(2))}"' if found and not text.endswith('"') and found.group(2).strip() else ""
        )
        return f"{text}{title} ({found.group(1)[:10]})" if found else text
    if key in ("gh pr create", "gh issue create", "gh release create"):
        address = _ADDRESS.search(said)
        return f"{text} ({address.group()})" if address else text
    return text


def _step_effect(step: Step, steps: Sequence[Step]) -> tuple[str, str]:
    """(text, key) of the effect of a step; empty when it has none."""
    words = list(step.words)
    while words and words[0] in ("sudo", "env", "nice", "command", "time"):
        words = words[1:]
    if not words or "--dry-run" in words or "--help" in words:
        return "", ""
    program = words[0].rsplit("/", 1)[-1]
    if program == "git":
        return _git(past_options(words[1:]), steps, step)
    if program == "gh" and len(words) > 2:
        return _gh(words)
    if program in _PUBLISHERS and "publish" in words[1:3]:
        return f"{program} publish", f"{program} publish"
    if program in _REMOTE and len(words) > 1 and words[1] in _REMOTE[program]:
        return one_line(" ".join([program, *words[1:]]), 120), f"{program} {words[1]}"
    if program == "curl":
        return _curl(words)
    if _ACTING & set(words[1:3]) and program not in _OF_FILES and not _SCRIPT.search(program):
        text = one_line(" ".join([program, *words[1:]]), _TITLE_WIDTH)
        return text, effect_key(text)
    return "", ""


def _git(words: list[str], steps: Sequence[Step], step: Step) -> tuple[str, str]:
    verb = words[0] if words else ""
    rest = words[1:]
    if verb == "commit":
        title = _commit_title(rest, step, steps)
        amend = " --amend" if "--amend" in rest else ""
        return f"git commit{amend}" + (f' "{title}"' if title else ""), "git commit"
    if not _changes_repository(verb, rest):
        return "", ""
    if {"--abort", "--continue", "--skip"} & set(rest):
        return f"git {verb} {rest[0]}", f"git {verb}"
    return one_line(f"git {verb} {' '.join(_message_aside(rest))}".strip(), 120), f"git {verb}"


def _changes_repository(verb: str, rest: Sequence[str]) -> bool:
    """Return whether a command of git does more than look, move between branches, or change files of the working
    copy."""
    plain = [word for word in rest if not word.startswith("-")]
    if verb == "tag":
        return bool(plain) and not {"-l", "--list", "-n"} & set(rest)
    if verb in ("stash", "worktree"):
        return plain[:1] not in (["list"], ["show"], ["prune"])
    if verb in _GIT_WITH:
        return bool(_GIT_WITH[verb] & set(rest))
    return verb in _GIT


def _message_aside(words: Sequence[str]) -> Iterator[str]:
    """Words without the text of a message."""
    skip = False
    for word in words:
        if not skip and word not in ("-m", "--message", "-F", "-am"):
            yield word
        skip = not skip and word in ("-m", "--message", "-F", "-am")


def _commit_title(rest: Sequence[str], step: Step, steps: Sequence[Step]) -> str:
    """The first line of the commit's message, as far as the command has it."""
    for at, word in enumerate(rest):
        if re.fullmatch(r"-[a-zA-Z]*m|--message", word) and at + 1 < len(rest):
            return _first_line(rest[at + 1])
        if word.startswith("--message="):
            return _first_line(word.removeprefix("--message="))
    return _first_line(next((other.document for other in (step, *steps) if other.document.strip()), ""))


def _first_line(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return one_line(line, _TITLE_WIDTH)


def _gh(words: Sequence[str]) -> tuple[str, str]:
    topic, verb, rest = words[1], words[2], words[3:]
    if topic == "api":
        method = _option(words, "-X", "--method")
        path = next((word for word in words[2:] if "/" in word), "")
        return (one_line(f"gh api {method} {path}", 120), "gh api") if method not in ("", "GET") else ("", "")
    if topic not in _GH_TOPICS or verb not in _GH_VERBS:
        return "", ""
    name = rest[0] if rest and not rest[0].startswith("-") else ""
    title = _first_line(_option(rest, "--title", "-t"))
    said = " ".join(filter(None, ["gh", topic, verb, name, f'"{title}"' if title else ""]))
    return said, f"gh {topic} {verb}"


def _option(words: Sequence[str], *names: str) -> str:
    """The value of an option; empty when it is not given."""
    for at, word in enumerate(words):
        if word in names and at + 1 < len(words):
            return words[at + 1]
        name, mark, value = word.partition("=")
        if mark and name in names:
            return value
    return ""


def _curl(words: Sequence[str]) -> tuple[str, str]:
    method = ""
    for at, word in enumerate(words):
        match = _SENDS.match(word)
        if match:
            method = match.group(1) or (words[at + 1] if at + 1 < len(words) else "")
        elif word in ("-d", "--data", "--data-raw", "--json", "-F", "--form") and not method:
            method = "POST"
    address = next((word for word in words if word.startswith("http")), "")
    if (
        method not in ("POST", "PUT", "PATCH", "DELETE")
        or not address
        or re.search(r"//(?:localhost|127\.|0\.0\.0\.0|\[::1\])", address)
    ):
        return "", ""
    # what is sent with an address may differ each time; where it is sent to is what was acted on
    text = one_line(f"curl {method} {address.partition('?')[0]}", 140)
    return text, text
