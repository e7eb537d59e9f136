"""Terms: the names and words of a text by which a later part of a session may refer back to it.

Names are paths, file names, URLs, symbols, error names, ids, numbers, dates, flags and quoted strings; everything
else is a word. Text is split into chunks at C speed, and each distinct chunk is examined once, so that the cost is
that of one pass.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from compactor_cli.text.identifiers import ERROR_CODES
from compactor_cli.text.marks import is_word
from compactor_cli.text.patterns import compiled_later

TERM_KINDS = (
    "url",
    "path",
    "file",
    "error",
    "symbol",
    "dotted",
    "camel",
    "id",
    "code",
    "number",
    "decimal",
    "date",
    "flag",
    "quoted",
    "email",
    "word",
)

_NAME_CHARACTERS = frozenset("_$./~@%+-")
# letters map to themselves, because a failed look-up takes longer than a successful one
_SEPARATE_NAMES = str.maketrans(
    {code: chr(code) if chr(code).isalnum() or chr(code) in _NAME_CHARACTERS else " " for code in range(33, 127)}
    | {code: chr(code) for code in (*range(33), 127)}
    | dict.fromkeys("“”‘’«»„…—–·、。，；：！？（）「」【】", " ")
)
_ESCAPE_BLANKS = (("\\n", "  "), ("\\t", "  "), ("\\r", "  "), ('\\"', "  "))
_UNICODE_ESCAPE = compiled_later(r"\\u[0-9a-fA-F]{4}")
"""A letter or sign given by its code point: `\\u2019s` is not a name."""
_QUOTED = (
    ('"', compiled_later(r'"([^"\n]*)"')),
    ("`", compiled_later(r"`([^`\n]*)`")),
    # an apostrophe within a word is not a quote
    ("'", compiled_later(r"'(?<![A-Za-z0-9]')([^'\n]*)'(?![A-Za-z0-9])")),
)
_MAX_QUOTE_CHARS = 60
_DATE = compiled_later(r"\d{4}-\d\d-\d\d")
_DECIMAL = compiled_later(r"\d+\.\d+%?$")
_CODE = compiled_later(r"[A-Z]{1,4}\d{3,5}$")
WIDE = compiled_later(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""A character of a script without spaces."""
_TWO_LETTERS = compiled_later(r"[^\W\d_]{2}")
_QUOTE_EDGES = ".,;:!?)(]}[{'\"`\\ "
_ERROR_ENDS = ("Error", "Exception", "Warning", "Fault")
_EXTENSIONS = frozenset(
    re.findall(
        r"\w+",
        """
        bash bin c cc cfg conf cpp cs css csv db diff env exe gif go gradle gz h hpp htm html ini ipynb java jpeg
        jpg js json jsonl jsx kt lock log md mjs npy parquet patch pdf php pkl png proto pt py pyi rb rs rst scala
        scss sh so sql sqlite svg swift tar tf toml ts tsv tsx txt xml yaml yml zip zsh
        """,
    )
)
STOP_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        about after again all also and another any are back been before being both but can could did does doing down
        each even for from get give got had has have having her here hers him his how into its just let like made
        make many may might more most much must not now off okay one only other our out over own please same shall
        she should some such than thank thanks that the their them then there these they thing things this those
        through too two under until very was way well were what when where which while who whom why will with would
        yeah yes yet you your
        """,
    )
)
"""Words that say nothing about the subject of a text."""


Term = tuple[str, str]
"""A name or word, and its kind (one of KINDS). It is a plain tuple because tens of thousands are created."""


def separate_chunks(text: str) -> str:
    """Replace characters that cannot be part of a name by spaces; all other characters keep their positions.

    The result, split at spaces, is the input of `chunk_terms`.
    """
    if "\\" in text:
        for escape, blanks in _ESCAPE_BLANKS:
            text = text.replace(escape, blanks)
        if "\\u" in text:
            text = _UNICODE_ESCAPE.sub(" " * 6, text)
    return text.translate(_SEPARATE_NAMES)


def quoted_terms(text: str) -> Iterator[tuple[int, str]]:
    """Yield (start, lower-case text) of quoted text that is more than punctuation and less than a sentence."""
    for mark, pattern in _QUOTED:
        if mark not in text:
            continue
        for match in pattern.finditer(text):
            start, end = match.span()
            if not 3 <= end - start - 2 <= _MAX_QUOTE_CHARS:
                continue
            inner = (_UNICODE_ESCAPE.sub(" ", match[1]) if "\\u" in match[1] else match[1]).strip(_QUOTE_EDGES)
            if len(inner) < 4 or inner.count(" ") > 9 or not _TWO_LETTERS.search(inner):
                continue
            yield start, inner.lower()


def chunk_terms(chunk: str) -> tuple[Term, ...]:
    """Return the terms of one chunk; a path also yields its file name, a dotted symbol its parts."""
    if len(chunk) < 3:
        return ()
    if chunk.isalpha() or (not chunk.isascii() and is_word(chunk)):
        return _letter_terms(chunk)
    core = chunk.rstrip(".-/@$~+%") if not chunk.endswith("%") else chunk.rstrip("%.")
    if core.startswith("//"):
        core = core.lstrip("/")
        return ((core, "url"),) if len(core) > 4 else ()
    if not core.startswith("--"):
        core = core.lstrip("-+@%$")
    if core.startswith(".") and not core.startswith(("./", "../")):
        core = core.lstrip(".")
    if core.isdigit():
        return ((core, "number"),) if len(core) > 2 else ()
    if len(core) < 3 or (len(core) < 4 and not core.isalpha()):
        return ()
    if core.isalpha() or (not core.isascii() and is_word(core)):
        return _letter_terms(core)
    if core.startswith("--"):
        return ((core, "flag"),)
    if "@" in core and "." in core and "/" not in core:
        return ((core, "email"),)
    return _compound_terms(core)


def _letter_terms(core: str) -> tuple[Term, ...]:
    if core.isupper() or core[1:].islower() or not core.isascii():
        if core.isupper() and core.startswith(ERROR_CODES):
            return ((core, "error"),)
        word = core.lower()
        return () if word in STOP_WORDS else ((word, "word"),)
    if len(core) < 4:
        return ()
    return ((core, "error" if core.endswith(_ERROR_ENDS) else "camel"),)


def _compound_terms(core: str) -> tuple[Term, ...]:
    """Return the terms of a chunk that does not consist of letters only."""
    if "/" in core:
        last = core.rsplit("/", 1)[1]
        return ((core, "path"), *(chunk_terms(last) if len(last) > 3 else ()))
    if core[0].isdigit():
        if _DATE.match(core):
            return ((core, "date"),)
        if _DECIMAL.match(core):
            return ((core, "decimal"),)
    if "." in core:
        return _dotted_terms(core)
    digits = core[-1].isdigit() or any(map(str.isdigit, core))  # most digits are at the end
    letters = core[0].isalpha() or any(map(str.isalpha, core))
    if digits and letters:
        if core[0].isupper() and _CODE.match(core):
            return ((core, "code"),)
        return ((core, "symbol" if "_" in core and not core[0].isdigit() else "id"),)
    if "_" in core:
        return ((core, "symbol"),) if letters else ()
    if digits:
        return ((core, "id"),) if len(core) > 5 else ()
    pieces = re.split(r"[-$+~%]+", core)
    return tuple(term for piece in pieces if len(piece) > 2 for term in chunk_terms(piece)) if len(pieces) > 1 else ()


def _dotted_terms(core: str) -> tuple[Term, ...]:
    pieces = [piece for piece in core.split(".") if piece]
    if len(pieces) > 1 and pieces[-1] in _EXTENSIONS:
        return ((core, "file"),)
    inner = tuple(term for piece in pieces if len(piece) > 3 for term in chunk_terms(piece))
    if len(pieces) > 1 and all(piece[0].isalpha() or piece[0] == "_" for piece in pieces):
        return ((core, "dotted"), *(term for term in inner if term[1] != "word"))
    return inner
