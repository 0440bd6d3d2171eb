"""Many actors in virtual time: real code on threads of which one runs at a time, from one wait to the next."""

import heapq
import threading
from collections import Counter
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import count

from benchmarks.bucket.large_bucket import LargeBucket, kind_of
from blobforge.objectstore.client import ObjectStore
from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import connected
from blobforge.testing.simulated_client import S3Reply, S3Request


class Simulation:
    def __init__(self, bucket: LargeBucket, *, latency: float) -> None:
        """Each request takes `latency` seconds and happens at their end."""
        self.bucket = bucket
        self.latency = latency
        self.seconds = 0.0
        self._due: list[tuple[float, int, Actor]] = []
        self._tickets = count()
        self._over = threading.Semaphore(0)
        self._error: BaseException | None = None

    def now(self) -> datetime:
        return START + timedelta(seconds=self.seconds)

    def cast(self, play: "Play", *, at: float = 0.0) -> None:
        """An actor who begins at that time."""
        self.awake(Actor(self, play), at)

    def run(self) -> None:
        """Until everyone has come to an end. Raises what any of them raises."""
        if self._due:
            self.next().baton.release()
            self._over.acquire()
        if self._error is not None:
            raise self._error

    # For actors

    def awake(self, actor: "Actor", at: float) -> None:
        heapq.heappush(self._due, (at, next(self._tickets), actor))

    def next(self) -> "Actor":
        self.seconds, _, actor = heapq.heappop(self._due)
        return actor

    def leave(self, error: BaseException | None) -> None:
        self._error = self._error or error
        if self._due and self._error is None:
            self.next().baton.release()
        else:
            self._over.release()


class Actor:
    """One that waits and sends requests; it is its own wire to the bucket."""

    def __init__(self, simulation: Simulation, play: "Play") -> None:
        self._simulation = simulation
        self._play = play
        self.baton = threading.Semaphore(0)
        self.sent: Counter[str] = Counter()
        self.objects: ObjectStore = connected(self)
        threading.Thread(target=self._run, daemon=True).start()

    def wait(self, seconds: float) -> None:
        simulation = self._simulation
        simulation.awake(self, simulation.seconds + seconds)
        next_one = simulation.next()
        if next_one is not self:
            next_one.baton.release()
            self.baton.acquire()

    @property
    def seconds(self) -> float:
        return self._simulation.seconds

    def send(self, request: S3Request) -> S3Reply:
        self.wait(self._simulation.latency)
        self.sent[kind_of(request)] += 1
        return self._simulation.bucket.perform(request, self._simulation.now())

    def now(self) -> datetime:
        return self._simulation.now()

    def _run(self) -> None:
        self.baton.acquire()
        error: BaseException | None = None
        try:
            self._play(self)
        except BaseException as problem:  # noqa: BLE001 - the simulation raises it
            error = problem
        self._simulation.leave(error)


Play = Callable[[Actor], None]
