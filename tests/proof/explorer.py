"""Explores every schedule of a few actors on one bucket, with a limited number of faults, and judges every ending.

A state is the bucket, the position of each actor, what is still in flight, the time, and the faults that are left. Each
is visited once. A fault is: a crash; a connection that is cut (the write arrives at once, later, or never, or of a new
object the headers alone; the client tries again or gives up); a refusal by 409; or a pause of all so long that leases
run out. `delete_objects` takes a step for each name, because S3 promises nothing for all of them together.

Two reductions lose no ending. A name that never exists in a schedule needs no step to be deleted. And once no fault is
left, a step that touches nothing that the others ever touch is taken at once: its order among theirs makes no
difference. Both rest on footprints that are learnt while exploring; while they grow, the exploration is made again.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from tests.proof.footprints import Footprints
from tests.proof.replay import Actor, Node
from tests.proof.stepper import BEGIN, Cut, Heard, Note, is_away

from blobforge.objectstore.cut_writes import is_remains
from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import Contents, Held, performed
from blobforge.testing.simulated_client import S3Reply, S3Request

PAUSE = timedelta(hours=1)
"""Longer than any lease and any back-off before another try."""

MOST_STEPS = 1_000
"""A schedule that ends has a tenth of it."""

_CONFLICT = S3Reply(409, "ConditionalRequestConflict")


class Written(NamedTuple):
    """A write of an object that is watched."""

    key: str
    body: bytes
    metadata: tuple[tuple[str, str], ...]
    by: str


class World(NamedTuple):
    contents: Contents
    written: tuple[Written, ...] = ()
    complaint: str | None = None
    """About the write that led here."""


class Flight(NamedTuple):
    """A write whose sender does not wait for the reply any more."""

    request: S3Request
    by: str


class Told(NamedTuple):
    """What is known of an actor at the end."""

    name: str
    notes: tuple[Note, ...]
    is_over: bool
    """It came to its end; otherwise it was gone before."""


class Ending(NamedTuple):
    world: World
    now: datetime
    actors: tuple[Told, ...]


Judge = Callable[[Ending], list[str]]
Check = Callable[[Held | None, S3Request], str | None]
"""What is wrong with a write, given what was there before."""


class Violation(NamedTuple):
    complaint: str
    schedule: tuple[str, ...]


class Explored(NamedTuple):
    states: int
    transitions: int
    endings: int
    violations: tuple[Violation, ...]


class _Place(NamedTuple):
    """The position of an actor; in a deletion of many, how many are deleted already."""

    node: Node
    done: int = 0
    is_gone: bool = False


class _State(NamedTuple):
    world: int
    now: datetime
    places: tuple[_Place, ...]
    flights: tuple[Flight, ...]
    faults: int


_Step = tuple[str, _State]


class Explorer:
    def __init__(
        self,
        actors: Sequence[Actor],
        start: Contents,
        judge: Judge,
        *,
        faults: int = 1,
        late: bool = False,
        now: datetime = START,
        watched: Callable[[str], bool] = lambda _: False,
        check: Check = lambda _before, _request: None,
        most_violations: int = 1,
        standing_at: Sequence[Node] | None = None,
    ) -> None:
        """`late`: what was cut off may arrive at any later moment, not only at once or never.

        `standing_at`: where each actor is at first, if that is not its beginning.
        """
        self._actors = actors
        self._judge = judge
        self._watched = watched
        self._check = check
        self._most = most_violations
        self._late = late
        self._worlds: list[World] = []
        self._numbers: dict[object, int] = {}
        self._effects: dict[tuple[int, S3Request, datetime, str], tuple[int, S3Reply]] = {}
        self._footprints = Footprints([actor.name for actor in actors], start.objects)
        places = tuple(_Place(node) for node in standing_at or [actor.root for actor in actors])
        self._first = _State(self._number(World(start)), now, places, (), faults)

    def explore(self) -> Explored:
        try:
            while True:
                self._footprints.begin()
                explored = self._explore()
                if explored.violations or not self._footprints.have_grown:
                    return explored
        finally:
            for actor in self._actors:
                actor.close()

    def _explore(self) -> Explored:
        """Depth first; the stack is the schedule that led here."""
        seen = {self._key(self._first)}
        judged: set[object] = set()
        violations: list[Violation] = []
        transitions = endings = 0
        stack: list[tuple[str, Iterator[_Step]]] = [("start", self._steps(self._first))]
        while stack and len(violations) < self._most:
            step = next(stack[-1][1], None)
            if step is None:
                stack.pop()
                continue
            transitions += 1
            label, state = step
            key = self._key(state)
            if key in seen:
                continue
            seen.add(key)
            stack.append((label, self._steps(state)))
            complaints = self._errors(state)
            if len(stack) > MOST_STEPS:
                complaints.append(f"the actors still move after {MOST_STEPS} steps")
            if all(_is_over(place) for place in state.places) and (end := self._end_key(state)) not in judged:
                judged.add(end)
                endings += 1
                complaints += self._judge(self._ending(state))
            if complaints:
                schedule = tuple(label for label, _ in stack)
                violations += [Violation(complaint, schedule) for complaint in complaints]
        return Explored(len(seen), transitions, endings, tuple(violations))

    def _steps(self, state: _State) -> Iterator[_Step]:
        alive = [index for index, place in enumerate(state.places) if not _is_over(place)]
        if not state.faults:
            for index in alive:
                if self._needs_no_order(state, index):
                    yield self._step(state, index)
                    return
        for index in alive:
            yield self._step(state, index)
        for index in range(len(state.flights)):
            yield self._landing(state, index)
        if state.faults and alive:
            yield "all pause until leases have run out", state._replace(now=state.now + PAUSE, faults=state.faults - 1)
            for index in alive:
                yield from self._faults(state, index)

    def _needs_no_order(self, state: _State, index: int) -> bool:
        request, name = _request(state.places[index]), self._actors[index].name
        if is_away(request):
            return True
        if request.keys:
            request = S3Request("delete_object", request.keys[self._next_key(request, state.places[index].done)])
        return not state.flights and self._footprints.is_alone(name, request)

    def _step(self, state: _State, index: int) -> _Step:
        actor, request = self._actors[index], _request(state.places[index])
        if request.keys:
            return self._deletion(state, index)
        self._footprints.add(actor.name, request)
        world, reply = self._effect(state.world, request, state.now, actor.name)
        after = actor.after(state.places[index].node, Heard(reply, state.now))
        return f"{actor.name}: {request} → {reply.status}", _moved(state, index, _Place(after), world)

    def _deletion(self, state: _State, index: int) -> _Step:
        """Of one name of many. The reply comes with the last."""
        node, done, _ = state.places[index]
        actor, request = self._actors[index], _request(state.places[index])
        self._footprints.add(actor.name, request)
        place = self._next_key(request, done)
        one = S3Request("delete_object", request.keys[place])
        world, _ = self._effect(state.world, one, state.now, actor.name)
        rest = self._next_key(request, place + 1)
        is_last = rest == len(request.keys) - 1 and not self._footprints.ever_exists(request.keys[rest])
        if place == len(request.keys) - 1 or is_last:
            after = actor.after(node, Heard(S3Reply(200, date=state.now), state.now))
            return f"{actor.name}: {one}, the last of them", _moved(state, index, _Place(after), world)
        return f"{actor.name}: {one}", _moved(state, index, _Place(node, rest), world)

    def _next_key(self, request: S3Request, place: int) -> int:
        """The next name that ever exists, or the last one."""
        last = len(request.keys) - 1
        return next((at for at in range(place, last) if self._footprints.ever_exists(request.keys[at])), last)

    def _landing(self, state: _State, index: int) -> _Step:
        request, by = state.flights[index]
        world, _ = self._effect(state.world, request, state.now, by)
        flights = state.flights[:index] + state.flights[index + 1 :]
        return f"late, of {by}: {request}", state._replace(world=world, flights=flights)

    def _faults(self, state: _State, index: int) -> Iterator[_Step]:
        node = state.places[index].node
        actor, request = self._actors[index], _request(state.places[index])
        if request is BEGIN:
            return
        left = state._replace(faults=state.faults - 1)
        fates = list(self._fates(left, index)) if request.is_write else [("", left)]
        for _, fate in fates if self._late else [("", left)]:
            yield f"{actor.name} is gone at {request}", _moved(fate, index, _Place(node, is_gone=True))
        if is_away(request):
            return
        for cut in Cut if request.is_write else (Cut.GIVES_UP,):
            after = actor.after(node, Heard(cut, state.now))
            for told, fate in fates:
                yield f"{actor.name}: {request}{told}: {cut.value}", _moved(fate, index, _Place(after))
        if request.is_write and request.is_conditional:
            after = actor.after(node, Heard(_CONFLICT._replace(date=state.now), state.now))
            yield f"{actor.name}: {request} → 409", _moved(left, index, _Place(after))

    def _fates(self, state: _State, index: int) -> Iterator[_Step]:
        """Of a write whose sender hears nothing of it. One that may arrive later may also arrive at once or never."""
        request, name = _request(state.places[index]), self._actors[index].name
        rest = request._replace(keys=request.keys[state.places[index].done :])
        if self._late:
            yield " (it may arrive)", state._replace(flights=(*state.flights, Flight(rest, name)))
        else:
            yield " (it never arrives)", state
            yield " (it arrives)", state._replace(world=self._effect(state.world, rest, state.now, name)[0])
            if _may_be_torn(rest):
                empty = rest._replace(body=b"", tells_digest=False)
                yield (
                    " (its body does not arrive)",
                    state._replace(world=self._effect(state.world, empty, state.now, name)[0]),
                )

    def _effect(self, world: int, request: S3Request, now: datetime, by: str) -> tuple[int, S3Reply]:
        key = (world, request, now, by)
        known = self._effects.get(key)
        if known is None:
            known = self._effects[key] = self._performed(self._worlds[world], request, now, by)
        return known

    def _performed(self, world: World, request: S3Request, now: datetime, by: str) -> tuple[int, S3Reply]:
        if is_away(request):
            return self._number(world), S3Reply(200, date=now)
        contents, reply = performed(world.contents, request, now)
        if reply.status != 200 or request.operation != "put_object":
            return self._number(world._replace(contents=contents)), reply
        if is_remains(request.key, len(request.body)):
            return self._number(world._replace(contents=contents)), reply
        before = world.contents.objects.get(request.key)
        complaint = self._check(before if before is not None and before.body else None, request)
        written = world.written
        if self._watched(request.key):
            written = (*written, Written(request.key, request.body, request.metadata, by))
        return self._number(World(contents, written, complaint)), reply

    def _number(self, world: World) -> int:
        contents = world.contents
        key = (frozenset(contents.objects.items()), frozenset(contents.uploads.items()), *world[1:])
        number = self._numbers.setdefault(key, len(self._worlds))
        if number == len(self._worlds):
            self._worlds.append(world)
        return number

    def _key(self, state: _State) -> object:
        places = tuple((place.node.number, place.done, place.is_gone) for place in state.places)
        return state.world, state.now, places, state.flights, state.faults

    def _end_key(self, state: _State) -> object:
        return state.world, state.now, tuple((place.node.number, place.is_gone) for place in state.places)

    def _errors(self, state: _State) -> list[str]:
        named = zip(self._actors, state.places, strict=True)
        broken = [f"{actor.name} breaks down: {place.node.error}" for actor, place in named if place.node.error]
        complaint = self._worlds[state.world].complaint
        return [*broken, complaint] if complaint is not None else broken

    def _ending(self, state: _State) -> Ending:
        told = (
            Told(actor.name, place.node.notes, not place.is_gone)
            for actor, place in zip(self._actors, state.places, strict=True)
        )
        return Ending(self._worlds[state.world], state.now, tuple(told))


def _request(place: _Place) -> S3Request:
    assert place.node.request is not None
    return place.node.request


def _may_be_torn(request: S3Request) -> bool:
    """Of a write of something new a store may keep the headers alone, if it compares no digests."""
    return request.operation == "put_object" and request.if_new and is_remains(request.key, 0)


def _is_over(place: _Place) -> bool:
    return place.is_gone or place.node.request is None


def _moved(state: _State, index: int, place: _Place, world: int | None = None) -> _State:
    places = (*state.places[:index], place, *state.places[index + 1 :])
    return state._replace(places=places, world=state.world if world is None else world)
