"""The simulated bucket for hundreds of thousands of objects: the same rules, without a copy of everything a request."""

from bisect import bisect_right, insort
from collections import Counter
from datetime import datetime, timedelta

from blobforge.testing.clock import START
from blobforge.testing.simulated_bucket import EMPTY, Contents, Held, etag_of, performed
from blobforge.testing.simulated_client import Listed, S3Reply, S3Request

LONGEST_PAGE = 1_000


class LargeBucket:
    """Each request is performed on a small bucket that holds the objects it names and nothing else."""

    def __init__(self) -> None:
        self._objects: dict[str, Held] = {}
        self._names: list[str] = []
        self.requests: Counter[str] = Counter()
        """By operation and by what it is about, such as `get hint` (the change token)."""

    def perform(self, request: S3Request, now: datetime) -> S3Reply:
        self.requests[kind_of(request)] += 1
        if request.operation == "list_objects_v2":
            return self._listed(request, now)
        keys = request.keys or (request.key,)
        before = {key: held for key in keys if (held := self._objects.get(key)) is not None}
        after, reply = performed(Contents(before, EMPTY.uploads), request, now)
        for key in keys:
            self._keep(key, after.objects.get(key))
        return reply

    def add(self, name: str, body: bytes) -> None:
        """From the beginning, without a request."""
        self._keep(name, Held(body, etag_of(body), (), START - timedelta(hours=1)))

    def count(self, prefix: str) -> int:
        return len(self._below(prefix, None))

    def _keep(self, name: str, held: Held | None) -> None:
        if held is None:
            if self._objects.pop(name, None) is not None:
                del self._names[bisect_right(self._names, name) - 1]
            return
        if name not in self._objects:
            insort(self._names, name)
        self._objects[name] = held

    def _listed(self, request: S3Request, now: datetime) -> S3Reply:
        below = self._below(request.prefix, request.after)
        names = [self._names[place] for place in below[: min(request.limit, LONGEST_PAGE)]]
        listed = tuple(_entry(name, self._objects[name]) for name in names)
        return S3Reply(200, listed=listed, more=len(below) > len(names), date=now)

    def _below(self, prefix: str, after: str | None) -> range:
        first = bisect_right(self._names, prefix)
        if first and self._names[first - 1] == prefix:
            first -= 1
        if after is not None:
            first = max(first, bisect_right(self._names, after))
        # No name has a character behind this one.
        return range(first, max(first, bisect_right(self._names, prefix + "\U0010ffff")))


def kind_of(request: S3Request) -> str:
    verb = request.operation.partition("_")[0] if request.operation != "delete_objects" else "delete"
    name = request.key or request.prefix or (request.keys[0] if request.keys else "")
    room = next((room for start, room in _ROOMS.items() if name.startswith(start)), "other")
    return f"{verb} {room}"


_ROOMS = {
    "queue/hint": "hint",
    "queue/todo/": "todo",
    "queue/processing/": "record",
    "queue/": "markers",
    "store/out/": "out",
    "store/raw/": "raw",
    "registry/janitor": "turn",
    "registry/workers/": "worker",
    "registry/": "registry",
}


def _entry(name: str, held: Held) -> Listed:
    return Listed(name, len(held.body), held.etag, held.modified)
