"""What happens in the store by itself: uploads that nobody told of are found, and abandoned ones are cleared away."""

import math
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from blobforge.domain.errors import SourceDamaged
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job
from blobforge.domain.lifecycle import lacks_source
from blobforge.domain.uploads import INCOMING, PLACES, parse_incoming
from blobforge.ports.job_store import JobFilter
from blobforge.server.parts import ServerParts
from blobforge.server.sources_in import EXPECTED_WITHIN
from blobforge.telemetry.lazy import LazyLogger

log = LazyLogger(__name__)

FIRST_LOOK = timedelta(seconds=10)
"""After a source was announced; then after twice as long each time."""
MOST_WAITING = 1_000
"""The youngest of those that wait say when it is looked; one look finds the sources of all."""
MOST_PLACED = 20
"""In one round: each is read as a whole."""
CLEAR_EVERY = timedelta(hours=1)
ABANDONED_AFTER = timedelta(days=2)
"""Longer than an announced source is waited for."""


class StoreRounds:
    """What it remembers is when it looked last: one that is started again looks at once."""

    def __init__(self, parts: ServerParts) -> None:
        self._parts = parts
        self._looked_at: datetime | None = None
        self._cleared_at: datetime | None = None

    async def once(self) -> None:
        """Raises StoreUnavailable."""
        found = await self._parts.crossing.transfer(self._find_uploads)
        if found:
            self._parts.hub.notify()
        await self._parts.crossing.transfer(self._clear_abandoned)

    def _find_uploads(self) -> int:
        """How many sources have come. One listing finds those of all jobs, however many wait."""
        now, since = self._parts.clock.now(), self._looked_at
        if not any(is_look_due(job, since=since, now=now) for job in self._waiting()):
            return 0
        came = self._came()
        # Those that are left are looked at in the next round.
        self._looked_at = now if len(came) <= MOST_PLACED else None
        return sum(self._is_placed(job) for job in came[:MOST_PLACED])

    def _waiting(self) -> Sequence[Job]:
        return self._parts.coordinator.page(JobFilter(awaits_source=True), limit=MOST_WAITING)

    def _came(self) -> list[Job]:
        """The jobs whose source was uploaded, and that still lack it."""
        keys = (blob.key for blob in self._parts.files.blobs.list(f"{INCOMING}/"))
        ids = {job_id for key in keys if (job_id := parse_incoming(key)) is not None}
        return [job for job in self._jobs(sorted(ids)) if lacks_source(job)]

    def _jobs(self, ids: Sequence[JobId]) -> list[Job]:
        portions = (ids[start : start + MOST_WAITING] for start in range(0, len(ids), MOST_WAITING))
        return [job for portion in portions for job in self._parts.coordinator.get_many(portion)]

    def _is_placed(self, job: Job) -> bool:
        try:
            arrival = self._parts.files.sources.look(job)
        except SourceDamaged as error:
            log.warning("what was uploaded is not the announced document", job_id=job.id, error=str(error))
            return False
        if arrival.has_arrived:
            log.info("a source was found that nobody told of", job_id=job.id)
        return arrival.has_arrived

    def _clear_abandoned(self) -> None:
        now = self._parts.clock.now()
        if self._cleared_at is not None and now - self._cleared_at < CLEAR_EVERY:
            return
        before, files = now - ABANDONED_AFTER, self._parts.files
        cleared = files.multipart.clear_abandoned(before=before)
        for place in PLACES:
            for blob in list(files.blobs.list(place)):
                if blob.modified < before:
                    files.blobs.delete(blob.key)
                    cleared += 1
        cleared += _clear_files(files.workspace, before=before)
        if cleared:
            log.info("abandoned uploads were cleared away", uploads=cleared)
        self._cleared_at = now


def _clear_files(workspace: Path, *, before: datetime) -> int:
    """What a server that was killed was about to receive."""
    cleared = 0
    for path in workspace.iterdir():
        # Whoever receives it may have moved it away meanwhile.
        with suppress(FileNotFoundError):
            if path.is_file() and datetime.fromtimestamp(path.stat().st_mtime, UTC) < before:
                path.unlink()
                cleared += 1
    return cleared


def is_look_due(job: Job, *, since: datetime | None, now: datetime) -> bool:
    """Whether its source is to be looked for, for the first time or once more since then: ever more seldom, and no
    more when it is given up."""
    announced = job.created_at
    if job.available_at is not None:
        # An address that was asked for later begins it anew.
        announced = max(announced, job.available_at - EXPECTED_WITHIN)
    looked = 0 if since is None else _looks(since - announced)
    return _looks(now - announced) > looked


def _looks(age: timedelta) -> int:
    """How many there were to be at this age."""
    if age < FIRST_LOOK:
        return 0
    return math.floor(math.log2(min(age, EXPECTED_WITHIN) / FIRST_LOOK)) + 1
