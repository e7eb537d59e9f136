"""Where traces of LangSmith and Langfuse hold what a model was sent.

A trace is many runs. Each run of a model has the whole conversation as it was then, so the newest one stands for the
trace; its answer stands in `outputs` and is no part of what was sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from compactor_cli.formats.base import EACH, ListPath, word
from compactor_cli.model.message import Path

_OF_MODELS = ("llm", "generation", "GENERATION")
_ORDER = ("dotted_order", "start_time", "startTime")
"""What runs are ordered by, the first that they have."""


def requests(document: Any) -> Iterator[Path]:
    """The path to the messages of each trace's newest run of a model: in a list of runs, in a trace's `observations`,
    or in a dump `{post, patch}`."""
    newest: dict[str, tuple[str, Path]] = {}
    for path, run in _runs(document):
        found = next(_messages(run), None)
        trace, order = word(run, "trace_id") or word(run, "traceId"), _order(run)
        if found is not None and order >= newest.get(trace, ("", ()))[0]:
            newest[trace] = (order, (*path, *found))
    yield from sorted((path for _, path in newest.values()), key=str)


def _runs(document: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """The runs of models, each with its path. A document that is one run has its messages at a path of their own."""
    places: Iterable[Path] = [(), ("observations",), ("runs",), ("post",), ("patch",)]
    for place in places:
        inside = document
        for step in place:
            inside = inside.get(step) if isinstance(inside, dict) else None
        for at, run in enumerate(inside if isinstance(inside, list) else ()):
            if word(run, "run_type") in _OF_MODELS or word(run, "type") in _OF_MODELS or place == ("patch",):
                yield (*place, at), run


def _order(run: dict[str, Any]) -> str:
    return next((str(run[key]) for key in _ORDER if run.get(key) is not None), "")


def _messages(run: dict[str, Any]) -> Iterator[Path]:
    for key in ("inputs", "input"):
        inside = run.get(key)
        if (isinstance(inside, list) and inside) or (isinstance(inside, str) and inside.lstrip().startswith("[")):
            yield (key,)  # Langfuse has the list as a JSON text, too
        if isinstance(inside, dict) and isinstance(inside.get("messages"), list) and inside["messages"]:
            lists = isinstance(inside["messages"][0], list)
            yield (key, "messages", 0) if lists else (key, "messages")


IN_RUNS = (
    ListPath((), pick=requests),
    *(ListPath((key, "messages")) for key in ("inputs", "input")),
    ListPath(("inputs", "messages", EACH)),
    ListPath(("input",)),
)
"""Where runs and lists of them hold messages, whatever format these are in."""
