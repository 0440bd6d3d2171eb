"""Documents into the queue."""

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from blobforge.config.settings import Settings
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import NewJob
from blobforge.domain.priority import Priority
from blobforge.ingest.service import IngestService
from blobforge.ports.hash_cache import HashedFile
from blobforge.wiring.orders import job_for
from blobforge.wiring.queues import open_blobs, open_catalog, open_coordinator


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedIngest:
    service: IngestService
    close: Callable[[], None]


def open_ingest(settings: Settings, *, job_type: str, order: str, priority: Priority, tags: str) -> OpenedIngest:
    """Raises InvalidSettings, StoreUnavailable."""

    def new_job(source_hash: SourceHash, file: HashedFile) -> NewJob:
        path, size, _ = file.stat
        job = job_for(settings, source_hash, path=path, size=size, order=order, job_type=job_type)
        return job._replace(priority=priority, tags=tags)

    with ExitStack() as stack:
        opened = open_coordinator(settings)
        stack.callback(opened.close)
        catalog = open_catalog(settings)
        stack.callback(catalog.close)
        service = IngestService(opened.coordinator, open_blobs(settings), catalog, new_job=new_job)
        return OpenedIngest(service=service, close=stack.pop_all().close)
