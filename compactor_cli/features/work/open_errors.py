"""Errors of calls that no later success made up for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.features.work.call_keys import aim, aim_of, aimed_at_nothing, is_gone, only_asks, told_apart
from compactor_cli.features.work.calls import ToolCall, answered_call, main_argument
from compactor_cli.features.work.causes import said_why
from compactor_cli.features.work.endings import is_declined, succeeded
from compactor_cli.features.work.ledger import PATH_KEYS
from compactor_cli.features.work.looking_steps import GIT_LOOKING, cannot_change, looks, only_looks
from compactor_cli.features.work.programs import plain_steps
from compactor_cli.features.work.remote_steps import asked_of
from compactor_cli.features.work.retried import is_done_again, is_made_up_for
from compactor_cli.features.work.secret_words import command_without_values, without_values
from compactor_cli.features.work.tool_names import acts, only_fetches, only_looks_by_name, tool_words
from compactor_cli.model.message import NO_RESPONSE, Part
from compactor_cli.summary_text.state_line import StateLine
from compactor_cli.text.clean import one_line
from compactor_cli.text.outcomes import result_errors, stated_code
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later
from compactor_cli.text.shell import Step, steps

_WRONGLY_CALLED = compiled_later(
    r"invalid arguments|InputValidationError|(?:invalid|missing|unexpected|unrecognized|unknown)\b[^\n]{0,40}\b"
    r"(?:parameter|argument|property|field|input(?! syntax))|schema validation|does not match the schema",
    re.IGNORECASE,
)
"""Answers to a call whose arguments do not fit the tool; any later correct call of it makes up for the error."""
_NOT_THERE = compiled_later(
    r"(?:^|: )([\w./+-]+): (?:command not found|not found|No such file or directory)(?!:)", re.MULTILINE
)
"""How a shell reports that a program does not exist."""
_NO_PROGRAM = 127
"""The exit code in that case."""
_NO_SUCH = compiled_later(
    r"\bno (?:such )?(?:task|script|command|subcommand|option|recipe|rule to make target)\b|\bmissing script\b|"
    r"\b(?:unknown|unrecognized|invalid|illegal|no such) (?:sub-?command|command|option|flag|arguments?|choice)\b|"
    r"\bdoes not contain recipe\b|\bis not an? [\w-]+ command\b|\btask \S+ (?:does not exist|not found)",
    re.IGNORECASE,
)
"""Complaints of a program about a request that it does not support; any later correct call of it makes up for the
error."""
_HEAD = 400
"""Characters at the start of a result that are searched for these messages."""
_CARRIED = compiled_later(r"open error(?: (\d+)x)?: (.+) \((.+)\)$")
_IN_CHAIN = compiled_later(r" (?:&&|\|\|?) |; ")
_EDIT_OF = compiled_later(r"edit of (.+)$")
_NAMES = compiled_later(r"\[[^\]]*\]|\"[^\"]*\"|'[^']*'|`[^`]*`|\S*\d\S*")
"""What identifies one of many elements."""
_MOST = 50
"""Maximum number of errors tracked; older ones are dropped so that the cost stays linear."""
_MOST_CALLS = 40
"""After this many calls an error counts as abandoned, because nobody is going to fix it."""
_CARRIED_FROM = -_MOST_CALLS // 2
"""Call number assigned to an error of an earlier round, since its age is unknown."""
_ERROR_WIDTH, _LABEL_WIDTH, _PATH_WIDTH = 160, 80, 300
_BRIEF_WIDTH = 60
"""Maximum length of an error text when the budget is tight; errors are shortened before they are merely counted."""
_CODE_OF = "code of "
"""Beginning of the label of an error raised by code that an agent runs in cells; the tool's name follows."""
_POINTING_WORDS = 2
"""Number of words in the label of a call that has only a pointer: the tool and the pointer."""
_BEHIND = {"&&": " && ", "|": " | ", "||": " || "}
"""Separators between steps; anything else is shown as a semicolon."""
_TELLING_EDIT = 24
"""Minimum length of an edit that two files are unlikely to share by chance."""


class OpenError(Struct, frozen=True):
    label: str
    """The command, or the tool with what it was called with."""
    message: int
    order: int
    """Number of the call; negative for earlier rounds."""
    said: str = ""
    """The text that an earlier round gave."""
    call: ToolCall | None = None
    edit: str = ""
    """The text that an edit was to write, whatever file it named."""
    times: int = 1
    """How many calls in a row ended this way."""
    steps: frozenset[str] = frozenset()
    """What the inner steps of a chain of commands of one program were asked to do; one of them may have failed."""

    @property
    def text(self) -> str:
        """Return what went wrong. The result is searched only when the text is shown or compared."""
        call = self.call
        return said_why(call.said, command=bool(call.command), width=_ERROR_WIDTH) if call else self.said


