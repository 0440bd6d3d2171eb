"""Checks of a bucket that is the queue or the store: can it be one, whose is it, and what else is in it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from typing import NamedTuple

from blobforge.config.settings import Settings
from blobforge.doctor import cors
from blobforge.doctor.backends import used_for
from blobforge.doctor.findings import Finding, Verdict, finding_of, problem
from blobforge.domain.errors import InvalidSettings, PlaceInUse, StoreUnavailable
from blobforge.domain.job import State
from blobforge.objectstore import bucket_format
from blobforge.objectstore.answers import Retries
from blobforge.objectstore.bucket_format import BucketFormat
from blobforge.objectstore.client import ObjectStore
from blobforge.objectstore.place import Place
from blobforge.objectstore.probe import MOST_SKEW, name_of, probe
from blobforge.telemetry.hushed import hushed
from blobforge.wiring import open_coordinator
from blobforge.wiring.buckets import FOREIGN_NOTICES, foreign_objects, foreign_workers, open_objects

NAMED = 3
RETRY_SECONDS = 10
"""Somebody waits for what is found."""


class Adopted(NamedTuple):
    """`jobs` is how many there are of each state that has any."""

    format: BucketFormat
    jobs: Mapping[State, int]
    elsewhere: str | None
    """Where another queue of an older writer is, if these are no jobs."""


def require_unused(settings: Settings) -> None:
    """Before a queue is adopted. Raises PlaceInUse while a worker of another program lives, StoreUnavailable."""
    with closing(open_objects(settings.queue, settings)) as store:
        others = foreign_workers(store)
        if others:
            raise PlaceInUse(
                f"the worker {others[0].name} of an older BlobForge or of another program is at work in {store.place} "
                f"({others[0].lock}, heard of {_since(store, others[0].heard_at)} ago): stop it and whatever else uses "
                "the queue, and adopt it then. One that was killed counts as gone 15 minutes after its last heartbeat; "
                "--yes adopts the queue all the same, and both may do the same jobs"
            )


def adopt(settings: Settings) -> Adopted:
    """Takes over the queue of an older writer, and all of its jobs. Raises InvalidSettings, StoreUnavailable."""
    with closing(open_objects(settings.queue, settings)) as store:
        found = bucket_format.adopt(store)
    # That jobs of another program are there is why this is done.
    with hushed(FOREIGN_NOTICES), closing(open_coordinator(settings)) as opened:
        opened.coordinator.sweep()
        counts = opened.coordinator.counts()
    jobs = {state: number for state in State if (number := _number_in(state, counts))}
    return Adopted(found, jobs, None if jobs else _older_queue_at_the_root(store.place, settings))


def _number_in(state: State, counts: Mapping[tuple[str, State], int]) -> int:
    return sum(number for (_, other), number in counts.items() if other is state)


def examine(settings: Settings) -> Iterator[Finding]:
    """Nothing where no bucket is used. A queue in a bucket keeps its documents there: there is one bucket at most."""
    used = used_for(settings)
    if not used:
        return
    is_queue = "queue" in used
    url = settings.queue if is_queue else settings.store
    try:
        opened = open_objects(url, settings, retries=Retries(seconds=RETRY_SECONDS))
    except InvalidSettings as refused:
        yield problem("bucket", refused)
        return
    with closing(opened) as store:
        able = finding_of("bucket", partial(_ability_to_be_a_queue if is_queue else _ability_to_be_a_store, store))
        yield able
        if able.verdict is Verdict.PROBLEM:
            return
        checks: dict[str, Callable[[ObjectStore], Finding]] = {
            **({"bucket format": partial(_format, settings), "bucket writers": _writers} if is_queue else {}),
            "bucket contents": _contents,
            "bucket clock": _clock,
            "bucket rules": _rules,
        }
        for name, check in checks.items():
            yield finding_of(name, partial(check, store))
    yield from cors.examine(settings, Retries(seconds=RETRY_SECONDS))


def _ability_to_be_a_queue(store: ObjectStore) -> Finding:
    # One request first: of a store that does not answer, a probe would wait once more to clear away.
    store.page("", limit=1)
    return _races(store)


def _races(store: ObjectStore) -> Finding:
    probed = probe(store)
    message = f"{name_of(store)}: of writers that race one wins, and what is written is seen at once"
    if not probed.conditional_delete:
        message += "; it deletes without conditions, which are not needed"
    return Finding(name="bucket", verdict=Verdict.OK, message=message)


def _ability_to_be_a_store(store: ObjectStore) -> Finding:
    # Keys that are wrong are a problem for a store as well.
    store.page("", limit=1)
    try:
        return _races(store)
    except InvalidSettings as refused:
        message = f"good for documents alone: {refused}"
        return Finding(name="bucket", verdict=Verdict.WARNING, message=message)


def _format(settings: Settings, store: ObjectStore) -> Finding:
    found = bucket_format.read_format(store)
    if (found is None or not found.adopted) and (elsewhere := _older_queue_at_the_root(store.place, settings)):
        return Finding(name="bucket format", verdict=Verdict.WARNING, message=elsewhere)
    if found is not None:
        since = f", by {found.written_by} at {found.created_at}"
        message = f"version {found.version}{', adopted from an older queue' if found.adopted else ''}{since}"
        return Finding(name="bucket format", verdict=Verdict.OK, message=message)
    older = bucket_format.trace_of_another(store)
    if older is not None:
        message = (
            f"{store.place} has a queue of an older BlobForge or of another program ({older}): stop whatever uses it, "
            "and take it over with `blobforge doctor --adopt`, or choose another BLOBFORGE_S3_PREFIX"
        )
        return Finding(name="bucket format", verdict=Verdict.PROBLEM, message=message)
    return Finding(name="bucket format", verdict=Verdict.OK, message="none yet: the first use writes it")


def _older_queue_at_the_root(place: Place, settings: Settings) -> str | None:
    """Older programs know no prefix. None also where these keys may not look there."""
    if not place.prefix:
        return None
    with suppress(InvalidSettings, StoreUnavailable), closing(open_objects(f"s3://{place.bucket}/", settings)) as root:
        trace = bucket_format.trace_of_another(root)
        if trace is not None and bucket_format.read_format(root) is None:
            return (
                f"{root.place} has a queue of an older BlobForge or of another program ({trace}), and {place} is "
                f"another place; if you mean that one, say BLOBFORGE_S3_PREFIX=/ or BLOBFORGE_QUEUE={root.place}"
            )
    return None


def _writers(store: ObjectStore) -> Finding:
    others = foreign_workers(store)
    if not others:
        return Finding(name="bucket writers", verdict=Verdict.OK, message="no other program is at work")
    message = (
        f"{others[0].lock} was written by an older BlobForge or another program, which is at work in {store.place} "
        f"(worker {others[0].name}, heard of {_since(store, others[0].heard_at)} ago): stop it, or both will do the "
        "same jobs and undo each other's"
    )
    return Finding(name="bucket writers", verdict=Verdict.WARNING, message=message)


def _since(store: ObjectStore, moment: datetime) -> str:
    return f"{max((store.now() - moment).total_seconds(), 0):.0f} s"


def _contents(store: ObjectStore) -> Finding:
    foreign = foreign_objects(store)
    if not foreign:
        return Finding(
            name="bucket contents", verdict=Verdict.OK, message=f"nothing but BlobForge's own in {store.place}"
        )
    others = f" and {len(foreign) - NAMED} more" if len(foreign) > NAMED else ""
    message = (
        f"{', '.join(foreign[:NAMED])}{others} in {store.place} is not of BlobForge: if another program writes there, "
        "give BlobForge a prefix of its own"
    )
    return Finding(name="bucket contents", verdict=Verdict.WARNING, message=message)


def _clock(store: ObjectStore) -> Finding:
    seconds = store.ahead.total_seconds()
    if abs(seconds) <= MOST_SKEW.total_seconds():
        message = f"agrees with this machine's within {MOST_SKEW.total_seconds():.0f} s"
        return Finding(name="bucket clock", verdict=Verdict.OK, message=message)
    message = (
        f"{abs(seconds):.0f} s {'ahead of' if seconds > 0 else 'behind'} this machine's. Leases go by the bucket's "
        "clock, so that no job is harmed, but stores refuse requests that are a quarter of an hour off: set this "
        "machine's clock (NTP)"
    )
    return Finding(name="bucket clock", verdict=Verdict.WARNING, message=message)


def _rules(store: ObjectStore) -> Finding:
    """What the keys may not ask is no problem."""
    doubts = [*_versioning(store), *_expiry(store)]
    if doubts:
        return Finding(name="bucket rules", verdict=Verdict.WARNING, message="; ".join(doubts))
    message = "no versions are kept, and nothing is deleted by a rule, as far as these keys may ask"
    return Finding(name="bucket rules", verdict=Verdict.OK, message=message)


def _versioning(store: ObjectStore) -> Iterator[str]:
    answer = store.about_bucket("get_bucket_versioning")
    if answer is not None and answer.get("Status") == "Enabled":
        yield (
            "versioning is on: every sign of life of a worker is kept and paid for; switch it off, or let a lifecycle "
            "rule delete noncurrent versions after a day"
        )


def _expiry(store: ObjectStore) -> Iterator[str]:
    answer = store.about_bucket("get_bucket_lifecycle_configuration")
    for rule in (answer or {}).get("Rules", []):
        wanted = str((rule.get("Filter") or {}).get("Prefix", rule.get("Prefix", "")))
        touches = store.place.prefix.startswith(wanted) or wanted.startswith(store.place.prefix)
        expires = {"Days", "Date"} & set(rule.get("Expiration", {}))
        if rule.get("Status") == "Enabled" and expires and touches:
            yield f"the lifecycle rule {rule.get('ID', '')!r} deletes objects of BlobForge, jobs and results with them"
