"""Puts the parts together: the only place that chooses adapters, by URL and by name."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import cast
from urllib.parse import urlsplit

from blobforge import plugins
from blobforge.catalog.nothing import NothingSeen
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.conversion.document import Document
from blobforge.conversion.service import Conversion, Display, Workshop
from blobforge.coordination.quiet import NoWakeup
from blobforge.domain.errors import InvalidSettings, ProcessingError
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, NewJob
from blobforge.domain.json_value import JsonObject
from blobforge.domain.priority import Priority
from blobforge.domain.retry import RetryPolicy
from blobforge.ingest.service import IngestService
from blobforge.plugins import Group
from blobforge.ports.blob_store import BlobStore, OpenStore, S3Access, StoreOptions
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.hash_cache import HashedFile
from blobforge.ports.job_store import Queue
from blobforge.ports.processor import Task
from blobforge.ports.queue_backend import QueueOptions
from blobforge.ports.wakeup import Wakeup
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.feed import Feed, ListFeed, QueueFeed, Until
from blobforge.worker.instance import Instance, worker_id
from blobforge.worker.job_run import Equipment
from blobforge.worker.limits import ChildLimits
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.messages import Operation, Refused, Request
from blobforge.worker.order import Order
from blobforge.worker.results import ResultShelf
from blobforge.worker.sources import Sources
from blobforge.worker.watching import Watcher
from blobforge.worker.workspace import Workspace

PDF = "pdf"
PDF_PROCESSOR = "pdf_markdown"
CONVERT_RETRY = RetryPolicy(first=timedelta(seconds=0.5), longest=timedelta(seconds=5))
"""A person is waiting: what can be tried again is tried again soon."""
CONVERT_AHEAD = 8
"""So many documents a slot are claimed ahead: nobody else waits for them, and many are settled in one step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedCoordinator:
    coordinator: Coordinator
    wakeup: Wakeup
    close: Callable[[], None]


def open_coordinator(
    settings: Settings, *, durable: bool = True, policy: RetryPolicy | None = None
) -> OpenedCoordinator:
    """The queue of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    from blobforge.coordination.service import CoordinationService

    opened = plugins.load_queue(settings.queue)(settings.queue, QueueOptions(durable=durable))
    service = CoordinationService(
        opened.store,
        clock=SystemClock(),
        lease_for=timedelta(seconds=settings.worker.lease_seconds),
        policy=policy or _policy(settings),
        archive_after=timedelta(days=settings.archive_days) if settings.archive_days else None,
    )
    return OpenedCoordinator(coordinator=service, wakeup=opened.wakeup, close=service.close)


def open_blobs(settings: Settings, *, durable: bool = True) -> BlobStore:
    """The store of the settings' URL. Raises InvalidSettings, StoreUnavailable."""
    open_store = cast("OpenStore", plugins.load(Group.STORES, urlsplit(settings.store).scheme))
    return open_store(settings.store, StoreOptions(durable=durable, s3=S3Access(**settings.s3.model_dump())))


def open_catalog(settings: Settings) -> SqliteCatalog:
    return SqliteCatalog(settings.home / "catalog.db")


def processors_by_type() -> dict[str, str]:
    """Which processor serves each job type. Raises InvalidSettings when two claim one."""
    served: dict[str, str] = {}
    for name in plugins.names(Group.PROCESSORS):
        for job_type in plugins.load_processor(name).info.types:
            if served.setdefault(job_type, name) != name:
                raise InvalidSettings(f"the processors {served[job_type]} and {name} both serve the type {job_type!r}")
    return served


