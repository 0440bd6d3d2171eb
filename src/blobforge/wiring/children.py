"""Children that convert, and their limits."""

import os
from pathlib import Path

from blobforge import plugins
from blobforge.catalog.nothing import NothingSeen
from blobforge.config.settings import Settings
from blobforge.domain.errors import ProcessingError
from blobforge.domain.ids import SourceHash
from blobforge.plugins import Group
from blobforge.ports.processor import Task
from blobforge.wiring.orders import PDF_PROCESSOR
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.job_run import Equipment
from blobforge.worker.limits import ChildLimits
from blobforge.worker.messages import Operation, Refused, Request
from blobforge.worker.results import ResultShelf
from blobforge.worker.sources import Sources
from blobforge.worker.workspace import Workspace


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
