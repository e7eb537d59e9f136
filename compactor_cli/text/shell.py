"""Parse shell commands into the steps of a command line and the operators between them."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from compactor_cli.text.cached import cache_by_text
from compactor_cli.text.paths import basename
from compactor_cli.text.patterns import compiled_later

_HEREDOC_ARGUMENT = compiled_later(r"\$\(\s*cat\s*<<-?[ \t]*(['\"]?)(\w+)\1[ \t]*\n(.*?)\n[ \t]*\2\s*\)", re.DOTALL)
"""A text that is given as an argument: `"$(cat <<'EOF' ... EOF )"`."""
_PLACEHOLDER = compiled_later("\x00(\\d+)\x00")
_SPECIAL = compiled_later(r"[;|&()<>'\"\\#]|[^\S ]")
"""Characters that make a command line more than words separated by spaces."""

_TOKEN = compiled_later(
    r"""
    (?P<space>[ \t\r]+|\\\n)
    |(?P<heredoc><<-?[ \t]*(?P<quote>['"]?)(?P<end>\w+)(?P=quote))
    |(?P<redirection>\d*(?P<mode>&>>?|>>|>\||>&|<<<|<>|<&|<|>)[ \t]*
      (?P<target>(?:'[^']*'|"[^"]*"|\\.|[^\s;|&()<>'"\\])+|&?[^\s;|&()<>]+)?)
    |(?P<operator>&&|\|\||;;|\|&|[;|&()\n])
    |(?P<word>(?:\$'(?:\\.|[^'\\])*'|'[^']*'|"(?:\\.|[^"\\])*"|\$\([^()]*\)|\\.|[^\s;|&()<>'"\\]|['"\\])+)
    """,
    re.VERBOSE | re.DOTALL,
)
_QUOTED_PIECE = compiled_later(
    r"\$'((?:\\.|[^'\\])*)'|'([^']*)'|\"((?:\\.|[^\"\\])*)\"|\\(.)|([^'\"\\]+)|(.)", re.DOTALL
)
_ESCAPED_SIGN = compiled_later(r"\\([\"\\$`])")
_ASSIGNMENT = compiled_later(r"[A-Za-z_]\w*=")
_SHELLS = ("bash", "sh", "zsh", "dash")
_KEYWORDS = ("then", "do", "else", "if", "elif", "while", "until", "!", "{", "}", "fi", "done", "time", "exec", "eval")


class Step(Struct, frozen=True):
    """One simple command of a command line."""

    words: tuple[str, ...]
    """Program and arguments, without quotes, redirections, and assignments before the program."""
    operator: str
    """The operator after the command: `&&`, `||`, `;`, `|`, `&`, or "" at the end."""
    heredoc: str = ""
    """Body of the here-document that it reads."""
    writes: tuple[str, ...] = ()
    """Files to which its output is redirected."""
    appends: tuple[str, ...] = ()
    """Those of them that are appended to."""
    assignments: tuple[str, ...] = ()
    """Assignments before the program: `GOOS=linux go build`."""


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text; used to write down lists of words, such as names of programs."""
    return frozenset(text.split())


def operands(arguments: Iterable[str], value_options: Container[str] = ()) -> list[str]:
    """Return the arguments of a program that are neither options nor values of options. `value_options`: options whose
    value is a separate word."""
    result: list[str] = []
    after_dashes = is_value = False
    for word in arguments:
        if after_dashes or not (is_value or word.startswith("-")):
            result.append(word)
        after_dashes = after_dashes or word == "--"
        is_value = word in value_options
    return result


@cache_by_text
def parse_steps(command: str) -> tuple[Step, ...]:
    """Return the simple commands of a command line, in order; those of `bash -c "..."` replace it."""
    documents: list[str] = []

    def keep(match: re.Match[str]) -> str:
        documents.append(match.group(3))
        return f"\x00{len(documents) - 1}\x00"

    outer = _HEREDOC_ARGUMENT.sub(keep, command.replace("\x00", "")) if "<<" in command else command
    found: list[Step] = []
    for step in (_make_step(*parts, documents) for parts in _split_steps(outer)):
        if step.words:
            found += _unwrap_shell(step)
        elif step.writes and found:  # after the bracket or the word that ends a group
            found[-1] = _with_outputs(found[-1], step)
    return tuple(found)


def _split_steps(text: str) -> Iterator[tuple[list[str], str, str, list[tuple[str, bool]]]]:
    """Yield for each step: its words, the operator after it, its here-document, and (file, whether it is appended
    to) for its redirections."""
    if _SPECIAL.search(text) is None:
        yield text.split(), "", "", []
        return
    words: list[str] = []
    writes: list[tuple[str, bool]] = []
    delimiters: list[str] = []
    document, index = "", 0
    while index < len(text):
        match = _TOKEN.match(text, index)
        if match is None:
            index += 1
            continue
        index, kind = match.end(), match.lastgroup
        if kind == "word" and match.group().startswith("#"):
            index = _line_end(text, match.start())
        elif kind == "word":
            words.append(match.group())
        elif match.group("heredoc"):
            delimiters.append(match.group("end"))
        elif kind == "redirection":
            writes += _output_files(match, text[match.start() - 1 : match.start()])
        elif match.group("operator"):
            operator = match.group()
            if operator == "\n":
                for end in delimiters:
                    document, index = _heredoc_body(text, index, end)
                delimiters = []
            yield words, ";" if operator in "\n();;" else operator.replace("|&", "|"), document, writes
            words, writes, document = [], [], ""
    yield words, "", document, writes


class RawStep(Struct, frozen=True):
    """The positions of one simple command's words in a command line."""

    words: tuple[tuple[int, int], ...]
    """Spans of its words, including assignments before the program."""
    input_spans: tuple[tuple[int, int], ...]
    """Spans of the texts that it is given as input."""
    operator: str
    """The operator after the command: `&&`, `|`, a bracket, or "" at the end."""


def parse_raw_steps(command: str) -> Iterator[RawStep]:
    """Yield the simple commands of a command line as positions in it."""
    words: list[tuple[int, int]] = []
    reads: list[tuple[int, int]] = []
    ends: list[str] = []
    index = 0
    while index < len(command):
        match = _TOKEN.match(command, index)
        if match is None:
            index += 1
            continue
        index, kind = match.end(), match.lastgroup
        if kind == "word" and match.group().startswith("#"):
            index = _line_end(command, match.start())
        elif kind == "word":
            words.append(match.span())
        elif match.group("heredoc"):
            ends.append(match.group("end"))
        elif match.group("mode") == "<<<" and match.group("target"):
            reads.append(match.span("target"))
        elif match.group("operator"):
            for end in ends if match.group() == "\n" else ():
                start = index
                body, index = _heredoc_body(command, start, end)
                reads.append((start, start + len(body)))
            ends = ends if match.group() != "\n" else []
            yield RawStep(tuple(words), tuple(reads), match.group())
            words, reads = [], []
    yield RawStep(tuple(words), tuple(reads), "")


def _output_files(redirection: re.Match[str], previous: str) -> Iterator[tuple[str, bool]]:
    """Yield (file, whether it is appended to) for a redirection. `previous`: the preceding character, since `->` and
    `=>` are arrows."""
    mode, target = redirection.group("mode"), redirection.group("target")
    descriptor = mode == ">&" and re.fullmatch(r"\d+|-", target or "")
    if target and "<" not in mode and not descriptor and not target.startswith("&") and previous not in ("-", "="):
        yield unquote(target), ">>" in mode


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _heredoc_body(text: str, start: int, end: str) -> tuple[str, int]:
    """Return the body of a here-document that begins here, and the position of its end."""
    match = re.compile(rf"^[ \t]*{end}[ \t]*$", re.MULTILINE).search(text, start)
    return (text[start : match.start()], match.end()) if match else (text[start:], len(text))


def _make_step(
    words: list[str], operator: str, document: str, writes: list[tuple[str, bool]], documents: list[str]
) -> Step:
    unquoted_words = list(map(unquote, words))
    if documents:
        unquoted_words = [
            _PLACEHOLDER.sub(lambda match: documents[int(match.group(1))], word) for word in unquoted_words
        ]
    start = 0
    while start < len(unquoted_words) and (
        unquoted_words[start] in _KEYWORDS or _ASSIGNMENT.match(unquoted_words[start])
    ):
        start += 1
    files, appends = tuple(path for path, _ in writes), tuple(path for path, appends in writes if appends)
    assignments = tuple(filter(_ASSIGNMENT.match, unquoted_words[:start])) if start else ()
    return Step(tuple(unquoted_words[start:]), operator, document, files, appends, assignments)


def _with_outputs(step: Step, other: Step) -> Step:
    """Return a step with the output files of another one added."""
    return replace(step, writes=step.writes + other.writes, appends=step.appends + other.appends)


def unquote(word: str) -> str:
    """Return a word of a command line as the program receives it."""
    if "'" not in word and '"' not in word and "\\" not in word:
        return word
    return "".join(
        _ESCAPED_SIGN.sub(r"\1", match.group(3)) if match.group(3) is not None else _plain_piece(match)
        for match in _QUOTED_PIECE.finditer(word)
    )


def _plain_piece(match: re.Match[str]) -> str:
    if match.group(1) is not None:
        return re.sub(
            r"\\(.)", lambda escaped: {"n": "\n", "t": "\t"}.get(escaped.group(1), escaped.group(1)), match.group(1)
        )
    return "".join(filter(None, match.groups()))


def _unwrap_shell(step: Step) -> Iterator[Step]:
    words = step.words
    if len(words) > 2 and basename(words[0]) in _SHELLS and re.fullmatch(r"-\w*c", words[1]):
        inner = parse_steps(words[2])
        yield from inner[:-1]
        for last in inner[-1:]:
            yield _with_outputs(replace(last, operator=step.operator, heredoc=last.heredoc or step.heredoc), step)
    else:
        yield step
