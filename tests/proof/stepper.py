"""Real code on a thread of its own that runs stepwise: from one request to the next."""

import threading
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from botocore.exceptions import ConnectionClosedError
from tests.proof import dice

from blobforge.objectstore.answers import Retries
from blobforge.objectstore.client import ObjectStore
from blobforge.testing.simulated_bucket import connected
from blobforge.testing.simulated_client import S3Reply, S3Request

BEGIN = S3Request("begin")
"""The first step of every actor, which sets its clock."""
SLEEP = "sleep"
"""The operation of a step in which time passes, for `limit` seconds; then the actor reads its clock again."""


class Cut(Enum):
    """The connection broke, and it is unknown whether the request arrived."""

    TRIES_AGAIN = "the connection is cut; the client tries again"
    GIVES_UP = "the connection is cut for long; the client gives up"


class Note(NamedTuple):
    """An observation of an actor: what it achieved."""

    what: str
    value: str | None = None


class ActorContext(NamedTuple):
    """The environment of an actor: its connection to the bucket, its notes and its sleep."""

    name: str
    objects: ObjectStore
    note: Callable[[str, str | None], None]
    sleep: Callable[[float], None]


Script = Callable[[ActorContext], None]


class Heard(NamedTuple):
    """How a request ended for the actor, and when."""

    outcome: S3Reply | Cut
    now: datetime


class Stopped(BaseException):
    """Ends an actor at a request that gets no reply. What it does while it unwinds has no effect."""


def is_away(request: S3Request) -> bool:
    """Whether a step does not touch the bucket."""
    return request.operation in (BEGIN.operation, SLEEP)


class Stepper:
    """`pending` is its next request; None at its end."""

    def __init__(self, name: str, script: Script, *, skew: timedelta = timedelta(), heard: Sequence[Heard]) -> None:
        """`heard` begins with its beginning; further replies are given to it at once, one for each request."""
        self.name = name
        self.notes: list[Note] = []
        self.error: str | None = None
        self.pending: S3Request | None = BEGIN
        self._script = script
        self._skew = skew
        self._heard = list(heard)
        self._place = 1
        self._time = heard[0].now
        self._waited = 0.0
        self._is_dismissed = False
        self._my_turn = threading.Semaphore(0)
        self._your_turn = threading.Semaphore(0)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()
        self._your_turn.acquire()

    def go_on(self, heard: Heard) -> None:
        """Returns at its next request, or at its end."""
        self._heard.append(heard)
        self._my_turn.release()
        self._your_turn.acquire()

    def dismiss(self) -> None:
        """It is gone: its thread ends without any effect."""
        self._is_dismissed = True
        self._my_turn.release()
        self._thread.join()

    # Its wire

    def now(self) -> datetime:
        return self._time + self._skew

    def send(self, request: S3Request) -> S3Reply:
        if self._is_dismissed:
            raise Stopped
        if self._place == len(self._heard):
            self._stand_at(request)
        outcome, self._time = self._heard[self._place]
        self._place += 1
        if isinstance(outcome, S3Reply):
            return outcome
        if outcome is Cut.GIVES_UP:
            self._waited += 1_000_000
        raise ConnectionClosedError(endpoint_url="the bucket")

    def _stand_at(self, request: S3Request) -> None:
        self.pending = request
        self._your_turn.release()
        self._my_turn.acquire()
        if self._is_dismissed:
            raise Stopped

    def _run(self) -> None:
        retries = Retries(clock=lambda: self._waited, sleep=lambda _: None, roll=lambda: 0.0)
        context = ActorContext(self.name, connected(self, retries=retries), self._note, self._sleep)
        try:
            with dice.in_hand(self.name, self.now):
                self._script(context)
        except Stopped:
            return
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
            self.error = f"{type(problem).__name__}: {problem}"
        self.pending = None
        self._your_turn.release()

    def _note(self, what: str, value: str | None) -> None:
        self.notes.append(Note(what, value))

    def _sleep(self, seconds: float) -> None:
        self.send(S3Request(SLEEP, limit=int(seconds)))
