"""Tests on real objects that a store can be a queue: conditional writes hold, also in races, and writes are visible at
once. A store that fails is refused, before a job is lost in it."""

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta

from blobforge.domain.errors import BlobForgeError, InvalidSettings
from blobforge.objectstore.client import ObjectStore, Only

PREFIX = "registry/probe/"
RACERS = 4
RACES = 3
MOST_SKEW = timedelta(seconds=5)

_NEW = Only(if_new=True)
_METADATA = {"original-name": "Größe 100 % – 本.pdf", "nonce": "0f"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """`server` is the name in the store's header; `conditional_delete` is useful, and not required."""

    server: str
    ahead: timedelta
    conditional_delete: bool

    @property
    def is_skewed(self) -> bool:
        return abs(self.ahead) > MOST_SKEW


class _Failed(Exception):
    """A requirement that the store does not meet, as text that follows its name."""


def probe(store: ObjectStore) -> Probed:
    """Raises InvalidSettings with the store's name and all that failed; StoreUnavailable when it does not answer."""
    prefix = f"{PREFIX}{uuid.uuid4().hex}/"
    with _cleared(store, prefix):
        # Missing rights or a missing bucket are reported as such, and not as an unsuitable store. The listing comes
        # first: some stores create a bucket at the first write, and its name may be misspelt.
        store.page(prefix, limit=1)
        store.put(f"{prefix}first", b"first", metadata=_METADATA)
        failures = [
            failure for name, check in _CHECKS.items() if (failure := _failure(check, store, f"{prefix}{name}"))
        ]
        if failures:
            raise InvalidSettings(f"{name_of(store)} {'; '.join(failures)}: it cannot be a queue")
        return Probed(
            server=store.server,
            ahead=store.ahead,
            conditional_delete=_has_conditional_delete(store, f"{prefix}deletion"),
        )


def name_of(store: ObjectStore) -> str:
    where = store.place.access.endpoint_url or "AWS S3"
    return f"{store.place} at {where}" + (f" ({store.server.strip()})" if store.server else "")


def _failure(check: Callable[[ObjectStore, str], None], store: ObjectStore, name: str) -> str | None:
    try:
        check(store, name)
    except _Failed as failed:
        return str(failed)
    except InvalidSettings as refused:
        return f"does not take the request ({refused})"
    return None


def _reads_its_writes(store: ObjectStore, name: str) -> None:
    store.put(name, b"bytes", metadata=_METADATA)
    there, facts = store.get(name), store.head(name)
    if there is None or facts is None or there.body != b"bytes":
        raise _Failed("does not give back at once what was written")
    if there.metadata != _METADATA or facts.metadata != _METADATA:
        raise _Failed("does not give back an object's metadata")


def _lists_at_once(store: ObjectStore, name: str) -> None:
    for number in range(3):
        store.put(f"{name}/{number}", b"")
        if f"{name}/{number}" not in {facts.name for facts in store.page(f"{name}/")}:
            raise _Failed("lists a new object late")
    store.delete(f"{name}/0")
    if store.get(f"{name}/0") is not None or f"{name}/0" in {facts.name for facts in store.page(f"{name}/")}:
        raise _Failed("shows an object after its deletion")
    if [facts.name for facts in store.page(f"{name}/", after=f"{name}/1")] != [f"{name}/2"]:
        raise _Failed("does not begin a listing where it is told to (StartAfter)")


def _refuses_a_second(store: ObjectStore, name: str) -> None:
    first = store.put(name, b"first", only=_NEW)
    second = store.put(name, b"second", only=_NEW)
    there = store.get(name)
    if first is None or second is not None or there is None or there.body != b"first":
        raise _Failed("writes over an object in spite of If-None-Match")


def _refuses_the_wrong_etag(store: ObjectStore, name: str) -> None:
    seen = store.put(name, b"seen")
    changed = store.put(name, b"changed")
    late = store.put(name, b"late", only=Only(if_etag=seen))
    there = store.get(name)
    if seen == changed or late is not None or there is None or there.body != b"changed":
        raise _Failed("writes over a changed object in spite of If-Match")


def _refuses_the_absent(store: ObjectStore, name: str) -> None:
    gone = store.put(f"{name}/gone", b"gone")
    if store.put(name, b"x", only=Only(if_etag=gone)) is not None or store.get(name) is not None:
        raise _Failed("writes an object that is not there in spite of If-Match")


def _creates_once(store: ObjectStore, name: str) -> None:
    _require_one_winner(_raced(store, {f"{name}/{number}": _NEW for number in range(RACES)}), "If-None-Match")


def _changes_once(store: ObjectStore, name: str) -> None:
    names = [f"{name}/{number}" for number in range(RACES)]
    _require_one_winner(_raced(store, {name: Only(if_etag=store.put(name, b"seen")) for name in names}), "If-Match")


def _tells_the_time(store: ObjectStore, _name: str) -> None:
    if not store.tells_time:
        raise _Failed("does not tell its time (no Date header)")


_CHECKS: dict[str, Callable[[ObjectStore, str], None]] = {
    "bytes": _reads_its_writes,
    "listing": _lists_at_once,
    "new": _refuses_a_second,
    "changed": _refuses_the_wrong_etag,
    "absent": _refuses_the_absent,
    "creation": _creates_once,
    "change": _changes_once,
    "time": _tells_the_time,
}


def _has_conditional_delete(store: ObjectStore, name: str) -> bool:
    seen = store.put(name, b"seen")
    store.put(name, b"changed")
    try:
        return not store.delete(name, only=Only(if_etag=seen)) and store.head(name) is not None
    except InvalidSettings:
        return False


def _require_one_winner(winners: list[int], condition: str) -> None:
    if max(winners) > 1:
        raise _Failed(f"lets {max(winners)} of {RACERS} writers win that race with {condition}")
    if not any(winners):
        # In a single race all may get a conflict with each other.
        raise _Failed(f"lets none of {RACERS} writers win that race with {condition}")


def _raced(store: ObjectStore, conditions: Mapping[str, Only]) -> list[int]:
    """How many won, for each name. All races run concurrently: a store that serialises writers is slow."""
    start = threading.Barrier(RACERS * len(conditions))
    winners: Counter[str] = Counter(dict.fromkeys(conditions, 0))
    troubles: list[BlobForgeError] = []
    counting = threading.Lock()

    def run(name: str) -> None:
        start.wait()
        try:
            has_won = store.put(name, uuid.uuid4().bytes, only=conditions[name]) is not None
        except BlobForgeError as error:
            troubles.append(error)
            return
        with counting:
            winners[name] += has_won

    racers = [threading.Thread(target=run, args=(name,), name="probe") for name in conditions for _ in range(RACERS)]
    for racer in racers:
        racer.start()
    for racer in racers:
        racer.join()
    if troubles:
        raise troubles[0]
    return list(winners.values())


@contextmanager
def _cleared(store: ObjectStore, prefix: str) -> Iterator[None]:
    try:
        yield
    finally:
        # Left-over objects do no harm, and must not hide the findings.
        with suppress(BlobForgeError):
            store.delete_many([facts.name for facts in store.all(prefix)])
