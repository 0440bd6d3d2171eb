"""What nobody asks for and has to happen all the same: the reaper, workers that went silent, uploads, and keys of
requests that are over.

Sweeping is a part of claiming; a server on which workers only wait would never sweep.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count

from blobforge.domain.account import WorkerAccount, is_process_of
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import DRAINED, read_report, silence_allowed
from blobforge.server.parts import ServerParts
from blobforge.server.registrations import as_its_account_says
from blobforge.server.store_rounds import StoreRounds
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

EVERY_SECONDS = 1.0
WORKERS_EVERY = 10
"""Rounds: there may be a thousand of them, and they may be silent for minutes."""
QUEUE_AWAY = "the queue does not answer; the server goes on when it does"
STORE_AWAY = "the store or the queue does not answer; uploads are looked for when it does"
KEYS_EVERY = 60
"""Rounds: idempotency keys are kept for a day."""
FORGET_AFTER = timedelta(days=1)
"""What it has done stays in the record of its name."""


class Tick:
    """Belongs to one event loop. `once` is one round, for tests."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._stopped = asyncio.Event()
        self._away: set[str] = set()
        self._store_rounds = StoreRounds(parts)
        self._in_store: asyncio.Task[None] | None = None

    async def run(self) -> None:
        for rounds in count():
            if self._stopped.is_set():
                break
            await self._survived(QUEUE_AWAY, partial(self._round, rounds))
            if rounds % WORKERS_EVERY == 0:
                self._begin_round_in_store()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), EVERY_SECONDS)
        if self._in_store is not None:
            await self._in_store

    def stop(self) -> None:
        self._stopped.set()

    async def once(self) -> None:
        await self._reap()
        await self._look_at_workers()
        await self._forget_keys()
        await self._store_rounds.once()

    async def _round(self, number: int) -> None:
        await self._reap()
        if number % WORKERS_EVERY == 0:
            await self._look_at_workers()
        if number % KEYS_EVERY == 0:
            await self._forget_keys()

    def _begin_round_in_store(self) -> None:
        """Beside the rest: to read a large document takes minutes, in which leases end."""
        if self._in_store is None or self._in_store.done():
            self._in_store = asyncio.create_task(self._survived(STORE_AWAY, self._store_rounds.once))

    async def _survived(self, phrase: str, work: Callable[[], Awaitable[None]]) -> None:
        """`phrase` is said once of what does not answer."""
        try:
            await work()
            self._away.discard(phrase)
        except StoreUnavailable as error:
            if phrase not in self._away:
                log.warning(phrase, error=str(error))
            self._away.add(phrase)
        except Exception as error:
            # A tick that ends frees no lease any more, and says nothing.
            log.error("a round of the tick failed; the next one comes", exc_info=error)  # noqa: TRY400 - has no other

    async def _reap(self) -> None:
        swept = await self._parts.write(lambda queue: queue.sweep())
        if swept.reaped:
            log.info("leases and back-offs ended", jobs=len(swept.reaped))
            self._parts.hub.notify()

    async def _forget_keys(self) -> None:
        if (keys := self._parts.idempotency_keys) is not None:
            await self._parts.crossing.write(lambda: keys.forget(now=self._parts.clock.now()))

    async def _look_at_workers(self) -> None:
        await self._parts.crossing.write(self._mark_workers)
        # Also where nothing was freed, so that a wake-up that got lost costs no more than this. Not at every round:
        # each makes one of those who wait ask, however little there is to do.
        self._parts.hub.notify()

    def _mark_workers(self) -> None:
        self._mark_silent_workers(self._mark_drained_workers(self._parts.coordinator.workers()))

    def _mark_drained_workers(self, workers: Sequence[Worker]) -> list[Worker]:
        """As they are now. Their heartbeats say it too, up to a minute later."""
        accounts = self._parts.accounts
        draining = [account for account in accounts.workers() if account.is_draining] if accounts is not None else []
        shown = [_as_drained(worker, draining) for worker in workers]
        for worker, now in zip(workers, shown, strict=True):
            if now is not worker:
                self._parts.coordinator.register_worker(now)
        return shown

    def _mark_silent_workers(self, workers: Sequence[Worker]) -> None:
        """A worker that missed three heartbeats is offline, and its jobs go back to the queue. Its next sign of life
        says otherwise."""
        queue, now = self._parts.coordinator, self._parts.clock.now()
        for worker in workers:
            if now - worker.last_heartbeat > FORGET_AFTER:
                queue.deregister_worker(worker.id)
        for worker in self._silent(workers):
            queue.register_worker(replace(worker, status=WorkerStatus.OFFLINE))
            freed = queue.expire_worker(worker.id)
            log.warning("a worker went silent", worker_id=worker.id, jobs_freed=len(freed))

    def _silent(self, workers: Sequence[Worker]) -> list[Worker]:
        now = self._parts.clock.now()
        return [
            worker
            for worker in workers
            if worker.status is not WorkerStatus.OFFLINE
            and FORGET_AFTER
            >= now - worker.last_heartbeat
            > max(silence_allowed(read_report(worker.metadata, worker_id=worker.id), self._timeout), self._timeout)
        ]

    @property
    def _timeout(self) -> timedelta:
        return self._parts.worker_timeout


def _as_drained(worker: Worker, draining: Sequence[WorkerAccount]) -> Worker:
    """The same where nothing changed."""
    account = next((account for account in draining if is_process_of(worker.id, account.name)), None)
    was_drained = DRAINED in worker.metadata
    if worker.status is WorkerStatus.OFFLINE or was_drained == (account is not None):
        return worker
    # Whoever ends by itself says so again with its next heartbeat.
    return as_its_account_says(replace(worker, status=WorkerStatus.ONLINE), account)
