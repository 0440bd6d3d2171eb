"""Where the bytes of a job are: in the blob store, or in the user's own files, which are never copied."""

import hashlib
from pathlib import Path
from stat import S_ISREG
from typing import Protocol

from blobforge.domain.errors import SourceChanged, SourceError, SourceMissing, SourceUnreadable
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobStore, source_key
from blobforge.ports.hash_cache import FileStat, HashCache


class SourceFinder(Protocol):
    def locate(self, job: Job, workspace: Path) -> Path:
        """A local file with exactly the job's content. Raises SourceMissing, SourceChanged, SourceUnreadable."""
        ...


class Sources:
    """Looks in the store first, then at the path that the job names, then wherever the content was seen last."""

    def __init__(self, blobs: BlobStore, seen: HashCache) -> None:
        self._blobs = blobs
        self._seen = seen

    def locate(self, job: Job, workspace: Path) -> Path:
        key = source_key(job.source_hash)
        if (local := self._blobs.local_path(key)) is not None:
            return local
        problem: SourceError | None = None
        for path in dict.fromkeys([job.source_path, *self._seen.paths_of(job.source_hash)]):
            if path is None:
                continue
            try:
                return self._checked(Path(path), job.source_hash)
            except SourceMissing:
                continue
            except SourceError as error:
                problem = error
        if self._blobs.stat(key) is not None:
            target = workspace / "source"
            self._blobs.fetch(key, target)
            return target
        raise problem or SourceMissing(
            f"{job.source_path or job.source_hash}: the file is not there any more; put it back or submit it anew"
        )

    def _checked(self, path: Path, expected: SourceHash) -> Path:
        """A stat that is as it was vouches for the content; otherwise the bytes are hashed again."""
        try:
            facts = path.stat()
            if not S_ISREG(facts.st_mode):
                raise SourceChanged(f"{path} is no file any more")
            file = FileStat(str(path), facts.st_size, facts.st_mtime_ns)
            actual = self._seen.known([file]).get(file.path) or _hash(path)
        except (FileNotFoundError, NotADirectoryError, ValueError) as error:
            # ValueError: a name that no file can have, such as one with a null character in it.
            raise SourceMissing(f"{path} is not there") from error
        except OSError as error:
            raise SourceUnreadable(f"{path} cannot be read: {error.strerror}") from error
        if actual != expected:
            raise SourceChanged(f"{path} was changed after it was queued; submit it again")
        return path


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
