"""A worker on the table `pdf_jobs` of somebody else's database."""

import os
import subprocess
import sys
from contextlib import ExitStack
from datetime import timedelta
from typing import TYPE_CHECKING

from blobforge import plugins
from blobforge.clock import SystemClock
from blobforge.config.lab import LabSettings
from blobforge.config.settings import Settings
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.domain.errors import EngineUnavailable
from blobforge.domain.json_value import JsonObject
from blobforge.extras import require_extra
from blobforge.processors.lab_report.options import LabOptions, parse_options
from blobforge.processors.lab_report.plugin import require_packages
from blobforge.wiring.children import child_spec, protect_this_process
from blobforge.wiring.queues import retry_policy
from blobforge.wiring.workers import OpenedWorker
from blobforge.worker.environment import child_environment
from blobforge.worker.equipment import Equipment
from blobforge.worker.error_log import NoErrorLog
from blobforge.worker.feed import Until
from blobforge.worker.instance import Instance, worker_id, worker_name
from blobforge.worker.loop import WorkerLoop
from blobforge.worker.loop_settings import LoopSettings, OnTerm
from blobforge.worker.observer import WorkerObserver
from blobforge.worker.results import ResultStore
from blobforge.worker.upload_folder import UploadFolder
from blobforge.worker.workspace import Workspace

if TYPE_CHECKING:
    from blobforge.coordination.pdf_jobs.queue import Terms

PROCESSOR = "lab_report"


def open_lab_worker(settings: Settings, lab: LabSettings, *, until: Until, watcher: WorkerObserver) -> OpenedWorker:
    """One job at a time. Raises InvalidSettings, InvalidOptions, EngineUnavailable: before the first claim, or every
    job of the table would fail of it. A database that is away is waited for."""
    require_extra("lab", "psycopg", user="the table pdf_jobs")
    from blobforge.blobs.directory import DirectoryBlobStore
    from blobforge.blobs.folder_staging import FolderStaging
    from blobforge.coordination.pdf_jobs.database import Database
    from blobforge.coordination.pdf_jobs.documents import DocumentPaths
    from blobforge.coordination.pdf_jobs.queue import PdfJobs

    paths = DocumentPaths(lab.storage_path_template)
    options: JsonObject = {"spacy_model": lab.spacy_model_name}
    require_packages(parse_options(options))
    _try_pipeline(lab.spacy_model_name)
    processor = plugins.load_processor(PROCESSOR)
    with ExitStack() as stack:
        instance = _signed_in(settings, stack)
        staged = DirectoryBlobStore(instance.workspace / "results", durable=False)
        database = Database(lab.place())
        stack.callback(database.close)
        terms = _terms(settings, lab, instance, until, options)
        jobs = PdfJobs(database, paths, FolderStaging(staged), terms)
        equipment = Equipment(
            processor=processor,
            spec=child_spec(settings, PROCESSOR, scratch=instance.workspace / "children"),
            results=ResultStore(staged, is_shared=False),
            sources=UploadFolder(lab.storage_base_path, most_mb=lab.max_file_mb),
            workspaces=Workspace(instance.workspace / "documents"),
        )
        loop = WorkerLoop(
            jobs,
            jobs,
            {PROCESSOR: equipment},
            loop_settings_for(settings, lab, instance),
            clock=SystemClock(),
            wakeup=NoWakeup(),
            watcher=watcher,
            error_log=NoErrorLog(),
        )
        return OpenedWorker(loop=loop, close=stack.pop_all().close)


def _try_pipeline(model: str) -> None:
    """Loads it once, in a process of its own: libraries belong into children. The usual one need not be tried."""
    if model == LabOptions().spacy_model:
        return
    load = "import sys; from blobforge.processors.lab_report.lines.tagger import pipeline; pipeline(sys.argv[1])"
    tried = subprocess.run(
        [sys.executable, "-P", "-c", load, model],
        env=child_environment(os.environ),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    if tried.returncode:
        raise EngineUnavailable(
            f"the spaCy pipeline {model} cannot be loaded; SPACY_MODEL_NAME takes an installed one, or blank:xx"
        )


def _signed_in(settings: Settings, stack: ExitStack) -> Instance:
    protect_this_process(settings)
    folder = settings.home / "lab-workers"
    folder.mkdir(parents=True, exist_ok=True)
    # What lies in it for a while is a copy of somebody's report.
    folder.chmod(0o700)
    instance = Instance(folder, worker_id(worker_name(settings.worker.id)))
    instance.open()
    stack.callback(instance.close)
    # What they left of reports on this machine goes; their rows are freed when their locks are stale.
    for _ in instance.dead():
        continue
    return instance


def _terms(settings: Settings, lab: LabSettings, instance: Instance, until: Until, options: JsonObject) -> "Terms":
    from blobforge.coordination.pdf_jobs.queue import Terms

    return Terms(
        worker_id=instance.id,
        max_attempts=lab.max_attempts,
        stale=timedelta(seconds=lab.stale_lock_seconds),
        options=options,
        policy=retry_policy(settings),
        most_jobs=1 if until is Until.ONE_JOB else None,
        until_drained=until is Until.DRAINED,
    )


def loop_settings_for(settings: Settings, lab: LabSettings, instance: Instance) -> LoopSettings:
    poll = timedelta(seconds=lab.poll_interval_seconds)
    return LoopSettings(
        worker_id=instance.id,
        slots=1,
        name=worker_name(settings.worker.id),
        may_oversubscribe=False,
        # Several signs of life fit into the time after which a lock is stale.
        heartbeat=timedelta(seconds=min(lab.stale_lock_seconds / 4, 60)),
        check=timedelta(seconds=5),
        poll_interval=poll,
        longest_poll_interval=poll,
        on_term=OnTerm.FINISH,
        grace=timedelta(seconds=settings.worker.grace_seconds),
    )
