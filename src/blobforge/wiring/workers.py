"""A worker on the queue, and what every worker is equipped with."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta

from blobforge import plugins
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.coordination.quiet import NoWakeup
from blobforge.domain.run_window import parse_run_windows
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.job_store import Queue
from blobforge.wiring.children import child_limits, factory_of
from blobforge.wiring.orders import server_of
from blobforge.wiring.queues import OpenedCoordinator, open_blobs, open_catalog, open_coordinator
from blobforge.worker.child import ChildSpec
from blobforge.worker.error_log import ErrorLog
from blobforge.worker.feed import Feed, ListFeed, QueueFeed, Until
from blobforge.worker.instance import Instance, worker_id, worker_name
from blobforge.worker.job_run import Equipment
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.machine import MachineWatch
from blobforge.worker.opening_hours import OpeningHours
from blobforge.worker.portrait import Portrait
from blobforge.worker.presence import forget_the_long_lost
from blobforge.worker.record_file import RecordFile
from blobforge.worker.results import ResultShelf
from blobforge.worker.sources import Sources
from blobforge.worker.watching import Watcher
from blobforge.worker.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedWorker:
    loop: WorkerLoop
    close: Callable[[], None]


def open_worker(settings: Settings, *, types: Sequence[str], until: Until, watcher: Watcher) -> OpenedWorker:
    """A worker on the queue. Raises InvalidSettings, StoreUnavailable, UnknownProcessor."""
    served = {job_type: server_of(job_type) for job_type in types}
    with ExitStack() as stack:
        opened = open_coordinator(settings)
        stack.callback(opened.close)
        catalog = open_catalog(settings)
        stack.callback(catalog.close)
        instance = open_instance(settings, opened.coordinator, stack)
        forget_the_long_lost(opened.coordinator, now=SystemClock().now())
        hours = OpeningHours(parse_run_windows(settings.worker.run_windows), clock=SystemClock())
        queue = Queue(settings.project, tuple(types))
        feed = QueueFeed(opened.coordinator, queue, instance.id, until=until, may_ask=hours.are_open)
        equipment = equipment_for(settings, opened, served, catalog, instance)
        loop = make_loop(settings, opened, feed, equipment, instance, watcher, hours=hours)
        return OpenedWorker(loop=loop, close=stack.pop_all().close)


def open_instance(settings: Settings, coordinator: Coordinator, stack: ExitStack) -> Instance:
    """Signs this process in, and frees the jobs of those on this machine that died without a word."""
    instance = Instance(settings.home / "workers", worker_id(worker_name(settings.worker.id)))
    instance.open()
    stack.callback(instance.close)
    for gone in instance.dead():
        coordinator.expire_worker(gone)
        coordinator.deregister_worker(gone)
    return instance


def equipment_for(
    settings: Settings,
    opened: OpenedCoordinator,
    served: Mapping[str, str],
    catalog: SqliteCatalog,
    instance: Instance,
) -> dict[str, Equipment]:
    opened.work_in(instance.workspace)
    blobs = opened.blobs()
    shelf, sources = ResultShelf(blobs, is_shared=not opened.publishes), Sources(blobs, catalog)
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


def make_loop(
    settings: Settings,
    opened: OpenedCoordinator,
    feed: Feed,
    equipment: Mapping[str, Equipment],
    instance: Instance,
    watcher: Watcher,
    *,
    ahead: int = 0,
    on_term: OnTerm | None = None,
    hours: OpeningHours | None = None,
) -> WorkerLoop:
    """Without `hours` it works at any time, and its record is not kept: that is for a run that somebody waits for."""
    worker, name = settings.worker, worker_name(settings.worker.id)
    loop_settings = LoopSettings(
        worker_id=instance.id,
        slots=worker.slots,
        name=name,
        ahead=ahead,
        heartbeat=timedelta(seconds=worker.heartbeat_seconds),
        check=opened.pace.check,
        look_again_most=opened.pace.idle,
        on_term=on_term or OnTerm(worker.on_term),
        grace=timedelta(seconds=worker.grace_seconds),
        abort_outside_window=worker.abort_outside_window,
    )
    portrait = Portrait(
        loop_settings,
        types=list(equipment),
        clock=opened.clock,
        hours=hours or OpeningHours((), clock=SystemClock()),
        gauge=MachineWatch(settings.home),
        record=None if hours is None else RecordFile(settings.home / "records", name),
    )
    return WorkerLoop(
        opened.coordinator,
        feed,
        equipment,
        loop_settings,
        clock=opened.clock,
        # A list of jobs has its own bell; only a queue is written to by others.
        wakeup=NoWakeup() if isinstance(feed, ListFeed) else opened.wakeup,
        watcher=watcher,
        # Written without waiting for the disk: a log that a power cut takes costs nobody anything.
        error_log=ErrorLog(open_blobs(settings, durable=False)),
        hours=hours,
        portrait=portrait,
    )
