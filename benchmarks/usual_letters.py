"""`python -m benchmarks.usual_letters`: write the part of o200k_base that can occur in texts of usual characters.

The lines of the vocabulary are copied unchanged: a token and its rank. Tokens that contain the first byte of any other
character are left out.
"""

from __future__ import annotations

from base64 import b64decode
from pathlib import Path

from compactor_cli import tokens
from compactor_cli.tokens.splintr_encoder import USUAL_FILE
from compactor_cli.tokens.vocabulary import read_vocabulary

_FIRST_BYTES = {0xC2, 0xC3, 0xC4, 0xC5, 0xE2, 0xEF, 0xF0}
"""First bytes in UTF-8 of Latin letters beyond ASCII, of signs, and of pictures."""
_USUAL = {*range(0xC0), *_FIRST_BYTES}


def usual_part() -> bytes:
    """Return the lines of the tokens that consist of usual bytes only, and of all tokens of a single byte."""
    data = read_vocabulary("o200k_base")
    assert data is not None
    return b"".join(line for line in data.splitlines(keepends=True) if _is_usual(b64decode(line.split()[0])))


def _is_usual(token: bytes) -> bool:
    return len(token) == 1 or _USUAL.issuperset(token)


if __name__ == "__main__":
    Path(tokens.__file__).with_name(USUAL_FILE).write_bytes(usual_part())
