"""Many actors on threads, of which one runs at a time, in virtual time: one schedule, drawn from a seed.

Every request is a step. Between steps, chance chooses who goes on, and spends what faults are left: an actor is gone,
sleeps for hours, its connection is cut, its write is refused by 409, its deletion of many is cut in the middle.
"""

import random
import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from botocore.exceptions import ConnectionClosedError
from tests.proof import dice
from tests.proof.explorer import Written
from tests.proof.replay import Cut, Note, Play, Seat, Stopped

from blobforge.objectstore.trouble import Patience
from blobforge.testing.simulated_bucket import SimulatedBucket, connected, without
from blobforge.testing.simulated_client import Reply, Request

SKEW = timedelta(minutes=10)
SLOWEST_STEP = 0.2
LONGEST_SLEEP = 3 * 3600.0
MOST_STEPS = 20_000
_CONFLICT = Reply(409, "ConditionalRequestConflict")


class Role(NamedTuple):
    name: str
    play: Play
    begins_within: float = 60.0
    """Seconds of virtual time."""


class TooLong(Exception):
    """The actors do not come to an end."""


class Stage:
    """One schedule. `log` tells it afterwards."""

    def __init__(
        self,
        bucket: SimulatedBucket,
        roles: Sequence[Role],
        *,
        seed: int,
        faults: int,
        watched: Callable[[str], bool],
    ) -> None:
        self._chance = random.Random(seed)
        self.bucket = bucket
        self._faults = faults
        self._watched = watched
        self._flights: list[tuple[datetime, Request, str]] = []
        self.written: list[Written] = []
        self.log: list[str] = []
        self.actors = [self._actor(role) for role in roles]

    def run(self) -> None:
        """Until all have ended and nothing is in flight. Raises TooLong."""
        for actor in self.actors:
            actor.start()
        try:
            for _ in range(MOST_STEPS):
                if not self._turn():
                    return
        finally:
            for actor in self.actors:
                actor.dismiss()
        raise TooLong(f"the actors still move after {MOST_STEPS} steps")

    def _actor(self, role: Role) -> "LiveActor":
        skew = timedelta(seconds=self._chance.uniform(-1, 1) * SKEW.total_seconds())
        begins = self.bucket.time + timedelta(seconds=self._chance.uniform(0, role.begins_within))
        return LiveActor(role, self.bucket, skew=skew, begins=begins)

    def _turn(self) -> bool:
        """One step of one actor, or the landing of what was in flight; False when there is nothing left."""
        waiting = [actor for actor in self.actors if actor.is_waiting]
        moments = [actor.wakes for actor in waiting] + [flight[0] for flight in self._flights]
        if not moments:
            return False
        self.bucket.time = max(self.bucket.time, min(moments))
        self._land()
        ready = [actor for actor in waiting if actor.wakes <= self.bucket.time]
        if ready:
            self.bucket.time += timedelta(seconds=self._chance.uniform(0.001, SLOWEST_STEP))
            self._move(self._chance.choice(ready))
        return True

    def _move(self, actor: "LiveActor") -> None:
        request = actor.pending
        if request is not None and self._faults and self._chance.random() < 0.08:
            self._faults -= 1
            self._disturb(actor, request)
        else:
            actor.go_on(self._effect(request, actor.name) if request is not None else None)

    def _disturb(self, actor: "LiveActor", request: Request) -> None:
        kind = self._chance.choice(["gone", "asleep", "asleep", "cut", "cut", "cut off", "409"])
        self._tell(actor.name, f"{request}: {kind}")
        if kind == "gone":
            self._send_off(request, actor.name)
            actor.dismiss()
        elif kind == "asleep":
            actor.wakes = self.bucket.time + timedelta(seconds=self._chance.uniform(1, LONGEST_SLEEP))
        elif kind == "409" and request.is_write and request.is_conditional:
            actor.go_on(_CONFLICT._replace(date=self.bucket.time))
        else:
            self._send_off(request, actor.name)
            actor.go_on(Cut.GIVES_UP if kind == "cut off" else Cut.TRIES_AGAIN)

    def _send_off(self, request: Request, by: str) -> None:
        """Its sender hears nothing of it: it arrives at once, later, or never."""
        fate = self._chance.choice(["now", "later", "never"])
        if request.is_write and fate == "now":
            self._effect(request, by)
        elif request.is_write and fate == "later":
            lands = self.bucket.time + timedelta(seconds=self._chance.expovariate(1 / 600))
            self._flights.append((lands, request, by))

    def _land(self) -> None:
        landing = [flight for flight in self._flights if flight[0] <= self.bucket.time]
        self._flights = [flight for flight in self._flights if flight[0] > self.bucket.time]
        for _, request, by in landing:
            self._effect(request, f"{by}, late")

    def _effect(self, request: Request, by: str) -> Reply:
        if request.keys and self._faults and self._chance.random() < 0.3:
            return self._half_deleted(request, by)
        reply = self.bucket.send(request)
        self._tell(by, f"{request} → {reply.status}")
        if reply.status == 200 and request.operation == "put_object" and self._watched(request.key):
            self.written.append(Written(request.key, request.body, request.metadata, by))
        return reply

    def _half_deleted(self, request: Request, by: str) -> Reply:
        """The rest of it takes its time, while the others go on."""
        cut = self._chance.randrange(len(request.keys) + 1)
        for key in request.keys[:cut]:
            self.bucket.contents = without(self.bucket.contents, key)
        rest = request._replace(keys=request.keys[cut:])
        if rest.keys:
            self._flights.append((self.bucket.time + timedelta(seconds=self._chance.uniform(0, 2)), rest, by))
        self._tell(by, f"{request}: {cut} of them at first")
        return Reply(200, date=self.bucket.time)

    def _tell(self, by: str, what: str) -> None:
        self.log.append(f"{self.bucket.time:%d %H:%M:%S} {by}: {what}")


