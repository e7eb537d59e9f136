"""Share work among the workers of a Dask cluster: a running one, or one started on this machine for the duration."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from compactor_cli.cli.workers import Work
from compactor_cli.errors import UsageError

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
R = TypeVar("R")

_CHUNKS_AHEAD = 4
"""Chunks per thread of the cluster that are submitted before the first result is awaited."""
_TIMEOUT_SECONDS = 10
_MAX_TRIES = 6
"""How many periods of `_TIMEOUT_SECONDS` a cluster may stay without a worker."""
_DISTRIBUTION = "compactor-cli"


def in_order(
    work: Work[T, R], chunks: Callable[[int], Iterable[Sequence[T]]], processes: int, scheduler: str
) -> Generator[R, None, None]:
    """Yield the results of chunks in order. What kills its worker alone gets the result `ended`. Raises UsageError."""
    with ExitStack() as stack:
        client = stack.enter_context(_client(scheduler, processes, stack))
        threads = sum(client.nthreads().values())
        waiting: deque[tuple[Sequence[T], Future[list[R]]]] = deque()
        try:
            for chunk in chunks(threads):
                waiting.append((chunk, _submit(client, work, chunk)))
                if len(waiting) > _CHUNKS_AHEAD * threads:
                    yield from _results(client, work, *waiting.popleft())
            while waiting:
                yield from _results(client, work, *waiting.popleft())
        finally:
            client.cancel([future for _, future in waiting])


def _client(scheduler: str, processes: int, stack: ExitStack) -> Client:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError("--engine dask needs another package: pip install 'compactor-cli[dask]'") from None
    # a worker's own messages when it dies are noise: the results of its files report it
    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    address: Any = scheduler
    if not scheduler:
        settings: dict[str, Any] = {"dashboard_address": "127.0.0.1:0", "silence_logs": logging.CRITICAL}
        address = stack.enter_context(LocalCluster(n_workers=processes, threads_per_worker=1, **settings))
    try:
        client = Client(address, timeout=_TIMEOUT_SECONDS, set_as_default=False)
        client.wait_for_workers(1, timeout=_TIMEOUT_SECONDS)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {scheduler}: no cluster with a worker answers there: {error}") from None
    return client


def _submit(client: Client, work: Work[T, R], chunk: Sequence[T]) -> Future[list[R]]:
    return client.submit(
        _chunk_results, version(_DISTRIBUTION), work.begin, work.begin_args, work.chunk, chunk, pure=False
    )


def _chunk_results(
    wanted_version: str,
    begin: Callable[..., None],
    begin_args: tuple[Any, ...],
    chunk: Callable[[Sequence[T]], R],
    tasks: Sequence[T],
) -> R:
    """Return the results of a chunk; runs on a worker."""
    if version(_DISTRIBUTION) != wanted_version:
        raise UsageError(
            f"a worker of the cluster has compactor {version(_DISTRIBUTION)}, but this is {wanted_version}"
        )
    begin(*begin_args)
    return chunk(tasks)


def _results(client: Client, work: Work[T, R], chunk: Sequence[T], future: Future[list[R]]) -> Iterator[R]:
    from distributed import KilledWorker

    try:
        yield from _result(client, future)
    except KilledWorker:
        if len(chunk) == 1:
            yield work.ended(chunk[0])
            return
        for item in chunk:
            yield from _results(client, work, [item], _submit(client, work, [item]))


def _result(client: Client, future: Future[list[R]]) -> list[R]:
    from concurrent.futures import CancelledError

    from distributed.comm import CommClosedError

    try:
        return _await_result(client, future)
    except ModuleNotFoundError as error:
        _usage_error(f"a worker of the cluster has no {error.name}; install this version of compactor on all workers")
    except (CancelledError, CommClosedError):
        _usage_error("the cluster has shut down; run again with --resume to continue")


def _await_result(client: Client, future: Future[list[R]]) -> list[R]:
    """Wait for a result, with workers started anew in a local cluster. Raises UsageError if none are left."""
    from distributed import TimeoutError as TooLateError

    alone = 0
    while True:
        try:
            result: list[R] = future.result(timeout=_TIMEOUT_SECONDS)
        except TooLateError:
            alone = 0 if client.nthreads() else alone + 1
        else:
            return result
        if alone > _MAX_TRIES:
            _usage_error("the cluster has no workers left; run again with --resume to continue")
        if alone and client.cluster is not None:
            client.cluster.scale(len(client.cluster.worker_spec))


def _usage_error(problem: str) -> NoReturn:
    raise UsageError(f"--engine dask: {problem}")