def job_for(settings: Settings, source_hash: SourceHash, *, path: str, size: int, order: str, job_type: str) -> NewJob:
    return NewJob(
        project=settings.project,
        type=job_type,
        source_hash=source_hash,
        # A name that is no valid text is kept as far as text goes; the catalogue has its bytes.
        source_path=os.fsencode(path).decode("utf-8", "backslashreplace"),
        source_size=size,
        max_attempts=settings.retry.max_attempts,
        metadata=order,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedWorker:
    loop: WorkerLoop
    close: Callable[[], None]


def open_worker(settings: Settings, *, types: Sequence[str], until: Until, watcher: Watcher) -> OpenedWorker:
    """A worker on the queue. Raises InvalidSettings, StoreUnavailable, UnknownProcessor."""
    served = {job_type: _server_of(job_type) for job_type in types}
    with ExitStack() as stack:
        opened = open_coordinator(settings)
        stack.callback(opened.close)
        catalog = open_catalog(settings)
        stack.callback(catalog.close)
        instance = _open_instance(settings, opened.coordinator, stack)
        feed = QueueFeed(opened.coordinator, Queue(settings.project, tuple(types)), instance.id, until=until)
        equipment = _equipment(settings, served, catalog, instance, durable=True)
        loop = _loop(settings, opened, feed, equipment, instance, watcher)
        return OpenedWorker(loop=loop, close=stack.pop_all().close)


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


def order_for(settings: Settings, job_type: str, options: JsonObject) -> str:
    """The order of a job type with these options, checked by its processor. Raises InvalidOptions, InvalidSettings."""
    if job_type == PDF:
        options = {**pdf_options(settings), **options}
    plugins.load_processor(_server_of(job_type)).recipe(options)
    return Order(options=options).as_metadata()


def pdf_options(settings: Settings) -> JsonObject:
    """What the settings say about PDFs."""
    return {"engine": settings.conversion.engine, "ocr_languages": settings.conversion.ocr_languages}


def open_conversion(settings: Settings, *, display: Display) -> tuple[Conversion, Callable[[], None]]:
    """`convert` over the queue and the store of the settings; the second value closes it."""
    catalog = open_catalog(settings)

    def open_workshop() -> Workshop:
        with ExitStack() as stack:
            opened = open_coordinator(settings, durable=False, policy=CONVERT_RETRY)
            stack.callback(opened.close)
            instance = _open_instance(settings, opened.coordinator, stack)
            equipment = _equipment(settings, {PDF: PDF_PROCESSOR}, catalog, instance, durable=False)

            def feed(on_final: Callable[[Job], None]) -> ListFeed:
                return ListFeed(opened.coordinator, instance.id, clock=SystemClock(), on_final=on_final)

            def loop(feed: ListFeed, watcher: Watcher) -> WorkerLoop:
                # A person who waits is given no grace time, whatever the settings say of workers.
                ahead, on_term = CONVERT_AHEAD * settings.worker.slots, OnTerm.RELEASE
                return _loop(settings, opened, feed, equipment, instance, watcher, ahead=ahead, on_term=on_term)

            return Workshop(
                coordinator=opened.coordinator,
                shelf=equipment[PDF].shelf,
                feed=feed,
                loop=loop,
                close=stack.pop_all().close,
            )

    def new_job(source_hash: SourceHash, document: Document, order: str) -> NewJob:
        path, size, _ = document.stat
        return job_for(settings, source_hash, path=path, size=size, order=order, job_type=PDF)

    conversion = Conversion(
        hashes=catalog,
        ledger=catalog,
        processor=plugins.load_processor(PDF_PROCESSOR),
        open_workshop=open_workshop,
        new_job=new_job,
        display=display,
    )
    return conversion, catalog.close


def _server_of(job_type: str) -> str:
    served = processors_by_type()
    if job_type not in served:
        raise InvalidSettings(f"no processor serves the type {job_type!r}; there are {', '.join(sorted(served))}")
    return served[job_type]


def child_limits(settings: Settings) -> ChildLimits:
    child, conversion = settings.child, settings.conversion
    return ChildLimits(
        memory_mb=child.memory_mb,
        cpu_seconds=child.cpu_seconds,
        open_files=child.open_files,
        output_mb=child.output_mb,
        timeout_seconds=conversion.timeout_seconds,
        stall_seconds=conversion.stall_seconds,
        max_jobs=child.max_jobs,
        max_age_seconds=child.max_age_seconds,
        recycle_mb=child.recycle_mb,
    )


def factory_of(processor_name: str) -> str:
    """Where a child finds a processor, as "module:name"; so it need not search the installed packages again."""
    plugins.load_processor(processor_name)
    return next(found.entry_point.value for found in plugins.plugins(Group.PROCESSORS) if found.name == processor_name)


def equipment_for_one(folder: Path, limits: ChildLimits) -> Equipment:
    """For one document outside any queue: all that it needs is in a folder of its own."""
    from blobforge.blobs.directory import DirectoryBlobStore

    blobs = DirectoryBlobStore(folder / "blobs", durable=False)
    return Equipment(
        processor=plugins.load_processor(PDF_PROCESSOR),
        spec=ChildSpec(factory=factory_of(PDF_PROCESSOR), limits=limits, environment=os.environ),
        shelf=ResultShelf(blobs),
        sources=Sources(blobs, NothingSeen()),
        workspaces=Workspace(folder / "work"),
    )


def try_child(folder: Path, limits: ChildLimits) -> None:
    """Starts a child and lets it do a trifle. Raises ChildError, or what the processor refuses with."""
    source = folder / "source"
    source.write_bytes(b"hello")
    task = Task(source=source, source_name="hello", source_hash=SourceHash("0" * 64), workspace=folder)
    child = Child(ChildSpec(factory=factory_of("echo"), limits=limits, environment=os.environ))
    try:
        reply = child.ask(Request(Operation.CONVERT, task), seconds=60, on_progress=lambda _: None)
    finally:
        child.close()
    if isinstance(reply.answer, Refused):
        raise ProcessingError(reply.answer.failure.message)


def _open_instance(settings: Settings, coordinator: Coordinator, stack: ExitStack) -> Instance:
    """Signs this process in, and frees the jobs of those on this machine that died without a word."""
    instance = Instance(settings.home / "workers", worker_id(settings.worker.id))
    instance.open()
    stack.callback(instance.close)
    for gone in instance.dead():
        coordinator.expire_worker(gone)
        coordinator.deregister_worker(gone)
    return instance


def _equipment(
    settings: Settings, served: Mapping[str, str], catalog: SqliteCatalog, instance: Instance, *, durable: bool
) -> dict[str, Equipment]:
    blobs = open_blobs(settings, durable=durable)
    shelf, sources = ResultShelf(blobs), Sources(blobs, catalog)
    workspaces, limits = Workspace(instance.workspace), child_limits(settings)
    return {
        job_type: Equipment(
            processor=plugins.load_processor(name),
            spec=ChildSpec(factory=factory_of(name), limits=limits, environment=os.environ),
            shelf=shelf,
            sources=sources,
            workspaces=workspaces,
        )
        for job_type, name in served.items()
    }


def _loop(
    settings: Settings,
    opened: OpenedCoordinator,
    feed: Feed,
    equipment: Mapping[str, Equipment],
    instance: Instance,
    watcher: Watcher,
    *,
    ahead: int = 0,
    on_term: OnTerm | None = None,
) -> WorkerLoop:
    worker = settings.worker
    return WorkerLoop(
        opened.coordinator,
        feed,
        equipment,
        LoopSettings(
            worker_id=instance.id,
            slots=worker.slots,
            ahead=ahead,
            heartbeat=timedelta(seconds=worker.heartbeat_seconds),
            on_term=on_term or OnTerm(worker.on_term),
            grace=timedelta(seconds=worker.grace_seconds),
        ),
        clock=SystemClock(),
        # A list of jobs has its own bell; only a queue is written to by others.
        wakeup=NoWakeup() if isinstance(feed, ListFeed) else opened.wakeup,
        watcher=watcher,
    )


def _policy(settings: Settings) -> RetryPolicy:
    retry = settings.retry
    return RetryPolicy(first=timedelta(seconds=retry.first_seconds), longest=timedelta(seconds=retry.longest_seconds))