def is_given_up(order: int, calls: int) -> bool:
    """Return whether the error of call number `order` is no longer reported after `calls` calls."""
    return order < calls - _MOST_CALLS


class OpenErrors:
    """Open errors by the key that a later success must have to resolve them."""

    def __init__(self) -> None:
        self.errors: dict[str, OpenError] = {}
        self.made_up_for: set[int] = set()
        """Messages with errors that a later call made up for."""
        self.met: dict[str, list[int]] = {}
        """Key of an open error -> messages in which an error with this key occurred."""

    def called_well(self, call: ToolCall, steps: Sequence[Step]) -> None:
        """Record that a tool, and the programs of a command line, were called correctly. This makes up for an
        earlier call with wrong arguments."""
        self._over(_arguments_of(call))
        for step in plain_steps(steps) if not call.undecided and call.answered else ():
            self._over(_use_of(step.words[0]))

    def _over(self, key: str) -> None:
        if self.errors.pop(key, None) is not None:
            self.made_up_for.update(self.met.pop(key, ()))

    def note(self, call: ToolCall, steps: Sequence[Step], changed: Sequence[str], path: str, order: int) -> None:
        """Record a call that is neither a check nor an effect. `changed`: files that it changed, `path`: the file
        that it names."""
        self.mended(changed)
        edit = "" if call.command or not path else _edit_of(call)
        if edit and (changed or call.failed):
            self._tried_again(edit)
        if call.undecided or not call.answered:
            return
        line = plain_steps(steps)
        working = self._working(line) or cannot_change(call, line)
        missing = _said_missing(call, line)
        working = [step for step in working if missing == _missing_program(step.words[0])] or working
        key, label = _shell_key(working, line, call) if call.command else _tool_key(call, path)
        if not key:
            return
        if call.failed:
            key = _error_key(call, working, missing) or key
            inside = [step for step in working[1:-1] if step.words[0] == working[-1].words[0]]
            chain = frozenset(_named_key(step.words) for step in inside)
            self._add(key, OpenError(label, call.message, order, call=call, edit=edit, steps=chain))
            return
        if call.command:
            self.ran(call, steps)
        elif self.errors:
            self._over(key)
            self._over_by_label(call, label)
            self._tried_anew(call)

    def mended(self, changed: Iterable[str]) -> None:
        """Record that files were changed, whatever else the call did."""
        for done in changed if self.errors else ():
            self._over_for(done)

    def ran(self, call: ToolCall, steps: Sequence[Step]) -> None:
        """Record a command line that did not fail: each step that must have succeeded for that resolves its error."""
        if not self.errors or call.failed or call.undecided or not call.answered:
            return
        line = plain_steps(steps)
        working = self._working(line)
        if call.failed is False:
            asked = {_named_key(step.words) for step in working}
            for known in [known for known, error in self.errors.items() if not asked.isdisjoint(error.steps)]:
                self._over(known)  # one of its steps was done in another way
        done = {id(step) for step in succeeded(line, call.said)}
        for step in [step for step in working if id(step) in done or step is working[-1]]:
            keys = (_named_key(step.words), _missing_program(step.words[0]))
            before = self.errors.get(keys[0])
            if before and before.text and "|" in call.command and before.text in call.said:
                continue  # the exit code is that of a filter
            if not self.errors.keys().isdisjoint(keys) and _went_well(call):
                self._over(keys[0])
                self._over(keys[1])

    def _working(self, steps: Sequence[Step]) -> list[Step]:
        """Return the steps that do more than look around, or that failed before."""
        return [step for step in steps if not looks(step) or _named_key(step.words) in self.errors]

    def _over_by_label(self, call: ToolCall, label: str) -> None:
        """Record that a tool did what it was asked to do. This resolves earlier calls that pointed at nothing, and
        an error of the same call in an earlier round, of which only the label is known."""
        if aimed := aim(call):
            self._over(aimed)
            self._over(aim_of(call.tool))
        for key in [key for key, error in self.errors.items() if error.call is None and error.label == label]:
            self._over(key)

    def _tried_anew(self, call: ToolCall) -> None:
        """Record that a tool now did what it had failed to do, with the mistake corrected."""
        for key, error in list(self.errors.items()):
            if is_made_up_for(error.call, call) if error.call else is_done_again(error.label, error.said, call):
                self._over(key)

    def carry(self, line: str) -> bool:
        """Read a line of an earlier round; return whether it is an open error."""
        match = _CARRIED.match(line)
        if match is None:
            return False
        times, text, label = match.groups()
        edited = _EDIT_OF.match(label)
        if edited:
            key = f"file {edited.group(1)}"
        else:
            chain = [step for step in plain_steps(steps(label)) if not looks(step)] if _IN_CHAIN.search(label) else []
            words = list(chain[-1].words) if chain else label.split()
            named = _use_of(words[0]) if _NO_SUCH.search(text) else _named_key(words)
            if label.startswith(_CODE_OF) or named in self.errors:  # a command has one error, so these are of tools
                key = label
            else:
                only_points = len(words) <= _POINTING_WORDS and is_gone(text)
                key = aim_of(words[0]) if only_points else named
        self._add(key, OpenError(label, -1, _CARRIED_FROM, said=text, times=int(times or 1)))
        return True

    def _add(self, key: str, error: OpenError) -> None:
        known = self._known(key)
        before = self.errors.pop(known, None)
        self.met[key] = [*(self.met.pop(known, ()) if before else ()), error.message]
        again = before is not None and (before.text == error.text or _are_alike(before, error))
        self.errors[key] = replace(error, times=before.times + error.times) if before and again else error
        if len(self.errors) > _MOST:
            del self.errors[next(iter(self.errors))]

    def _known(self, key: str) -> str:
        """Return the key under which an error is known: an earlier round shortens paths at the beginning."""
        if key in self.errors or not key.startswith("file "):
            return key
        path = key.removeprefix("file ")
        return next((known for known, error in self.errors.items() if error.message < 0 and _names(known, path)), key)

    def _over_for(self, path: str) -> None:
        for key in [key for key in self.errors if _names(key, path)]:
            self._over(key)

    def _tried_again(self, edit: str) -> None:
        """Record that the same edit was made in another file: this bypasses its failure in the previous one."""
        for key in [key for key, error in self.errors.items() if error.edit == edit]:
            self._over(key)

    def lines(self, root: str, order: int) -> Iterator[StateLine]:
        """Yield open errors, newest first, except abandoned ones. Similar errors appear once, with their number.
        `root` is cut from paths."""
        for error in _counted(error for error in reversed(self.errors.values()) if not is_given_up(error.order, order)):
            label = error.label.replace(root, "") if root else error.label
            count = f" {error.times}x" if error.times > 1 else ""
            text = f"open error{count}: {error.text} ({label})"
            short = one_line(error.text, _BRIEF_WIDTH)
            brief = f"open error{count}: {short} ({label})" if short != error.text else ""
            yield StateLine("error", text, error.message, open=True, times=error.times, brief=brief)