class LiveActor:
    """A play on a thread of its own, which runs only between `go_on` and its next request or sleep."""

    def __init__(self, role: Role, bucket: SimulatedBucket, *, skew: timedelta, begins: datetime) -> None:
        self.name = role.name
        self.notes: list[Note] = []
        self.error: str | None = None
        self.wakes = begins
        self.pending: Request | None = None
        self.is_waiting = False
        self._play = role.play
        self._bucket = bucket
        self._skew = skew
        self._outcome: Reply | Cut | None = None
        self._is_dismissed = False
        self._waited = 0.0
        self._my_turn = threading.Semaphore(0)
        self._your_turn = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name=role.name, daemon=True)

    def start(self) -> None:
        self.is_waiting = True
        self._thread.start()

    def go_on(self, outcome: Reply | Cut | None) -> None:
        self._outcome, self.pending = outcome, None
        self._my_turn.release()
        self._your_turn.acquire()

    def dismiss(self) -> None:
        """It is gone. Its thread ends without any effect."""
        self._is_dismissed = True
        if self._thread.is_alive():
            self._my_turn.release()
            self._thread.join()

    def now(self) -> datetime:
        return self._bucket.time + self._skew

    def send(self, request: Request) -> Reply:
        if self._is_dismissed:
            raise Stopped
        self.pending = request
        outcome = self._wait()
        if isinstance(outcome, Reply):
            return outcome
        if outcome is Cut.GIVES_UP:
            self._waited += 1_000_000
        raise ConnectionClosedError(endpoint_url="the bucket")

    def sleep(self, seconds: float) -> None:
        self.wakes = self._bucket.time + timedelta(seconds=seconds)
        self._wait()

    def _wait(self) -> Reply | Cut | None:
        self._your_turn.release()
        self._my_turn.acquire()
        if self._is_dismissed:
            raise Stopped
        return self._outcome

    def _run(self) -> None:
        self._my_turn.acquire()
        patience = Patience(clock=lambda: self._waited, sleep=lambda _: None, roll=lambda: 0.0)
        try:
            if not self._is_dismissed:
                seat = Seat(self.name, connected(self, patience=patience), self._note, self.sleep)
                with dice.in_hand(self.name, self.now):
                    self._play(seat)
        except Stopped:
            self.notes.append(Note("gone"))
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
            self.error = f"{type(problem).__name__}: {problem}"
        finally:
            self.is_waiting = False
            self._your_turn.release()

    def _note(self, what: str, value: str | int | None) -> None:
        self.notes.append(Note(what, value))
