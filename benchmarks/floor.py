"""The floor: the minimum work of a program that reads a transcript, counts its tokens exactly and shows tables.

`python -m benchmarks.floor IN OUT` starts Python, loads typer, rich and tiktoken's o200k_base, parses every line,
encodes every text once, and writes the lines to OUT. It shares no code with the package.
"""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path
from typing import Any


def main(source: str, target: str) -> None:
    import rich.console
    import rich.table
    import typer

    assert typer and rich.console and rich.table  # loaded, as in any command line with tables
    count = _encoder()
    lines = Path(source).read_bytes().splitlines(keepends=True)
    tokens = 0
    for line in lines:
        tokens += sum(len(count(text)) for text in _texts(json.loads(line)))
    Path(target).write_bytes(b"".join(lines))
    print(tokens)


def _encoder() -> Any:
    """Return tiktoken's o200k_base encoder. The vocabulary is in litellm's package, which is not imported."""
    spec = importlib.util.find_spec("litellm")
    assert spec is not None and spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations))) / "litellm_core_utils" / "tokenizers"
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)
    import tiktoken

    return tiktoken.get_encoding("o200k_base").encode_ordinary


def _texts(message: dict[str, Any]) -> list[str]:
    """Return the content, the tool names and the arguments of a message."""
    texts = [message["content"] or ""]
    for call in message.get("tool_calls", ()):
        texts += [call["function"]["name"], call["function"]["arguments"]]
    return texts


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
