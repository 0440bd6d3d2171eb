"""Processes that begin together and work until nothing is left."""

import multiprocessing
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Barrier
from typing import NamedTuple

LONGEST_SECONDS = 300.0

_spawning = multiprocessing.get_context("spawn")


class Span(NamedTuple):
    """How many jobs one process handled, and when it had the first and had done the last, by `time.monotonic`."""

    jobs: int
    first: float
    last: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What each process is told. It calls `begin` when it is ready, which waits for the others."""

    url: str
    batch: int
    rank: int = 0
    jobs: int = 0
    begin: Callable[[], object] = lambda: None


Work = Callable[[Task], Span]


def rate(work: Work, url: str, *, processes: int, batch: int, jobs: int) -> float:
    """Jobs per second of all together, from the first that one began to the last that one ended."""
    spans = _run(work, url, processes=processes, batch=batch, jobs=jobs)
    handled = sum(span.jobs for span in spans)
    if handled != jobs:
        raise RuntimeError(f"{work.__module__}.{work.__name__}: {handled:,} of {jobs:,} jobs were handled")
    busy = [span for span in spans if span.jobs]
    return jobs / (max(span.last for span in busy) - min(span.first for span in busy))


def _run(work: Work, url: str, *, processes: int, batch: int, jobs: int) -> list[Span]:
    barrier = _spawning.Barrier(processes, timeout=60)
    running = []
    pipes: list[Connection] = []
    for rank in range(processes):
        mine, its = _spawning.Pipe(duplex=False)
        process = _spawning.Process(target=_work, args=(work, url, batch, rank, jobs, barrier, its))
        process.start()
        its.close()
        running.append(process)
        pipes.append(mine)
    try:
        return [_answer(pipe) for pipe in pipes]
    finally:
        for process in running:
            process.join(5)
            if process.is_alive():
                process.kill()
                process.join()


def _answer(pipe: Connection) -> Span:
    if not wait([pipe], timeout=LONGEST_SECONDS):
        raise RuntimeError(f"a run did not end within {LONGEST_SECONDS:g} s")
    span: Span = pipe.recv()
    return span


def _work(work: Work, url: str, batch: int, rank: int, jobs: int, barrier: Barrier, answer: Connection) -> None:
    answer.send(work(Task(url=url, batch=batch, rank=rank, jobs=jobs, begin=barrier.wait)))
