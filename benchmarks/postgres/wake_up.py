"""How soon an idle worker starts a new job, and what it costs the database while it waits."""

import multiprocessing
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import NamedTuple, Protocol, Self

from benchmarks.harness import Measure
from benchmarks.postgres import our_queue, pgqueuer_queue, procrastinate_queue
from benchmarks.postgres.effort import Effort
from benchmarks.postgres.place import ClaimPosition
from benchmarks.postgres.rounds import milliseconds
from benchmarks.queue import add_jobs

SAMPLES = 60
IDLE_SECONDS = 20.0
ANSWER_SECONDS = 60.0

_spawning = multiprocessing.get_context("spawn")


class Submitter(Protocol):
    def submit(self) -> None: ...

    def close(self) -> None: ...


class OurSubmitter:
    def __init__(self, url: str) -> None:
        self._service = our_queue.open_service(url)
        self._number = 0

    def submit(self) -> None:
        add_jobs(self._service, 1, first=self._number)
        self._number += 1

    def close(self) -> None:
        self._service.close()


class Contestant(NamedTuple):
    install: Callable[[str], None]
    serve: Callable[[str, Connection], None]
    submitter: Callable[[str], Submitter]


_CONTESTANTS = {
    "ours": Contestant(lambda url: our_queue.fill(url, 0), our_queue.serve, OurSubmitter),
    "PgQueuer": Contestant(pgqueuer_queue.install, pgqueuer_queue.serve, pgqueuer_queue.Submitter),
    "procrastinate": Contestant(
        lambda url: procrastinate_queue.fill(url, 0), procrastinate_queue.serve, procrastinate_queue.Submitter
    ),
}


def measures(place: ClaimPosition, effort: Effort) -> Iterator[Measure]:
    with Idle(place, "ours") as ours, Idle(place, "PgQueuer") as pgqueuer, Idle(place, "procrastinate") as other:
        everybody = (ours, pgqueuer, other)
        for number in range(effort.of(SAMPLES)):
            for idle in everybody:
                idle.sample(number)
        before = {idle.name: idle.statements() for idle in everybody}
        time.sleep(IDLE_SECONDS)  # the idle time itself is what is measured
        rates = {idle.name: (idle.statements() - before[idle.name]) / IDLE_SECONDS for idle in everybody}
    told = ", ".join(idle.told() for idle in everybody)
    yield Measure(
        what="enqueue to start on an idle worker, p50: against PgQueuer",
        value=ours.median() / pgqueuer.median(),
        unit="x",
        goal=1.0,
        better="less",
        details=f"p50 (p10–p90): {told}; of ours it is the claim, of the others the call of the task",
    )
    yield Measure(
        what="statements of an idle worker",
        value=rates["ours"],
        unit="1/s",
        goal=1,
        better="less",
        details=", ".join(f"{name} {figure:.2f}/s" for name, figure in rates.items())
        + "; as the server's log has them",
    )


class Idle:
    """A worker in a process of its own that has nothing to do, and someone who gives it a job now and then."""

    def __init__(self, place: ClaimPosition, name: str) -> None:
        self.name = name
        self._place = place
        self._contestant = _CONTESTANTS[name]
        self._waits: list[float] = []

    def __enter__(self) -> Self:
        self._within = self._working()
        self._submitter, self._told, self.statements = self._within.__enter__()
        self._submit_and_wait()  # the first one also waits for the worker to start
        return self

    def __exit__(self, *_: object) -> None:
        self._within.__exit__(None, None, None)

    def sample(self, number: int) -> None:
        self._waits.append(self._submit_and_wait())
        # A varying pause, so that samples do not fall into step with the worker's own rhythm.
        time.sleep(0.15 + 0.0037 * (number % 11))

    def median(self) -> float:
        return statistics.median(self._waits)

    def told(self) -> str:
        waits = sorted(self._waits)
        low, high = waits[int(len(waits) * 0.1)], waits[int(len(waits) * 0.9)]
        return f"{self.name} {milliseconds(self.median())} ({milliseconds(low)}–{milliseconds(high)})"

    def _submit_and_wait(self) -> float:
        began = time.monotonic()
        self._submitter.submit()
        if not self._told.poll(ANSWER_SECONDS):
            raise RuntimeError(f"{self.name} did not start a job within {ANSWER_SECONDS:g} s")
        started: float = self._told.recv()
        return started - began

    @contextmanager
    def _working(self) -> Iterator[tuple[Submitter, Connection, Callable[[], int]]]:
        with self._place.empty_database() as url:
            self._contestant.install(url)
            submitter = self._contestant.submitter(url)
            with self._place.logged_statements(url) as statements:
                told, tells = _spawning.Pipe(duplex=False)
                worker = _spawning.Process(target=self._contestant.serve, args=(url, tells))
                worker.start()
                try:
                    yield submitter, told, statements
                finally:
                    worker.terminate()
                    worker.join(10)
                    worker.kill()
                    worker.join()
                    submitter.close()
