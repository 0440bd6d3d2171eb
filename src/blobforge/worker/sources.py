"""Where the bytes of a job are: in the blob store, or in the user's own files, which are never copied."""

from collections.abc import Callable, Iterator
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

from blobforge.domain.errors import (
    DiskFull,
    NotFound,
    SourceChanged,
    SourceDamaged,
    SourceError,
    SourceMissing,
    SourceUnreadable,
)
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.ingest.hashing import hash_file
from blobforge.ports.blob_store import BlobKey, BlobStore, source_key
from blobforge.ports.hash_cache import FileStat, HashCache
from blobforge.worker.workspace import require_fitting


class SourceFinder(Protocol):
    def locate(self, job: Job, workspace: Path) -> Path:
        """A local file with exactly the job's content. Raises SourceMissing, SourceChanged, SourceUnreadable."""
        ...


class SourcesOfThePair:
    """Before a document counts as missing, it is asked whether this still is the store of the queue."""

    def __init__(self, sources: SourceFinder, require_pair: Callable[[], None]) -> None:
        """`require_pair` raises StoreUnavailable."""
        self._sources = sources
        self._require_pair = require_pair

    def locate(self, job: Job, workspace: Path) -> Path:
        """Raises StoreUnavailable where it is not, which costs the job no attempt, and what `SourceFinder` says."""
        try:
            return self._sources.locate(job, workspace)
        except SourceMissing:
            self._require_pair()
            raise


class Sources:
    """Looks in the store first, then at the path that the job names, then wherever the content was seen last."""

    def __init__(self, blobs: BlobStore, seen: HashCache | None) -> None:
        """Without `seen`, the store alone: jobs from elsewhere name no file of this machine."""
        self._blobs = blobs
        self._seen = seen

    def locate(self, job: Job, workspace: Path) -> Path:
        key = source_key(job.source_hash)
        local = self._blobs.local_path(key)
        unusable: SourceError | None = None
        try:
            stored = None if local is None else _stored_hash(local)
        except SourceUnreadable as error:
            unusable = SourceUnreadable(f"{job.source_path or job.source_hash}: the copy in the store: {error}{_MEND}")
        else:
            if local is not None and stored == job.source_hash:
                return local
            unusable = None if stored is None else _damaged(job, str(local))
        problem: SourceError | None = unusable
        for path in self._places(job):
            try:
                return self._checked(Path(path), job.source_hash)
            except SourceMissing:
                continue
            except SourceError as error:
                problem = error
        if unusable is not None:
            raise unusable
        return self._fetched(job, key, workspace / "source", problem)

    def _fetched(self, job: Job, key: BlobKey, target: Path, problem: SourceError | None) -> Path:
        try:
            self._blobs.fetch(key, target)
        except NotFound as error:
            raise problem or SourceMissing(
                f"{job.source_path or job.source_hash}: the file is not there any more; put it back or submit it anew"
            ) from error
        except DiskFull:
            stored = self._blobs.stat(key)
            require_fitting(job.source_path or job.source_hash, stored.size if stored is not None else 0, target.parent)
            raise
        if hash_file(str(target)).source_hash != job.source_hash:
            raise _damaged(job, self._blobs.address(key))
        return target

    def _places(self, job: Job) -> Iterator[str]:
        """Where it may be; most of the time the first is right, and nothing else is asked."""
        if self._seen is None:
            return
        if job.source_path is not None:
            yield job.source_path
        yield from (path for path in self._seen.paths_of(job.source_hash) if path != job.source_path)

    def _checked(self, path: Path, expected: SourceHash) -> Path:
        """A stat that is as it was vouches for the content; otherwise the bytes are hashed again."""
        try:
            facts = path.stat()
            if not S_ISREG(facts.st_mode):
                raise SourceChanged(f"{path} is no file any more")
            file = FileStat(str(path), facts.st_size, facts.st_mtime_ns)
            known = self._seen.known([file]) if self._seen is not None else {}
            actual = known.get(file.path) or hash_file(file.path).source_hash
        except (FileNotFoundError, NotADirectoryError, ValueError) as error:
            # ValueError: a name that no file can have, such as one with a null character in it.
            raise SourceMissing(f"{path} is not there") from error
        except OSError as error:
            raise SourceUnreadable(f"{path} cannot be read: {error.strerror}") from error
        if actual != expected:
            raise SourceChanged(f"{path} was changed after it was queued; submit it again")
        return path


_MEND = (
    "; it may belong to another user who ran a command in this home ('ls -l' tells): give it to the user of the worker "
    "(chown), and retry the job"
)


def _stored_hash(copy: Path) -> SourceHash | None:
    """Of a copy in the store, None when it is gone. A disk, a restore or a person may have changed it, and its text
    would be published as that of the document; hashing costs little beside a conversion. Raises SourceUnreadable."""
    try:
        return hash_file(str(copy)).source_hash
    except SourceMissing:
        return None


def _damaged(job: Job, where: str) -> SourceDamaged:
    return SourceDamaged(
        f"{job.source_path or job.source_hash}: the store holds other bytes in {where} than its hash says; "
        "delete that and ingest the document again"
    )
