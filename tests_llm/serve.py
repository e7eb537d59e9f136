"""Serve the small model on a free loopback port: `python serve.py`, with the Python of .venv-llm.

The address is the one line on standard output. The server ends with standard input, so that it does
not outlive a test run that was killed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import xllamacpp

CONTEXT = 8192
"""Tokens of request and answer: as many as the model was trained for."""
_ANSWERS = r"""root ::= "- " text "." ("\n- " text ".")?
text ::= [a-zA-Z ,]{20,80}
"""
"""What free text may be. So small a model seldom comes to an end by itself, and an answer that is cut off is no use."""


def main() -> None:
    params = xllamacpp.CommonParams()
    params.model.path = str(Path(sys.prefix) / "weights.gguf")  # tests_llm/weights.py wrote it
    params.model_alias = {"smollm2"}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    # threads wait for each other by spinning: with two of them, whatever else runs makes answers ten times as slow
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.n_ubatch = 128  # what stays in the caches of a processor: a fifth less time than with the default of 512
    params.sampling.grammar = xllamacpp.CommonGrammar(xllamacpp.common_grammar_type.COMMON_GRAMMAR_TYPE_USER, _ANSWERS)
    params.endpoint_metrics = True  # /metrics says how many tokens it was asked to read
    params.verbosity = 1  # errors only
    server = xllamacpp.Server(params)
    sys.stdout.write(f"{server.listening_address}\n")
    sys.stdout.flush()
    sys.stdin.read()


main()
