"""Whether the queue and the store of the settings belong together, looked at before anybody works with both."""

import socket
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from secrets import token_hex
from typing import NamedTuple

from blobforge.config.settings import Settings
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings, StoreMismatch
from blobforge.domain.job import Job
from blobforge.domain.pairing import MARK, Evidence, KnownQueue, Pairing, QueueIdentity, judge, mark_body, read_mark
from blobforge.domain.result_record import result_record
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.job_store import JobFilter
from blobforge.ports.shards import Shards
from blobforge.wiring.addresses import files_of_queue, files_of_store
from blobforge.wiring.manifests import open_shards
from blobforge.wiring.queues import OpenedCoordinator

JOBS_LOOKED_AT = 50
MOST_TRIES = 20
A_MOMENT_SECONDS = 0.2
"""Who looks while others pair them may see the mark, and no identity yet."""


def check_pair(settings: Settings, opened: OpenedCoordinator) -> None:
    """For those who only look. Raises StoreMismatch, StoreUnavailable."""
    if (shards := _shards_of(settings, opened)) is not None:
        _require_no_mismatch(settings, opened, shards)


def require_pair(settings: Settings, opened: OpenedCoordinator) -> None:
    """Notes at the first use that they belong together. Raises StoreMismatch, StoreUnavailable."""
    shards = _shards_of(settings, opened)
    if shards is None:
        return
    found = _require_no_mismatch(settings, opened, shards)
    if found.pairing is Pairing.NEW:
        _pair(settings, opened, shards)
    elif found.known is not None and found.known.is_begun:
        # Whoever began it was killed. From here on jobs may be lost with the queue.
        _rewrite(shards, partial(_finished, settings, ours=found.known))
    elif found.identity is not None:
        with_this_place = partial(_with_this_place, settings, found.identity)
        if with_this_place(found.serves) != found.serves:
            _rewrite(shards, with_this_place)


def require_kept_pair(settings: Settings, opened: OpenedCoordinator) -> None:
    """For those who began with both, and go on: no evidence replaces the mark that was there. A store that
    came into its place since may have got a result of theirs already. Raises StoreMismatch, StoreUnavailable."""
    shards = _shards_of(settings, opened)
    if shards is None or _require_no_mismatch(settings, opened, shards).pairing is Pairing.KNOWN:
        return
    if (identity := opened.coordinator.identity()) is not None:
        raise StoreMismatch(_of_another_store(settings, identity, _serves(shards)))


def require_only_queue(settings: Settings, opened: OpenedCoordinator) -> None:
    """For those who delete what this queue does not need. Raises StoreMismatch, StoreUnavailable."""
    shards = _shards_of(settings, opened)
    if shards is None:
        return
    found = _require_no_mismatch(settings, opened, shards)
    # A copy that only asks is not noted: nobody would wait for it.
    if found.pairing is Pairing.NEW or (found.known is not None and found.known.is_begun):
        require_pair(settings, opened)
    if doubt := _doubt(settings, opened.coordinator.identity(), _serves(shards)):
        raise StoreMismatch(doubt)


def confirm_only_queue(settings: Settings, opened: OpenedCoordinator) -> None:
    """A person says that no other queue uses the store any more, and this one from nowhere else. Raises StoreMismatch,
    StoreUnavailable."""
    shards = _shards_of(settings, opened)
    if shards is None:
        return
    require_pair(settings, opened)
    if (identity := opened.coordinator.identity()) is not None:
        ours = KnownQueue(identity.id, _own_name(settings))
        _rewrite(shards, lambda known: [ours] if any(queue.id == ours.id for queue in known) else [])


def doubt_about_pair(settings: Settings, opened: OpenedCoordinator) -> str | None:
    """Why `gc` waits for a person's word: the queue was lost, moved or copied. That several share the store on purpose
    is no doubt. Raises StoreMismatch, StoreUnavailable."""
    shards = _shards_of(settings, opened)
    if shards is None:
        return None
    found = _require_no_mismatch(settings, opened, shards)
    name = _own_name(settings)
    ours = [queue for queue in found.serves if name == queue.called or (found.known and found.known.id == queue.id)]
    return _doubt(settings, found.identity, ours)


