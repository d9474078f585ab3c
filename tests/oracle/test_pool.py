"""Oracle: the serial sweep. Cores and a Dask cluster give the same results, even when a worker is killed meanwhile."""

import os
import signal
import time
from pathlib import Path

import pytest
from distributed import LocalCluster

from pycore.domain import DomainError
from pycore.pool import spread_out


def slow_square(number: int, folder: str) -> tuple[int, int]:
    """A cell: it leaves a mark when it begins, works for a while and says who computed it."""
    mark = Path(folder) / f"{number}-{os.getpid()}"
    mark.touch()
    time.sleep(0.4)
    return number * number, os.getpid()


def test_cores_give_what_one_process_gives():
    jobs = [(number, 3) for number in range(20)]
    assert sorted(spread_out(pow, jobs, workers=2)) == sorted(spread_out(pow, jobs))


def test_a_killed_worker_loses_nothing_and_nothing_comes_twice(tmp_path):
    jobs = [(number, str(tmp_path)) for number in range(8)]
    # Nannies start a new worker for each one that dies.
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        results, killed = [], 0
        for number, (square, _) in spread_out(slow_square, jobs, cluster=cluster.scheduler_address):
            results.append((number, square))
            if not killed:
                # Results come as they finish: some worker is busy with the next cell right now.
                busy = [path for path in tmp_path.iterdir() if int(path.name.split("-")[0]) not in dict(results)]
                killed = int(busy[-1].name.split("-")[1])
                os.kill(killed, signal.SIGKILL)
    assert killed
    assert sorted(results) == [(number, number * number) for number in range(8)]
    begun = [int(path.name.split("-")[0]) for path in tmp_path.iterdir()]
    # The killed worker's cell, at least, was begun a second time by another process.
    assert len(begun) > 8
    assert set(begun) == set(range(8))


def test_an_address_of_no_known_cluster_is_refused():
    with pytest.raises(DomainError, match="cluster"):
        list(spread_out(pow, [(2, 3)], cluster="http://example.org"))
