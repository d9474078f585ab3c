"""Where many runs are computed: on this machine's cores, or on a cluster. Part of the command line, not of the core.

joblib and distributed are imported only when they are used; neither is needed to train.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pycore.domain import DomainError

# A cell that takes its worker down this often is at fault itself.
TRIES = 3


def serial(task: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> Iterator[tuple[int, Any]]:
    """One after the other, in this process."""
    for number, job in enumerate(jobs):
        yield number, task(*job)


def on_cores(task: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], workers: int) -> Iterator[tuple[int, Any]]:
    """On the cores of this machine, results as they come.

    Args:
        task: importable by the workers.
        jobs: arguments of each call.
        workers: processes; -1 for all cores.
    """
    from joblib import Parallel, delayed

    def numbered(number: int, job: tuple[Any, ...]) -> tuple[int, Any]:
        return number, task(*job)

    yield from Parallel(n_jobs=workers, return_as="generator_unordered", max_nbytes=None)(
        delayed(numbered)(number, job) for number, job in enumerate(jobs)
    )


def on_dask(task: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], address: str) -> Iterator[tuple[int, Any]]:
    """On a Dask cluster. What a lost worker had in hand, or had finished and not yet handed over, is computed again.

    Args:
        task: importable by the workers.
        jobs: arguments of each call.
        address: of the scheduler, such as tcp://host:8786.
    """
    from distributed import Client, as_completed

    with Client(address) as client:
        # Keys by number: equal arguments would otherwise be one task. Pure, so that Dask may compute it again.
        futures = {
            client.submit(task, *job, key=f"{task.__name__}-{number}-{id(jobs):x}", retries=TRIES): number
            for number, job in enumerate(jobs)
        }
        left = set(futures)
        for future in as_completed(list(futures)):
            # A result counts once it is here; until then its worker may still be lost, and the future becomes pending.
            result = future.result()
            if future in left:
                left.remove(future)
                yield futures[future], result


def on_ray(task: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], address: str) -> Iterator[tuple[int, Any]]:
    """On a Ray cluster; Ray itself starts a task again when its worker dies.

    Args:
        task: importable by the workers.
        jobs: arguments of each call.
        address: of the head, such as ray://host:10001.
    """
    import ray

    ray.init(address=address, ignore_reinit_error=True)
    remote = ray.remote(max_retries=TRIES)(task)
    waiting = {remote.remote(*job): number for number, job in enumerate(jobs)}
    while waiting:
        ready, _ = ray.wait(list(waiting))
        for reference in ready:
            yield waiting.pop(reference), ray.get(reference)


def spread_out(
    task: Callable[..., Any], jobs: Sequence[tuple[Any, ...]], *, workers: int = 1, cluster: str = ""
) -> Iterator[tuple[int, Any]]:
    """Runs every job exactly once, wherever that is, and yields (number, result) as they finish.

    Args:
        task: importable by the workers.
        jobs: arguments of each call.
        workers: processes on this machine; -1 for all cores, 1 for none but this one.
        cluster: address of a Dask scheduler (tcp://, tls://) or a Ray head (ray://); "" for this machine.

    Raises:
        DomainError: an address of another kind.

    >>> sorted(spread_out(pow, [(2, 3), (3, 2)]))
    [(0, 8), (1, 9)]
    """
    if cluster.startswith("ray://"):
        return on_ray(task, jobs, cluster)
    if cluster.startswith(("tcp://", "tls://")):
        return on_dask(task, jobs, cluster)
    if cluster:
        raise DomainError("cluster", cluster, "tcp://host:port or tls://host:port of Dask, ray://host:port of Ray")
    return serial(task, jobs) if workers == 1 else on_cores(task, jobs, workers)
