"""Where LangSmith and Langfuse traces hold what a model was sent. Each model run of a trace has the whole conversation
up to then, so the newest one stands for the trace; its answer, in `outputs`, was not sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from compactor_cli.formats.base import EACH, ListPath
from compactor_cli.formats.copies import find_at, value_at
from compactor_cli.formats.values import inner, objects, sum_of, word
from compactor_cli.model.message import Message, Path

_MODEL_RUNS = ("llm", "generation", "GENERATION")
_HOLDERS = ("observations", "runs", "post", "patch")
_ORDER = ("dotted_order", "start_time", "startTime")
"""Members to order runs by; the first existing one is used."""


def requests(document: Any) -> Iterator[Path]:
    """Yield the path to the messages of each trace's newest model run, in a list of runs, a trace's `observations`,
    or a dump `{post, patch}`."""
    newest: dict[str, tuple[str, Path]] = {}
    for path, run in _runs(document):
        messages_path = next(_messages(run), None)
        trace, order = word(run, "trace_id") or word(run, "traceId"), _order(run)
        if messages_path is not None and order >= newest.get(trace, ("", ()))[0]:
            newest[trace] = (order, (*path, *messages_path))
    yield from sorted((path for _, path in newest.values()), key=str)


def _runs(document: Any) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the model runs with their paths. For a document that is a single run, other list paths find the
    messages."""
    paths: Iterable[Path] = [(), *((key,) for key in _HOLDERS)]
    for path in paths:
        for index, run in objects(find_at(document, path)):
            if word(run, "run_type") in _MODEL_RUNS or word(run, "type") in _MODEL_RUNS or path == ("patch",):
                yield (*path, index), run


def _order(run: dict[str, Any]) -> str:
    return next((str(run[key]) for key in _ORDER if run.get(key) is not None), "")


def _messages(run: dict[str, Any]) -> Iterator[Path]:
    for key in ("inputs", "input"):
        holder = run.get(key)
        if (isinstance(holder, list) and holder) or (isinstance(holder, str) and holder.lstrip().startswith("[")):
            yield (key,)  # Langfuse may also store the list as JSON text
        if isinstance(holder, dict) and isinstance(holder.get("messages"), list) and holder["messages"]:
            lists = isinstance(holder["messages"][0], list)
            yield (key, "messages", 0) if lists else (key, "messages")


def counted_in_run(document: Any, path: Path, messages: Sequence[Message]) -> tuple[int, int] | None:
    """Return the provider's count for the messages at `path` of a model run; it covers all of them."""
    index = next((index for index, step in enumerate(path) if step in ("inputs", "input")), None)
    if index is None or not messages:
        return None
    halves = _run_halves(document, value_at(document, path[:index]))
    counts = (count for half in halves for count in _count_holders(half))
    tokens = next((tokens for count in counts if (tokens := _sent_tokens(count))), None)
    return (len(messages) - 1, tokens) if tokens else None


def _run_halves(document: Any, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a run and, if a dump stores the end of runs separately, its end."""
    ends = objects(document.get("patch") if isinstance(document, dict) else None)
    with_id = [end for _, end in ends if "id" in end]
    return [run, *(end for end in with_id if end is not run and end["id"] == run.get("id"))]


def _count_holders(run: dict[str, Any]) -> Iterator[Any]:
    outputs = inner(run, "outputs")
    yield from (outputs.get("usage_metadata"), outputs.get("usage"), inner(outputs, "llm_output").get("token_usage"))
    yield from (run.get(key) for key in ("usageDetails", "usage_details", "usage"))


def _sent_tokens(counts: Any) -> int | None:
    """Return the tokens that were sent. Langfuse and Anthropic count cached tokens separately, as `input_...` or
    `cache_...`."""
    if not isinstance(counts, dict):
        return None
    return sum_of(counts, "prompt_tokens") or sum_of(
        counts, *(key for key in counts if key.startswith(("input", "cache_")))
    )


RUN_LISTS = (
    ListPath((), pick=requests, picked=_HOLDERS),
    *(ListPath((key, "messages")) for key in ("inputs", "input")),
    ListPath(("inputs", "messages", EACH)),
    ListPath(("input",)),
)
"""Where runs and lists of runs hold messages, in whatever format these are."""
