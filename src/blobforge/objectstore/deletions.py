"""Deletions beside those who store the same objects anew.

A DELETE may arrive late, and no condition of S3 tells bytes from the same bytes that were stored anew: their ETags are
equal. So whoever deletes gives notice first, in an object of its own that names what may go, then looks, deletes, and
takes the notice back when the last answer is there. Whoever stores one of these, renews it, or comes to need it, does
so first, looks for notices, and then whether the object is there. Either the notice is seen, and its end is waited for;
or it was taken back, and the object is seen to be gone; or it was given later, and then the look behind it sees what
was done.

    registry/clearing/<nonce>.json   {"names": ["store/raw/<hash>.pdf", …]}

What is still on its way when a process dies is over when its signature is: a store refuses what was signed more than
15 minutes ago. So a notice counts for `COUNTS_FOR`, also where nobody takes it back. Who comes to himself with an older
one, in a process that was frozen or on a machine that was suspended, sends nothing any more, no DELETE again either: he
begins anew.
"""

import json
import os
from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from types import TracebackType
from typing import NamedTuple, Self

from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.domain.loose_json import json_in, list_in, object_in
from blobforge.objectstore.client import ObjectFacts, ObjectStore, Only
from blobforge.ports.blob_store import ClearingLapsed
from blobforge.ports.runtime import Runtime
from blobforge.runtime import SYSTEM_RUNTIME

NOTICES = "registry/clearing/"
COUNTS_FOR = timedelta(minutes=45)
"""Clocks included: a machine that is 15 minutes ahead signs for 30."""
GIVEN_AGAIN_SECONDS = 60.0
"""So old a notice is given again before the next DELETE is sent."""
LAPSES_AFTER = timedelta(minutes=14)
"""Nothing is sent under an older notice: it might be carried out when nobody heeds the notice."""
PATIENCE_SECONDS = 300.0
"""How long a notice is waited for: some hundred deletions take a minute or two."""
LOOK_SECONDS = 0.5
WORTH_A_PAGE = 10
"""A page of a listing costs about as much as so many requests for single objects."""


class SeenObject(NamedTuple):
    """An object as it was seen, in a listing or alone: it has another version from when it is stored anew."""

    name: str
    version: str


def version_of(facts: ObjectFacts) -> str:
    """By the second: some stores tell a fraction in listings, and none of them in headers."""
    etag = facts.etag.strip('"')
    return f"{etag} {int(facts.modified.timestamp())}"


class _Moment(NamedTuple):
    """By all clocks that there are: the monotonic one stands still on a suspended machine, the clock of the machine may
    be set, and that of the store is known as of its last response."""

    monotonic: float
    here: datetime
    of_store: datetime


