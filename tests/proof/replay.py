"""An actor that can be stopped at each of its requests, by running it again from its beginning.

What real code does next depends only on the replies that it got and on its clock. So an actor's state is the sequence
of these, and one that stands at a request is found by playing the sequence to a fresh actor. Equal sequences are played
once: the states of an actor form a tree, and a schedule is a walk through the trees of its actors.
"""

import itertools
from collections.abc import Callable
from datetime import datetime, timedelta
from enum import Enum
from typing import NamedTuple

from botocore.exceptions import ConnectionClosedError
from tests.proof import dice

from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.trouble import Patience
from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import connected
from blobforge.testing.simulated_client import Reply, Request

BEGIN = Request("begin")
"""The first step of every actor, which gives it its time."""
SLEEP = Request("sleep")
"""A step too: who wakes up looks at the clock again."""
AWAY_FROM_THE_BUCKET = frozenset({BEGIN, SLEEP})


class Cut(Enum):
    """The connection broke, and nobody knows whether the request arrived."""

    TRIES_AGAIN = "the connection is cut; the client tries again"
    GIVES_UP = "the connection is cut for long; the client gives up"


class Note(NamedTuple):
    """What an actor tells of what it achieved."""

    what: str
    value: str | int | None = None


class Seat(NamedTuple):
    """What an actor gets: its connection to the bucket, and a way to tell."""

    name: str
    objects: ObjectStore
    note: Callable[[str, str | int | None], None]
    sleep: Callable[[float], None]
    """In virtual time. Where all schedules are tried, it is a step like any other."""


Play = Callable[[Seat], None]


class Node:
    """An actor at one of its requests, or at its end (`request` is None)."""

    __slots__ = ("children", "error", "notes", "number", "parent", "reason", "request")

    def __init__(
        self,
        number: int,
        *,
        parent: "Node | None",
        reason: "tuple[Reply | Cut, datetime] | None",
        request: Request | None,
        notes: tuple[Note, ...] = (),
        error: str | None = None,
    ) -> None:
        self.number = number
        self.parent = parent
        self.reason = reason
        self.request = request
        self.notes = notes
        self.error = error
        self.children: dict[tuple[Reply | Cut, datetime], Node] = {}


class Actor:
    """The tree of everything that an actor has been seen to do."""

    _numbers = itertools.count()

    def __init__(self, name: str, play: Play, *, skew: timedelta = timedelta()) -> None:
        self.name = name
        self._play = play
        self._skew = skew
        self.root = Node(next(self._numbers), parent=None, reason=None, request=BEGIN)

    def after(self, node: Node, outcome: Reply | Cut, now: datetime) -> Node:
        """Where the actor stands when its request ended so, at this time."""
        child = node.children.get((outcome, now))
        if child is None:
            child = node.children[outcome, now] = self._played(node, (outcome, now))
        return child

    def _played(self, node: Node, reason: tuple[Reply | Cut, datetime]) -> Node:
        wire = _ReplayWire(_history(node, reason), self._skew)
        notes: list[Note] = []
        seat = Seat(self.name, wire.objects(), lambda what, value: notes.append(Note(what, value)), wire.sleep)
        error = None
        try:
            with dice.in_hand(self.name, wire.now):
                self._play(seat)
        except Stopped:
            request: Request | None = wire.pending
        except Exception as problem:  # noqa: BLE001 - whatever it is, it is told
            request, error = None, f"{type(problem).__name__}: {problem}"
        else:
            request = None
        return Node(next(self._numbers), parent=node, reason=reason, request=request, notes=tuple(notes), error=error)


class Stopped(BaseException):
    """Ends a play at a request that has no reply yet. What the actor does on its way out has no effect."""


class NotDeterministic(BaseException):
    """The same replies led to another request: the play draws chance or time from somewhere else."""


class _Played(NamedTuple):
    request: Request
    outcome: Reply | Cut
    now: datetime


class _ReplayWire:
    def __init__(self, history: list[_Played], skew: timedelta) -> None:
        self._history = history
        self._place = 1
        self._time = history[0].now if history else START
        self._skew = skew
        self._waited = 0.0
        self.pending: Request | None = None

    def objects(self) -> ObjectStore:
        patience = Patience(clock=lambda: self._waited, sleep=lambda _: None, roll=lambda: 0.0)
        return connected(self, patience=patience)

    def now(self) -> datetime:
        return self._time + self._skew

    def sleep(self, _: float) -> None:
        self.send(SLEEP)

    def send(self, request: Request) -> Reply:
        if self._place == len(self._history):
            self.pending = self.pending or request
            raise Stopped
        expected, outcome, self._time = self._history[self._place]
        if expected != request:
            raise NotDeterministic(f"{request} in the place of {expected}")
        self._place += 1
        if isinstance(outcome, Reply):
            return outcome
        if outcome is Cut.GIVES_UP:
            self._waited += 1_000_000
        raise ConnectionClosedError(endpoint_url="the bucket")


def _history(node: Node, reason: tuple[Reply | Cut, datetime]) -> list[_Played]:
    played: list[_Played] = []
    at: Node | None = node
    why: tuple[Reply | Cut, datetime] | None = reason
    while at is not None and at.request is not None and why is not None:
        played.append(_Played(at.request, *why))
        why = at.reason
        at = at.parent
    return played[::-1]