class Confirmed(NamedTuple):
    """`queues` are those that the store serves now; `superseded` is what the store from before was called."""

    queues: Sequence[KnownQueue]
    superseded: str = ""


def confirm_pair(settings: Settings, opened: OpenedCoordinator) -> Confirmed:
    """A person says that they belong together, and that no other store does. Raises StoreMismatch, StoreUnavailable."""
    shards = _shards_of(settings, opened)
    if shards is None:
        return Confirmed([])
    before, knew = opened.coordinator.identity(), {queue.id for queue in _serves(shards)}
    _pair(settings, opened, shards)
    # One that knew the queue is the same by another path, or a copy.
    is_same = before is None or before.id in knew or _is_in_its_place(settings, before)
    return Confirmed(_serves(shards), "" if before is None or is_same else before.store)


class _Found(NamedTuple):
    identity: QueueIdentity | None
    serves: list[KnownQueue]
    pairing: Pairing

    @property
    def known(self) -> KnownQueue | None:
        """The queue as the store names it."""
        return next((queue for queue in self.serves if self.identity and queue.id == self.identity.id), None)


def _require_no_mismatch(settings: Settings, opened: OpenedCoordinator, shards: Shards) -> _Found:
    found = _judged(settings, opened, shards)
    if found.pairing is Pairing.OTHER_QUEUE:
        time.sleep(A_MOMENT_SECONDS)
        found = _judged(settings, opened, shards)
    if found.pairing is Pairing.OTHER_STORE:
        raise StoreMismatch(_of_another_store(settings, found.identity, found.serves))
    if found.pairing is Pairing.OTHER_QUEUE:
        raise StoreMismatch(_of_another_queue(settings, found.serves))
    return found


def _shards_of(settings: Settings, opened: OpenedCoordinator) -> Shards | None:
    """None where there is nothing to mix up: a queue that is its own store, or one of this process alone."""
    if opened.publishes or not opened.is_shared:
        return None
    try:
        return open_shards(settings)
    except InvalidSettings:
        return None  # a store of somebody else's package, which has no place for a mark


def _judged(settings: Settings, opened: OpenedCoordinator, shards: Shards) -> _Found:
    """Whoever pairs them writes the store first, and the identity of before leaves it last. So an identity that the
    queue has before and after a look into the store is named there, or belongs to another store."""
    identity = opened.coordinator.identity()
    for _ in range(MOST_TRIES):
        serves = _serves(shards)
        if identity is not None and identity.id in {queue.id for queue in serves}:
            return _Found(identity, serves, Pairing.KNOWN)
        pairing = judge(identity, serves, _evidence(settings, opened), called=_own_name(settings))
        before, identity = identity, opened.coordinator.identity()
        if identity == before:
            break
    return _Found(identity, serves, pairing)


def _evidence(settings: Settings, opened: OpenedCoordinator) -> Evidence:
    jobs = opened.coordinator.page(JobFilter(), limit=JOBS_LOOKED_AT)
    keys = [key for job in jobs for key in _documents_of(job)]
    return Evidence(
        has_jobs=bool(jobs),
        has_documents=bool(keys) and bool(opened.blobs().stat_many(keys)),
        is_one_home=_is_at_home(settings),
    )


def _documents_of(job: Job) -> Iterator[BlobKey]:
    yield source_key(job.source_hash)
    if (key := result_record(job).key) is not None:
        yield BlobKey(key)


def _is_at_home(settings: Settings) -> bool:
    home = settings.home.resolve()
    queue, store = files_of_queue(settings), files_of_store(settings)
    return bool(queue and store) and all(place.resolve().is_relative_to(home) for place in (*queue, *store))


