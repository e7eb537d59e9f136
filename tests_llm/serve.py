"""Serve the small model on a free loopback port: `python serve.py`, with the Python of .venv-llm.

The address is the only line on standard output. The server ends when standard input is closed, so that it does not
outlive a test run that was killed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import xllamacpp

CONTEXT = 8192
"""Maximum tokens of a request and its answer: as many as the model was trained for."""
_ANSWERS = r"""root ::= "- " text "." ("\n- " text ".")?
text ::= [a-zA-Z ,]{20,80}
"""
"""Grammar of free text. Such a small model rarely stops by itself, and an answer that is cut off is useless."""


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(sys.prefix) / "weights.gguf")  # tests_llm/weights.py wrote it
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # threads spin while they wait for each other: with two, any other load makes answers ten times as slow
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_ubatch = 128  # fits in the processor's caches: takes a fifth less time than the default of 512
    params.sampling.grammar = xllamacpp.CommonGrammar(xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER, _ANSWERS)
    params.endpoint_metrics = True  # /metrics reports the tokens read and written
    params.verbosity = 1  # errors only
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


main()