def _counted(errors: Iterable[OpenError]) -> Iterator[OpenError]:
    """Yield the errors; several similar ones become the first of them with the total number."""
    told: list[OpenError] = []
    for error in errors:
        at = next((at for at, known in enumerate(told) if _are_alike(known, error)), -1)
        if at < 0:
            told.append(error)
        else:
            told[at] = replace(told[at], times=told[at].times + error.times)
    yield from told


def _are_alike(one: OpenError, other: OpenError) -> bool:
    """Return whether two errors say the same about missing elements, whichever elements these are."""
    return is_gone(one.text) and _NAMES.sub("", one.text) == _NAMES.sub("", other.text)


def _went_well(call: ToolCall) -> bool:
    """Return whether a call neither is known to have failed nor reports an error."""
    return call.failed is False or not call.command or not result_errors(call.said, True, limit=1)


def _names(key: str, path: str) -> bool:
    """Return whether the key of an error names the end of a path."""
    return key.startswith("file ") and f"/{path}".endswith(f"/{key.removeprefix('file ').removeprefix('/')}")


def misfortune(call: Part, result: Part) -> str:
    """Return how a call ended that did not do what it says: `failed`, `declined`, or `unanswered` if unknown. Return
    "" for a call that did, and for one that only looked and found nothing."""
    if result.text == NO_RESPONSE:
        return "unanswered"
    if is_declined(result.text):
        return "declined"
    ended = answered_call(call, result)
    if not ended.failed:
        return ""
    looked = ended.command and only_looks(ended.command)
    return "" if looked and not result_errors(ended.said, True, limit=1) else "failed"