def _pair(settings: Settings, opened: OpenedCoordinator, shards: Shards) -> None:
    """Under a new identity, so that a store that the queue was used with before is known as its store no longer.

    The store first, so that whoever finds an identity in the queue finds it in the store too. Until the queue has it,
    it is only begun: whoever comes after a process that was killed in between may begin again.
    """
    before = opened.coordinator.identity()
    proposed = QueueIdentity(token_hex(16), _called(settings.store, files_of_store(settings)))
    ours = KnownQueue(proposed.id, _own_name(settings), is_begun=True, instead_of="" if before is None else before.id)
    _rewrite(shards, lambda there: [*there, ours])
    kept = opened.coordinator.identity(proposed, instead_of=before)
    if kept is not None and kept.id != proposed.id:
        # Another process was first; it has marked its own store, which is ours or is not.
        _rewrite(shards, lambda there: [queue for queue in there if queue.id != ours.id])
        require_pair(settings, opened)
        return
    _rewrite(shards, partial(_finished, settings, ours=ours))


def _finished(settings: Settings, there: list[KnownQueue], *, ours: KnownQueue) -> list[KnownQueue]:
    """Without what was begun under its name and never used, and what it was before at this place.

    Another queue that had its address stays: its database is lost, and what only that one needs may be needed again.
    """
    elsewhere = _elsewhere(settings, ours.instead_of, there)
    stay = [
        queue
        for queue in there
        if queue.id == ours.id
        or queue in elsewhere
        or not (queue.id == ours.instead_of or (queue.is_begun and queue.called == ours.called))
    ]
    return [queue._replace(is_begun=False, instead_of="") if queue.id == ours.id else queue for queue in stay]


def _with_this_place(settings: Settings, identity: QueueIdentity, there: list[KnownQueue]) -> list[KnownQueue]:
    """A queue in a file that was copied is two queues with one identity, each of which knows nothing of the other's
    jobs. One that was moved is not told from it. Of more than two nobody needs to know."""
    ours = [queue for queue in there if queue.id == identity.id]
    here = KnownQueue(identity.id, _own_name(settings))
    if not files_of_queue(settings) or any(_is_here(settings, queue) for queue in ours):
        return there
    if _elsewhere(settings, identity.id, there):
        return [*there, here] if len(ours) == 1 else there
    return [here if queue.id == identity.id else queue for queue in there]


def _elsewhere(settings: Settings, queue_id: str, serves: Sequence[KnownQueue]) -> list[KnownQueue]:
    """The other places from which the queue was used, where it is a file."""
    ours = [queue for queue in serves if queue.id == queue_id]
    # A home is moved or copied with the store in it, which then knows of the place from before alone.
    if not files_of_queue(settings) or (len(ours) == 1 and _is_at_home(settings)):
        return []
    return [queue for queue in ours if not _is_here(settings, queue)]


def _is_here(settings: Settings, queue: KnownQueue) -> bool:
    """Also by another path to the same file."""
    if queue.called == _own_name(settings):
        return True
    url, _, host = queue.called.rpartition(" on ")
    if host != socket.gethostname():
        return False
    with suppress(OSError, InvalidSettings):
        there = files_of_queue(settings.model_copy(update={"queue": url}))
        return any(one.samefile(other) for one, other in zip(files_of_queue(settings), there, strict=False))
    return False


def _rewrite(shards: Shards, change: Callable[[list[KnownQueue]], list[KnownQueue]]) -> None:
    for _ in range(MOST_TRIES):
        there = shards.get(MARK)
        known = read_mark(None if there is None else there.body)
        after = change(known)
        if after == known or shards.put(MARK, mark_body(after), seen=None if there is None else there.version):
            return


def _serves(shards: Shards) -> list[KnownQueue]:
    there = shards.get(MARK)
    return read_mark(None if there is None else there.body)


def _own_name(settings: Settings) -> str:
    return _called(settings.queue, files_of_queue(settings))


def _called(url: str, files: Sequence[Path]) -> str:
    """A path means nothing without its machine."""
    shown = shown_address(url)
    return f"{shown} on {socket.gethostname()}" if files else shown


def _names(queues: Sequence[KnownQueue]) -> str:
    """What a confirmation that was killed has begun has the name of its queue once more."""
    return " and ".join(dict.fromkeys(queue.called for queue in queues))


def _is_in_its_place(settings: Settings, identity: QueueIdentity) -> bool:
    """Whether the store is where that of the queue was. A home may have another machine's name since: a container's."""
    if identity.store == _called(settings.store, files_of_store(settings)):
        return True
    return _is_at_home(settings) and identity.store.startswith(f"{shown_address(settings.store)} on ")


