"""compactor: makes transcripts of conversations with language models smaller.

A small Python API over the same pure core that the command line uses:

    import compactor_cli as compactor
    from compactor_cli.settings import Settings

    source = compactor.load(data, "session.jsonl")
    result = compactor.compact(source, target_tokens=8000)
    result.data  # bytes of the smaller transcript
"""

from __future__ import annotations

__all__ = ["allocate", "compact", "diff", "load", "score"]

from compactor_cli.api import allocate, compact, diff, load, score
