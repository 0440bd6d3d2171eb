"""Opens what brings documents into the queue, `submit` for files and `ingest` for whole libraries, with the caches of
hashes and the manifest that they need."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from blobforge import plugins
from blobforge.catalog.layers import LayeredHashCache, ReadOnlyHashCache
from blobforge.catalog.recent_sightings import RecentSightings
from blobforge.catalog.xattrs import XattrHashCache
from blobforge.config.settings import Settings
from blobforge.domain.file_rights import FileRights
from blobforge.domain.job import NewJob
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.manifest import Sighting
from blobforge.domain.priority import Priority
from blobforge.ingest.arrivals import Arrivals, ArrivedDocument, DryRunIntake, Intake, TransferObserver
from blobforge.ingest.libraries import Libraries
from blobforge.ingest.repositories import Clones
from blobforge.ingest.service import IngestObserver, IngestService
from blobforge.ingest.submitting import SubmitService
from blobforge.ports.hash_cache import HashCache
from blobforge.ports.manifest import SightingBook
from blobforge.wiring.manifests import open_manifest, place_of_manifest, shows_manifest
from blobforge.wiring.orders import PDF, job_for, order_for
from blobforge.wiring.pairing import check_pair, require_pair
from blobforge.wiring.queues import OpenedCoordinator, open_catalog, open_coordinator

UPLOADS_TO_A_SERVER = 4
"""At a time: each mostly waits for answers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedSubmit:
    service: SubmitService
    close: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedIngest:
    service: IngestService
    libraries: Libraries
    close: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestRequest:
    """`source` is None where each library has its own name."""

    paths: tuple[str, ...]
    priority: Priority
    tags: tuple[str, ...]
    source: str | None
    options: JsonObject = field(default_factory=dict)
    """Of the processor, over those of the settings."""
    follow: bool = False
    follow_links: bool = False


class IngestWatcher(IngestObserver, TransferObserver, Protocol):
    """Who is told of everything."""


def open_submit(
    settings: Settings,
    *,
    job_type: str,
    order: str,
    priority: Priority,
    tags: str,
    steps: TransferObserver | None = None,
) -> OpenedSubmit:
    """Raises InvalidSettings, StoreUnavailable."""

    def new_job(document: ArrivedDocument) -> NewJob:
        path, size = document.stat.path, document.size
        job = job_for(settings, document.source_hash, path=path, size=size, order=order, job_type=job_type)
        return job._replace(priority=priority, tags=tags)

    with ExitStack() as stack:
        queue, first, second = _open(settings, stack)
        require_pair(settings, queue)
        intake = Arrivals(
            queue.coordinator,
            queue.blobs(),
            new_job=new_job,
            records_sources=not queue.publishes,
            steps=steps,
            uploads=_uploads(settings, queue),
        )
        return OpenedSubmit(
            service=SubmitService(intake, LayeredHashCache(first, second), order), close=stack.pop_all().close
        )


def open_ingest(
    settings: Settings, request: IngestRequest, *, watcher: IngestWatcher, stopped: Callable[[], bool]
) -> OpenedIngest:
    """Raises InvalidSettings, StoreUnavailable."""
    order, tags = order_for(settings, PDF, request.options), canonical_json(request.tags)

    def new_job(document: ArrivedDocument) -> NewJob:
        path, size = document.shown_as, document.size
        job = job_for(settings, document.source_hash, path=path, size=size, order=order, job_type=PDF)
        return job._replace(priority=request.priority, tags=tags)

    with ExitStack() as stack:
        queue, first, second = _open(settings, stack)
        require_pair(settings, queue)
        intake = Arrivals(
            queue.coordinator,
            queue.blobs(),
            new_job=new_job,
            stopped=stopped,
            steps=watcher,
            records_sources=not queue.publishes,
            uploads=_uploads(settings, queue),
            waits_for_room=request.follow,
        )
        told = settings.home / "told-sightings.json"
        address, rights = f"{place_of_manifest(settings)} {settings.project}", settings.file_rights
        book = _book(settings, told, address=address, rights=rights)
        hashes = LayeredHashCache(first, second)
        service = _service(settings, request, queue, intake, hashes, book, watcher, stopped)
        return OpenedIngest(service=service, libraries=_libraries(settings, request), close=stack.pop_all().close)


def open_rehearsal(
    settings: Settings, request: IngestRequest, *, watcher: IngestWatcher, stopped: Callable[[], bool]
) -> OpenedIngest:
    """An ingest that changes nothing. Raises InvalidOptions, InvalidSettings, StoreUnavailable."""
    order_for(settings, PDF, request.options)
    with ExitStack() as stack:
        queue, first, second = _open(settings, stack)
        check_pair(settings, queue)
        intake = DryRunIntake(queue.blobs())
        hashes = LayeredHashCache(ReadOnlyHashCache(first), ReadOnlyHashCache(second))
        service = _service(settings, request, queue, intake, hashes, _NoBook(), watcher, stopped)
        return OpenedIngest(service=service, libraries=_libraries(settings, request), close=stack.pop_all().close)


def _open(settings: Settings, stack: ExitStack) -> tuple[OpenedCoordinator, HashCache, HashCache]:
    """The queue and the hash caches. The catalogue comes first: it tells of a whole library in one question."""
    opened = open_coordinator(settings)
    stack.callback(opened.close)
    catalog = open_catalog(settings)
    stack.callback(catalog.close)
    return opened, catalog, XattrHashCache()


def _service(
    settings: Settings,
    request: IngestRequest,
    queue: OpenedCoordinator,
    intake: Intake,
    hashes: HashCache,
    book: SightingBook,
    watcher: IngestObserver,
    stopped: Callable[[], bool],
) -> IngestService:
    return IngestService(
        queue.coordinator,
        intake,
        hashes,
        book,
        project=settings.project,
        job_type=PDF,
        tags=request.tags,
        clock=queue.clock,
        watcher=watcher,
        stopped=stopped,
    )


def _uploads(settings: Settings, queue: OpenedCoordinator) -> int:
    return UPLOADS_TO_A_SERVER if queue.is_behind_server else plugins.load_store(settings.store).uploads


def _book(settings: Settings, told: Path, *, address: str, rights: FileRights) -> SightingBook:
    if not shows_manifest(settings):
        return _NoBook()
    return RecentSightings(open_manifest(settings), told, address=address, rights=rights)


def _libraries(settings: Settings, request: IngestRequest) -> Libraries:
    clones = Clones(settings.home / "repositories", rights=settings.file_rights)
    return Libraries(
        request.paths,
        clones=clones,
        source=request.source,
        skip=settings.home,
        follow_links=request.follow_links,
    )


class _NoBook:
    """Whoever only looks records nothing."""

    def has_heard(self, sightings: Sequence[Sighting]) -> bool:  # noqa: ARG002 - fixed by the port
        return False

    def record(self, sightings: Sequence[Sighting]) -> None:
        """It is forgotten."""

    def flush(self) -> None:
        """Nothing waits."""

    def finish(self) -> None:
        """Nothing was begun."""
