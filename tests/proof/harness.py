"""Many actors on threads, of which one runs at a time, in virtual time: one schedule, drawn from a seed.

Every request is a step. Between steps, chance chooses who goes on, and spends what faults are left: an actor is gone,
sleeps for hours, its connection is cut, its write is refused by 409, its deletion of many is cut in the middle.
"""

import random
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from tests.proof.explorer import Check, Written
from tests.proof.stepper import BEGIN, SLEEP, Cut, Heard, Note, Script, Stepper, is_away

from blobforge.testing.simulated_bucket import Held, SimulatedBucket, without
from blobforge.testing.simulated_client import S3Reply, S3Request

SKEW = timedelta(minutes=10)
SLOWEST_STEP = 0.2
LONGEST_SLEEP = 3 * 3600.0
MOST_STEPS = 20_000
_CONFLICT = S3Reply(409, "ConditionalRequestConflict")


class Role(NamedTuple):
    name: str
    script: Script
    begins_within: float = 60.0
    """Seconds of virtual time."""


class TooLong(Exception):
    """The actors do not come to an end."""


class Harness:
    """One schedule. `log` tells it afterwards."""

    def __init__(
        self,
        bucket: SimulatedBucket,
        roles: Sequence[Role],
        *,
        seed: int,
        faults: int,
        watched: Callable[[str], bool],
        check: Check = lambda _before, _request: None,
    ) -> None:
        self._chance = random.Random(seed)
        self.bucket = bucket
        self._faults = faults
        self._watched = watched
        self._check = check
        self.complaints: list[str] = []
        self._flights: list[tuple[datetime, S3Request, str]] = []
        self.written: list[Written] = []
        self.log: list[str] = []
        self.actors = [self._actor(role) for role in roles]

    def run(self) -> None:
        """Until all have ended and nothing is in flight. Raises TooLong."""
        try:
            for _ in range(MOST_STEPS):
                if not self._turn():
                    return
        finally:
            for actor in self.actors:
                if not actor.is_over:
                    actor.dismiss()
        raise TooLong(f"the actors still move after {MOST_STEPS} steps")

    def _actor(self, role: Role) -> "LiveActor":
        skew = timedelta(seconds=self._chance.uniform(-1, 1) * SKEW.total_seconds())
        begins = self.bucket.time + timedelta(seconds=self._chance.uniform(0, role.begins_within))
        return LiveActor(role, skew=skew, begins=begins)

    def _turn(self) -> bool:
        """One step of one actor, or the landing of what was in flight; False when there is nothing left."""
        waiting = [actor for actor in self.actors if not actor.is_over]
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
        assert request is not None
        if is_away(request):
            self._answer(actor, S3Reply(200, date=self.bucket.time))
        elif self._faults and self._chance.random() < 0.08:
            self._faults -= 1
            self._disturb(actor, request)
        else:
            self._answer(actor, self._effect(request, actor.name))

    def _answer(self, actor: "LiveActor", outcome: S3Reply | Cut) -> None:
        actor.go_on(Heard(outcome, self.bucket.time))

    def _disturb(self, actor: "LiveActor", request: S3Request) -> None:
        kind = self._chance.choice(["gone", "asleep", "asleep", "cut", "cut", "cut off", "409"])
        self._tell(actor.name, f"{request}: {kind}")
        if kind == "gone":
            self._send_off(request, actor.name)
            actor.dismiss()
        elif kind == "asleep":
            actor.wakes = self.bucket.time + timedelta(seconds=self._chance.uniform(1, LONGEST_SLEEP))
        elif kind == "409" and request.is_write and request.is_conditional:
            self._answer(actor, _CONFLICT._replace(date=self.bucket.time))
        else:
            self._send_off(request, actor.name)
            self._answer(actor, Cut.GIVES_UP if kind == "cut off" else Cut.TRIES_AGAIN)

    def _send_off(self, request: S3Request, by: str) -> None:
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

    def _effect(self, request: S3Request, by: str) -> S3Reply:
        if request.keys and self._faults and self._chance.random() < 0.3:
            return self._half_deleted(request, by)
        before = self.bucket.contents.objects.get(request.key)
        reply = self.bucket.send(request)
        self._tell(by, f"{request} → {reply.status}")
        if reply.status == 200 and request.operation == "put_object":
            self._look_at(before, request, by)
        return reply

    def _look_at(self, before: Held | None, request: S3Request, by: str) -> None:
        complaint = self._check(before, request)
        if complaint is not None:
            self.complaints.append(f"{by}: {complaint}")
        if self._watched(request.key):
            self.written.append(Written(request.key, request.body, request.metadata, by))

    def _half_deleted(self, request: S3Request, by: str) -> S3Reply:
        """The rest of it takes its time, while the others go on."""
        cut = self._chance.randrange(len(request.keys) + 1)
        for key in request.keys[:cut]:
            self.bucket.contents = without(self.bucket.contents, key)
        rest = request._replace(keys=request.keys[cut:])
        if rest.keys:
            self._flights.append((self.bucket.time + timedelta(seconds=self._chance.uniform(0, 2)), rest, by))
        self._tell(by, f"{request}: {cut} of them at first")
        return S3Reply(200, date=self.bucket.time)

    def _tell(self, by: str, what: str) -> None:
        self.log.append(f"{self.bucket.time:%d %H:%M:%S} {by}: {what}")


class LiveActor:
    """One who has a place in time: when it goes on."""

    def __init__(self, role: Role, *, skew: timedelta, begins: datetime) -> None:
        self.name = role.name
        self.wakes = begins
        self.notes: list[Note] = []
        self.error: str | None = None
        self.is_gone = False
        self._role = role
        self._skew = skew
        self._stepper: Stepper | None = None

    @property
    def pending(self) -> S3Request | None:
        return BEGIN if self._stepper is None else self._stepper.pending

    @property
    def is_over(self) -> bool:
        return self.is_gone or self.pending is None

    def go_on(self, heard: Heard) -> None:
        if self._stepper is None:
            self._stepper = Stepper(self.name, self._role.script, skew=self._skew, heard=[heard])
            self.notes = self._stepper.notes
        else:
            self._stepper.go_on(heard)
        self.error = self._stepper.error
        request = self._stepper.pending
        if request is not None and request.operation == SLEEP:
            self.wakes = heard.now + timedelta(seconds=request.limit)

    def dismiss(self) -> None:
        self.is_gone = True
        if self._stepper is not None and self._stepper.pending is not None:
            self._stepper.dismiss()