def _shell_key(working: Sequence[Step], line: Sequence[Step], call: ToolCall) -> tuple[str, str]:
    """Return the key and the label of a command, from its steps that do something; ("", "") if there are none. In a
    long line, the label is the single step that complains, or else all steps, shortened. If the exit code belongs to
    a later step after `;`, the label covers the whole line."""
    if not working:
        return "", ""
    key = _named_key(working[-1].words)
    whole = " ".join((command_without_values(call.command) if call.failed else call.command).split())
    complaint = (
        said_why(call.said, command=True, width=_ERROR_WIDTH) if call.failed and len(whole) > _LABEL_WIDTH else ""
    )
    found = [step for step in working if _complains(step, complaint)] if complaint else []
    ended = next((at for at in range(len(line) - 2, -1, -1) if line[at].after == ";"), -1)
    if working[-1] not in line[ended + 1 :]:
        working = line
    own = working if len(working) == 1 else found
    if len(own) == 1:
        return _named_key(own[0].words), one_line(" ".join(without_values(own[0].words)), _LABEL_WIDTH)
    short = "".join(_named_key(step.words) + _BEHIND.get(step.after, "; ") for step in working).removesuffix("; ")
    label = whole if len(whole) <= _LABEL_WIDTH else short
    return key, one_line(label, _LABEL_WIDTH)


def _complains(step: Step, complaint: str) -> bool:
    """Return whether a complaint begins with the name of the step's program."""
    program = basename(step.words[0])
    return complaint.startswith(program) and not complaint[len(program) : len(program) + 1].isalnum()


def _named_key(words: Sequence[str]) -> str:
    """Return the program and what it is asked to do: its first two words that are not options."""
    named = [word for word in asked_of(words) if not word.startswith("-")] if words else []
    return one_line(" ".join(named[:2]), _LABEL_WIDTH // 2)


def _tool_key(call: ToolCall, path: str) -> tuple[str, str]:
    words = tool_words(call.tool)
    looks = words[:1] == ("git",) and words[1:] and words[1] in GIT_LOOKING
    looks = looks or only_looks_by_name(call.tool) or only_fetches(call.tool, call.arguments)
    if looks or acts(call.tool, call.arguments):
        return "", ""
    if path:
        return f"file {path}", one_line(f"edit of {path}", _PATH_WIDTH)
    if isinstance(call.arguments, dict) and isinstance(call.arguments.get("code"), str):
        label = f"{_CODE_OF}{call.tool}"  # the code that fixes it will be different
        return label, label
    if only_asks(call.arguments):
        return "", ""
    return told_apart(call), one_line(f"{call.tool} {main_argument(call.arguments, call.tool)}", _LABEL_WIDTH)


def _error_key(call: ToolCall, working: Sequence[Step], missing: str) -> str:
    """Return the key that must succeed to resolve an error, if the message determines it. `missing`: the key for a
    missing program, if the message reports one."""
    if not call.command:
        return _arguments_of(call) if _WRONGLY_CALLED.search(call.said[:_HEAD]) else aimed_at_nothing(call)
    program = working[-1].words[0]
    if missing == _missing_program(program):
        return missing  # the agent tries one location after another
    return _use_of(program) if _NO_SUCH.search(call.said[:_HEAD]) else ""


def _said_missing(call: ToolCall, line: Sequence[Step]) -> str:
    """Return the key for a missing program if a command failed and the shell reported it. The report is recognized
    in English, and in other languages by exit code and name."""
    if not (call.failed and call.command):
        return ""
    if found := _NOT_THERE.search(call.said):
        return _missing_program(found.group(1))
    programs = [step.words[0] for step in line] if stated_code(call.said) == _NO_PROGRAM else []
    named = (name for name in programs if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", call.said))
    return next(map(_missing_program, named), "")


def _edit_of(call: ToolCall) -> str:
    """Return the text that an edit is to write; "" if it is so short that other edits may write the same."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    texts = [text for key, text in arguments.items() if isinstance(text, str) and key not in (*PATH_KEYS, "command")]
    return "\n".join(texts) if sum(map(len, texts)) >= _TELLING_EDIT else ""


def _missing_program(program: str) -> str:
    """Return the key of the error that a program does not exist."""
    return f"missing {basename(program)}"


def _use_of(program: str) -> str:
    """Return the key of the error that a program does not support what it was asked to do."""
    return f"use of {basename(program)}"


def _arguments_of(call: ToolCall) -> str:
    return f"arguments of {call.tool}"