class Deletion:
    """Of some of these objects, from its notice to its end. Not for several threads."""

    def __init__(self, objects: ObjectStore, names: Collection[str], *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
        self._objects = objects
        self._names = names
        self._monotonic = runtime.monotonic
        self._notice = f"{NOTICES}{runtime.nonce(8)}.json"
        self._given_at = self._now()
        self._on_their_way: set[str] = set()
        self._has_conditions = True

    def __enter__(self) -> Self:
        _clear_old_notices(self._objects)
        self._given_at = self._now()
        self._give_notice(self._names)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(*([StoreUnavailable] if error is not None else [])):
            if self._on_their_way:
                self._give_notice(self._on_their_way)
            else:
                self._objects.delete(self._notice)

    def delete(self, seen: SeenObject) -> bool:
        """Whether it was deleted: not what was stored anew or renewed since it was seen. Raises StoreUnavailable,
        ClearingLapsed."""
        if self._age() > GIVEN_AGAIN_SECONDS:
            self._give_notice_again()
        there = self._objects.head(seen.name)
        if there is None or version_of(there) != seen.version:
            return False
        before = self._sent()
        self._on_their_way.add(seen.name)
        try:
            is_deleted = self._delete_unchanged(there)
        except ClearingLapsed:
            if self._sent() == before:
                self._on_their_way.remove(seen.name)
            raise
        # Of several tries one may have got no answer, and still be on its way.
        if self._sent() == before + 1:
            self._on_their_way.remove(seen.name)
        return is_deleted

    def _delete_unchanged(self, there: ObjectFacts) -> bool:
        """With the ETag as a condition where the store knows it: for programs that look for no notices, and store other
        bytes."""
        if self._has_conditions:
            try:
                return self._objects.delete(there.name, only=Only(if_etag=there.etag), before_each=self._require_heeded)
            except InvalidSettings:
                self._has_conditions = False
        return self._objects.delete(there.name, before_each=self._require_heeded)

    def _sent(self) -> int:
        return self._objects.requests["delete_object"]

    def _give_notice_again(self) -> None:
        """Before the one that is there is too old: else there was a time in which nobody heeded it."""
        now = self._now()
        self._give_notice(self._names)
        self._require_heeded()
        self._given_at = now

    def _give_notice(self, names: Iterable[str]) -> None:
        self._objects.put(self._notice, json.dumps({"names": sorted(names)}).encode("ascii"))

    def _require_heeded(self) -> None:
        if self._age() > LAPSES_AFTER.total_seconds():
            raise ClearingLapsed

    def _age(self) -> float:
        now, then = self._now(), self._given_at
        times = (now.here - then.here, now.of_store - then.of_store)
        return max(now.monotonic - then.monotonic, *(passed.total_seconds() for passed in times))

    def _now(self) -> _Moment:
        return _Moment(self._monotonic(), self._objects.now_here(), self._objects.now())


def taken_away(objects: ObjectStore, names: Collection[str], *, runtime: Runtime = SYSTEM_RUNTIME) -> set[str]:
    """Those of these objects that are gone: they are to be stored anew. The others stay. Told after they were stored,
    renewed, or named by what needs them: a deletion that did not know yet may have taken them, or may still run.

    Waits as `wait_for_deletions` does. A request for each object, or fewer. Raises StoreUnavailable.
    """
    if not names:
        return set()
    wait_for_deletions(objects, names, runtime=runtime)
    return {name for name in _not_listed(objects, names) if objects.head(name) is None}


def wait_for_deletions(objects: ObjectStore, names: Collection[str], *, runtime: Runtime = SYSTEM_RUNTIME) -> None:
    """Until nobody deletes any of these objects who may not know that they are needed. Which of them are gone is to be
    looked at afterwards, also where nothing was waited for: a deletion may have ended just before.

    One request where nobody deletes. Raises StoreUnavailable where it takes too long.
    """
    give_up = runtime.monotonic() + PATIENCE_SECONDS
    while noticed := _noticed(objects) & set(names):
        if runtime.monotonic() > give_up:
            raise StoreUnavailable(
                f"{objects.place}{min(noticed)} may be deleted any moment by a 'blobforge gc' that runs, or was killed "
                f"in the last {COUNTS_FOR.seconds // 60} minutes; try again later"
            )
        runtime.sleep(LOOK_SECONDS)


def _not_listed(objects: ObjectStore, names: Collection[str]) -> list[str]:
    """Those that no listing has shown, which may be there all the same: not every store lists in the order of bytes.

    A page shows a thousand objects. In a small store that is all of them; in a large one the names are too far from
    each other, and one request for each costs less.
    """
    left = sorted(names)
    common = os.path.commonprefix(left)  # noqa: RUF071 - of keys, by their letters, as listings go
    ahead = left
    while len(ahead) >= WORTH_A_PAGE:
        page = {facts.name for facts in objects.page(common, after=ahead[0][:-1])}
        seen = page.intersection(ahead)
        left = [name for name in left if name not in seen]
        if len(seen) < WORTH_A_PAGE:
            break
        ahead = [name for name in ahead if name > max(page)]
    return left


def _noticed(objects: ObjectStore) -> set[str]:
    notices = [facts for facts in objects.all(NOTICES) if not _is_old(objects, facts)]
    bodies = [there.body for facts in notices if (there := objects.get(facts.name)) is not None]
    return {name for body in bodies for name in list_in(object_in(json_in(body)).get("names")) if isinstance(name, str)}


def _clear_old_notices(objects: ObjectStore) -> None:
    objects.delete_many([facts.name for facts in objects.all(NOTICES) if _is_old(objects, facts)])


def _is_old(objects: ObjectStore, facts: ObjectFacts) -> bool:
    return facts.modified + COUNTS_FOR < objects.now()
