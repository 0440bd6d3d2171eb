"""The staging in a local folder, for results that go into another application's database."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.errors import StoreUnavailable
from blobforge.domain.job import Job
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.result_staging import archive_key


class FolderStaging:
    """ResultStaging over a folder. Nothing stays there once its job has ended, well or badly."""

    def __init__(self, blobs: DirectoryBlobStore) -> None:
        self._blobs = blobs

    @contextmanager
    def opened(self, job: Job) -> Iterator[Path | None]:
        key = archive_key(job)
        if key is None:
            yield None
            return
        try:
            yield self._blobs.local_path(BlobKey(key))
        except StoreUnavailable:
            raise  # the ending is repeated with the same result
        except BaseException:
            self._blobs.delete(BlobKey(key))
            raise
        self._blobs.delete(BlobKey(key))

    def keep_replaced(self, job: Job, *, published: str | None, by: str | None) -> None:
        """Not needed: the database has one result per document."""