_CONFIRM = "say so once with 'blobforge doctor --confirm-store'"


def _of_another_store(settings: Settings, identity: QueueIdentity | None, serves: Sequence[KnownQueue]) -> str:
    if identity is not None and (_is_in_its_place(settings, identity) or _is_at_home(settings)):
        return _of_a_lost_store(settings, identity, serves)
    queue, store = shown_address(settings.queue), shown_address(settings.store)
    others = "others put the documents of its jobs elsewhere"
    if identity is not None and identity.store:
        others = f"others use it with {identity.store}"
    return (
        f"the queue {queue} is not used with the store {store}: {others}, and this machine would not find them. "
        "Set BLOBFORGE_STORE on this machine to the store of the others, a bucket or a folder that all machines reach. "
        f"If this is the right one, moved or begun anew, {_CONFIRM}; machines with the other one are refused from then "
        "on"
    )


def _of_a_lost_store(settings: Settings, identity: QueueIdentity, serves: Sequence[KnownQueue]) -> str:
    ours, store = shown_address(settings.queue), shown_address(settings.store)
    place = "it" if _is_in_its_place(settings, identity) else f"its store until now, {identity.store}"
    found = f"{MARK} is missing there"
    if serves:
        # One of its own name is from before a confirmation.
        others = _names([queue for queue in serves if queue.called != _own_name(settings)])
        found = f"{MARK} there does not name this queue{f', but {others}' if others else ''}"
    mend = "If its files were deleted, bring them back; if they are elsewhere"
    if files_of_store(settings):
        mend = "If its disk is not mounted, mount it; if its files were deleted, bring them back; if they are elsewhere"
    return (
        f"the store {store} does not have what the queue {ours} put into {place}: {found}. No job was touched. "
        f"{mend}, set BLOBFORGE_STORE to that place. If it was emptied on purpose, {_CONFIRM}, and submit again what "
        "was still to be done; 'blobforge plan' counts the finished jobs whose results are gone, and "
        "'blobforge reprocess --all' makes these anew"
    )


def _of_another_queue(settings: Settings, serves: Sequence[KnownQueue]) -> str:
    served = _names(serves)
    return (
        f"the store {shown_address(settings.store)} is used by another queue, {served}; the queue "
        f"{shown_address(settings.queue)} is new to it. Set BLOBFORGE_QUEUE on this machine to the queue of the "
        f"others. If several queues shall share this store, or the queue was begun anew, {_CONFIRM}"
    )


def _doubt(settings: Settings, identity: QueueIdentity | None, serves: Sequence[KnownQueue]) -> str | None:
    """Why something in the store may be needed of which this queue knows nothing."""
    if identity is None:
        return None
    name = _own_name(settings)
    # What was begun under its own name was left by a confirmation that was killed, and nobody has worked with it.
    others = [queue for queue in serves if queue.id != identity.id and not (queue.is_begun and queue.called == name)]
    if others:
        return _shared_with(settings, others)
    elsewhere = _elsewhere(settings, identity.id, serves)
    return _used_elsewhere(settings, elsewhere) if elsewhere else None


def _shared_with(settings: Settings, others: Sequence[KnownQueue]) -> str:
    name = _own_name(settings)
    named = dict.fromkeys(
        f"an earlier one at the same address, {queue.called}" if queue.called == name else queue.called
        for queue in others
    )
    return (
        f"the store {shown_address(settings.store)} is used by another queue too, {' and '.join(named)}; what only "
        f"that one needs would look unneeded here, and 'blobforge gc' deletes nothing. If it is gone for good, {_ONLY}"
    )


def _used_elsewhere(settings: Settings, places: Sequence[KnownQueue]) -> str:
    return (
        f"the queue {shown_address(settings.queue)} was used with the store {shown_address(settings.store)} from "
        f"another place, {_names(places)}. If it was copied, what only the other one needs would look unneeded here, "
        f"and 'blobforge gc' deletes nothing. If it was moved, or the other one is gone for good, {_ONLY}"
    )


_ONLY = "say so once with 'blobforge gc --only-queue'"
