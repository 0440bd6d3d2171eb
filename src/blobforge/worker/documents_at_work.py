"""Which documents are at work on the disk of the workspaces, and what it means when one of them finds it full.

Others may have filled it: other documents of this worker, or other programs. Then the document is handed back, and
nothing is begun until there is room. Where the documents of all slots do not fit together, they go one at a time after
that, and more again as that goes well. A document that had the worker and enough room to itself, and filled that, is
itself to blame.
"""

import os
import threading
from dataclasses import dataclass
from pathlib import Path

from blobforge.domain.errors import DiskFull, OutputLimit
from blobforge.domain.ids import JobId
from blobforge.ports.runtime import Runtime
from blobforge.telemetry.lazy import LazyLogger
from blobforge.untrusted_tree import folder_sizes
from blobforge.worker.disk_space import LONGEST_SECONDS, DiskSpace
from blobforge.worker.equipment import Equipment
from blobforge.worker.limits import MEGABYTE

log = LazyLogger(__name__)

ENOUGH_MB = 1024
"""A document that fills so much, or half of a smaller disk, is itself to blame."""
MOST_HANDED_BACK = 12
"""So often in a row a document may be handed back that had the worker to itself: what it wrote may not be found."""
MOST_SUCCESSES_NEEDED = 32


@dataclass(slots=True)
class _DocumentAtWork:
    """`round` counts how often documents did not fit together."""

    round: int
    shares_the_disk: bool


class DocumentsAtWork:
    """Of one worker. Slots and the loop share it."""

    def __init__(self, disk_space: DiskSpace, *, runtime: Runtime) -> None:
        self._disk_space = disk_space
        self._monotonic = runtime.monotonic
        self._lock = threading.Lock()
        self._at_work: dict[object, _DocumentAtWork] = {}
        self._round = 0
        self._most_at_once: int | None = None
        self._successes, self._successes_needed = 0, 1
        self._handed_back: tuple[JobId | None, int] = (None, 0)
        self._shortage: _Shortage | None = None

    def enter(self, run: object) -> bool:
        """Before it takes a workspace; False while others have to leave first. Raises DiskFull while there is no room
        at all."""
        self._look()
        with self._lock:
            if self._shortage is not None:
                raise DiskFull(self._shortage.message)
            if self._most_at_once is not None and len(self._at_work) >= self._most_at_once:
                return False
            self._at_work[run] = _DocumentAtWork(self._round, bool(self._at_work))
            if len(self._at_work) > 1:
                for document in self._at_work.values():
                    document.shares_the_disk = True
            return True

    def leave(self, run: object) -> None:
        """Its workspace is gone."""
        with self._lock:
            document = self._at_work.pop(run, None)
            if document is None or self._most_at_once is None or document.round != self._round:
                return
            self._successes += 1
            if self._successes >= self._successes_needed:
                self._most_at_once, self._successes = self._most_at_once + 1, 0

    def may_be_begun(self, wanted: int) -> int:
        """How many documents a worker may hold that would hold so many."""
        self._look()
        with self._lock:
            if self._shortage is not None:
                return 0
            if self._most_at_once is not None and self._most_at_once >= wanted > 1:
                self._most_at_once = None
            return wanted if self._most_at_once is None else min(wanted, self._most_at_once)

    def seconds_to_look(self) -> float | None:
        """Until there may be room again; None while there is."""
        with self._lock:
            return None if self._shortage is None else max(self._shortage.look_at - self._monotonic(), 0.0)

    def others_filled_it(self, run: object, job_id: JobId, equipment: Equipment, message: str) -> bool:
        """Whether this document found the disk full because of others; then it is to be handed back."""
        folders = equipment.work_folders
        with self._lock:
            document = self._at_work.get(run)
            if document is None:
                return False
            if document.shares_the_disk:
                if document.round == self._round:
                    log.warning("documents do not fit on the disk together; one at a time", error=message)
                    self._one_at_a_time()
                return True
            disk = _disk_of(folders[0])
            free, enough = _free(disk), _enough(disk, equipment.spec.limits.workspace_mb)
            had = free + sum(_written_in(folder, otherwise=enough) for folder in folders)
            if had >= enough or self._was_handed_back_too_often(job_id):
                return False
            self._one_at_a_time()
            needed, now, first = min(2 * had, enough), self._monotonic(), self._disk_space.first_seconds
            message = f"{message}; make room in {folders[0]}"
            self._shortage = _Shortage(folders[0], needed, message, now + first, first)
            self._disk_space.lacks_room(DiskFull(message))
            return True

    def _one_at_a_time(self) -> None:
        self._round += 1
        # A disk on which they do not fit twice in a row is tried less often.
        self._successes_needed = (
            1 if self._most_at_once is None else min(self._successes_needed * 2, MOST_SUCCESSES_NEEDED)
        )
        self._most_at_once, self._successes = 1, 0

    def _was_handed_back_too_often(self, job_id: JobId) -> bool:
        last, count = self._handed_back
        self._handed_back = (job_id, count + 1 if job_id == last else 1)
        return self._handed_back[1] > MOST_HANDED_BACK

    def _look(self) -> None:
        with self._lock:
            shortage, now = self._shortage, self._monotonic()
            if shortage is None or now < shortage.look_at:
                return
            if _free(_disk_of(shortage.folder)) >= shortage.needed:
                self._shortage = None
                self._disk_space.has_room()
                return
            shortage.seconds = min(shortage.seconds * 2, LONGEST_SECONDS)
            shortage.look_at = now + shortage.seconds
            self._disk_space.lacks_room(DiskFull(shortage.message))


@dataclass(slots=True)
class _Shortage:
    """`needed` are the bytes that must be free before anything is begun."""

    folder: Path
    needed: int
    message: str
    look_at: float
    seconds: float


def _written_in(folder: Path, *, otherwise: int) -> int:
    """What cannot be counted is as much as makes it the document's fault."""
    try:
        # The folder itself is ours, and may be a link to another disk.
        return sum(folder_sizes(folder.resolve()).values())
    except OutputLimit:
        return otherwise


def _disk_of(folder: Path) -> os.statvfs_result:
    while not folder.exists():
        folder = folder.parent
    return os.statvfs(folder)


def _free(disk: os.statvfs_result) -> int:
    """A disk can run out of names as well as of space."""
    return 0 if disk.f_files and not disk.f_favail else disk.f_bavail * disk.f_frsize


def _enough(disk: os.statvfs_result, workspace_mb: int) -> int:
    return min(ENOUGH_MB * MEGABYTE, workspace_mb * MEGABYTE, disk.f_blocks * disk.f_frsize // 2)
