"""A worker on the queue, and what every worker is equipped with."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import NamedTuple

from blobforge import plugins
from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.clock import SystemClock
from blobforge.config.settings import Settings
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import Forbidden
from blobforge.domain.needs import ENGINE, LANGUAGE, named
from blobforge.domain.run_window import parse_run_windows
from blobforge.ports.job_store import Queue
from blobforge.telemetry.lazy import LazyLogger
from blobforge.wiring.children import child_spec, protect_this_process, sources_for
from blobforge.wiring.orders import abilities_of, server_of
from blobforge.wiring.pairing import require_kept_pair, require_pair
from blobforge.wiring.queues import (
    OpenedCoordinator,
    missing_queue_file,
    open_blobs,
    open_catalog,
    open_coordinator,
    open_known_coordinator,
)
from blobforge.wiring.servers import STORE_OF_SERVER
from blobforge.worker.abilities import Abilities
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import ErrorLog, FailureNotes, NoErrorLog
from blobforge.worker.feed import Feed, ListFeed, QueueFeed, Until
from blobforge.worker.instance import Instance, worker_id, worker_name
from blobforge.worker.kept_pair import KeptPair
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.machine import MachineWatch
from blobforge.worker.observer import WorkerObserver
from blobforge.worker.other_workers import others_have
from blobforge.worker.predecessors import Predecessors
from blobforge.worker.process_identity import has_ended
from blobforge.worker.queue_record import QueueRecord, carry_over
from blobforge.worker.results import ResultStore
from blobforge.worker.run_schedule import RunSchedule
from blobforge.worker.sources import Sources, SourcesOfThePair
from blobforge.worker.status_report import StatusReporter
from blobforge.worker.workspace import Workspace

log = LazyLogger(__name__)


class Introduction(NamedTuple):
    """Who a worker is, where it looks for work, and what it can do: so that a person sees at once what is amiss."""

    worker_id: str
    queue: str
    store: str
    project: str
    types: str
    slots: int
    engines: str
    languages: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedWorker:
    """Ready to run; `introduction` is for people who watch it start."""

    loop: WorkerLoop
    close: Callable[[], None]
    introduction: Introduction | None = None
    left_behind: Callable[[], Mapping[str, int]] = dict
    """What the jobs need that a worker which has ended left to others, with their numbers."""


def open_worker(settings: Settings, *, types: Sequence[str], until: Until, watcher: WorkerObserver) -> OpenedWorker:
    """A worker on the queue. Raises InvalidSettings, StoreUnavailable, UnknownProcessor; NotFound where it is to end
    when nothing is left, and there is no queue at all."""
    served = {job_type: server_of(job_type) for job_type in types}
    with ExitStack() as stack:
        opened = _opened_queue(settings, until)
        stack.callback(opened.close)
        require_pair(settings, opened)
        catalog = open_catalog(settings)
        stack.callback(catalog.close)
        instance = open_instance(settings, opened, stack)
        # Writes: a queue that can be read and not written is told now, instead of being waited for at the first claim.
        opened.coordinator.deregister_worker(instance.id)
        predecessors = predecessors_of(settings, opened, instance)
        predecessors.recover()
        carry_over(settings.home / "records", worker_name(settings.worker.id), opened.coordinator)
        schedule = RunSchedule(parse_run_windows(settings.worker.run_windows), clock=SystemClock())
        equipment = equipment_for(settings, opened, served, catalog, instance, may_decline=True)
        abilities = Abilities(abilities_of(types))
        queue = Queue(settings.project, tuple(types))
        feed = QueueFeed(
            opened.coordinator,
            queue,
            instance.id,
            until=until,
            abilities=abilities,
            may_ask=schedule.is_open,
            on_idle=predecessors.recover_if_due,
        )
        loop = make_loop(settings, opened, feed, equipment, instance, watcher, schedule=schedule, abilities=abilities)
        introduction = _introduction(settings, opened, instance, types, abilities)
        log.info("worker started", **introduction._asdict())
        return OpenedWorker(
            loop=loop,
            close=stack.pop_all().close,
            introduction=introduction,
            left_behind=lambda: feed.left_behind,
        )


def _opened_queue(settings: Settings, until: Until) -> OpenedCoordinator:
    """A worker that stays may be there before its queue; a mistyped path is the other reason for a new one."""
    if until is not Until.STOPPED:
        return open_known_coordinator(settings)
    if (path := missing_queue_file(settings)) is not None:
        log.warning("no queue was there, a new one is made", path=str(path), setting="BLOBFORGE_QUEUE")
    return open_coordinator(settings)


def _introduction(
    settings: Settings, opened: OpenedCoordinator, instance: Instance, types: Sequence[str], abilities: Abilities
) -> Introduction:
    return Introduction(
        worker_id=instance.id,
        queue=shown_address(settings.queue),
        store=STORE_OF_SERVER if opened.is_behind_server else shown_address(settings.store),
        project=settings.project,
        types=" ".join(types),
        slots=settings.worker.slots,
        engines=" ".join(named(abilities.has, ENGINE)) or "none",
        languages=" ".join(named(abilities.has, LANGUAGE)) or "none",
    )


def open_instance(settings: Settings, opened: OpenedCoordinator, stack: ExitStack) -> Instance:
    """Signs this process in, and frees the jobs of those on this machine that died without a word."""
    protect_this_process(settings)
    instance = Instance(
        settings.home / "workers", worker_id(worker_name(settings.worker.id)), rights=settings.file_rights
    )
    instance.open()
    stack.callback(instance.close)
    # Their jobs are in the shared queue: who works on one of its own leaves them to the next that opens that.
    for gone in instance.dead() if opened.is_shared else ():
        with suppress(Forbidden):  # of another name than ours: a server leaves it to its own successor, or to its lease
            opened.coordinator.expire_worker(gone)
            opened.coordinator.deregister_worker(gone)
    return instance


def predecessors_of(settings: Settings, opened: OpenedCoordinator, instance: Instance) -> Predecessors:
    return Predecessors(
        opened.coordinator,
        opened.clock,
        name=worker_name(settings.worker.id),
        own_id=instance.id,
        is_exclusive=settings.worker.exclusive,
        has_ended=has_ended,
        tidies=not opened.is_behind_server,
    )


def equipment_for(
    settings: Settings,
    opened: OpenedCoordinator,
    served: Mapping[str, str],
    catalog: SqliteCatalog,
    instance: Instance,
    *,
    may_decline: bool = False,
) -> dict[str, Equipment]:
    opened.work_in(instance.workspace)
    blobs = opened.blobs()
    pair = KeptPair(lambda: require_kept_pair(settings, opened), monotonic=time.monotonic)
    results = ResultStore(
        blobs,
        is_shared=not opened.publishes,
        unpublished=opened.unpublished(),
        require_pair=pair.require,
        for_job=opened.for_job,
        unpublished_for_job=opened.unpublished_for_job,
    )
    found = Sources(blobs, None if opened.is_behind_server else catalog)
    sources = SourcesOfThePair(found, pair.require_now)
    shared = Workspace(instance.workspace / "documents")
    silent_after = timedelta(seconds=settings.worker.lease_seconds)
    others = others_have(opened.coordinator, instance.id, opened.clock, silent_after=silent_after)
    return {
        job_type: Equipment(
            processor=plugins.load_processor(name),
            spec=(spec := child_spec(settings, name, scratch=instance.workspace / "children")),
            results=results,
            sources=sources_for(spec, sources),
            workspaces=shared,
            is_shared=opened.is_shared,
            reads_secret_files=not opened.is_behind_server,
            may_decline=may_decline,
            others_have=others,
        )
        for job_type, name in served.items()
    }


def make_loop(
    settings: Settings,
    opened: OpenedCoordinator,
    feed: Feed,
    equipment: Mapping[str, Equipment],
    instance: Instance,
    watcher: WorkerObserver,
    *,
    ahead: int = 0,
    on_term: OnTerm | None = None,
    schedule: RunSchedule | None = None,
    abilities: Abilities | None = None,
) -> WorkerLoop:
    """Without a `schedule` it works at any time, and its record is not kept: for a run that somebody waits for."""
    worker, name = settings.worker, worker_name(settings.worker.id)
    loop_settings = LoopSettings(
        worker_id=instance.id,
        slots=worker.slots,
        name=name,
        prefetch=ahead,
        heartbeat=timedelta(seconds=worker.heartbeat_seconds),
        check=opened.intervals.check,
        longest_poll_interval=opened.intervals.idle,
        on_term=on_term or OnTerm(worker.on_term),
        grace=timedelta(seconds=worker.grace_seconds),
        abort_outside_window=worker.abort_outside_window,
    )
    reporter = StatusReporter(
        loop_settings,
        types=list(equipment),
        clock=opened.clock,
        schedule=schedule or RunSchedule((), clock=SystemClock()),
        gauge=MachineWatch(settings.home),
        record=None if schedule is None else QueueRecord(opened.coordinator, name),
        abilities=abilities,
    )
    return WorkerLoop(
        opened.coordinator,
        feed,
        equipment,
        loop_settings,
        clock=opened.clock,
        # Only this process adds to a list of jobs, and tells the loop so itself; to a queue, others write too.
        wakeup=NoWakeup() if isinstance(feed, ListFeed) else opened.wakeup,
        watcher=watcher,
        error_log=_error_log(settings, opened),
        schedule=schedule,
        reporter=reporter,
        abilities=abilities,
        process=instance,
        lease_news=opened.lease_news,
    )


def _error_log(settings: Settings, opened: OpenedCoordinator) -> FailureNotes:
    if not opened.is_shared:
        return NoErrorLog()
    if opened.log_for_job is not None:
        return ErrorLog(opened.log_for_job)
    # Written without waiting for the disk: a log that a power cut takes costs nobody anything.
    blobs = open_blobs(settings, durable=False)
    return ErrorLog(lambda _: blobs)
