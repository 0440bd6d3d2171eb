"""What nobody asks for and has to happen all the same: the reaper, and workers that went silent.

Sweeping is a part of claiming; a server on which workers only wait would never sweep.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.domain.worker_report import read_report, silence_allowed
from blobforge.server.parts import ServerParts
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

EVERY_SECONDS = 1.0
RING_EVERY = 15
FORGET_AFTER = timedelta(days=1)
"""What it has done stays in the record of its name."""


class Tick:
    """Belongs to one event loop. `once` is one round, for tests."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._stopped = asyncio.Event()
        self._is_away = False
        self._rounds = 0

    async def run(self) -> None:
        while not self._stopped.is_set():
            try:
                await self.once()
                self._is_away = False
            except StoreUnavailable as error:
                if not self._is_away:
                    log.warning("the queue does not answer; the server goes on when it does", error=str(error))
                self._is_away = True
            with suppress(TimeoutError):
                await asyncio.wait_for(self._stopped.wait(), EVERY_SECONDS)

    def stop(self) -> None:
        self._stopped.set()

    async def once(self) -> None:
        swept = await self._parts.write(lambda queue: queue.sweep())
        if swept.reaped:
            log.info("leases and back-offs ended", jobs=len(swept.reaped))
        await self._parts.crossing.write(self._mark_silent_workers)
        self._rounds += 1
        if swept.reaped or self._rounds % RING_EVERY == 0:
            # Also where nothing was freed, so that a ring that got lost costs seconds and no more.
            self._parts.hub.ring()

    def _mark_silent_workers(self) -> None:
        """A worker that missed three heartbeats is offline, and its jobs go back to the queue. Its next sign of life
        says otherwise."""
        queue, now = self._parts.coordinator, self._parts.clock.now()
        workers = queue.workers()
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
