"""Children that convert, and their limits."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

from blobforge import plugins
from blobforge.catalog.nothing import NothingSeen
from blobforge.config.settings import Settings
from blobforge.domain.errors import MemoryLimit, ProcessingError
from blobforge.domain.ids import SourceHash
from blobforge.plugins import Group
from blobforge.ports.blob_store import BlobStore
from blobforge.ports.processor import Task
from blobforge.wiring.addresses import files_of_queue, files_of_store
from blobforge.wiring.orders import PDF_PROCESSOR
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.equipment import Equipment
from blobforge.worker.limits import ChildLimits
from blobforge.worker.messages import Answer, Operation, Refused, Request
from blobforge.worker.results import ResultStore
from blobforge.worker.sandbox import kernel
from blobforge.worker.sandbox.policy import SandboxPolicy
from blobforge.worker.sandbox.support import require_whole, sandbox_support
from blobforge.worker.source_copies import CopiedSources
from blobforge.worker.sources import SourceFinder, Sources
from blobforge.worker.workspace import Workspace

SandboxMode = Literal["auto", "required", "off"]
_SMALL_PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1/Kids[3 0 R]>>endobj\n"
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n"
)
"""One empty page."""


def child_spec(settings: Settings, processor_name: str, *, scratch: Path) -> ChildSpec:
    """Children for one processor, each of which gets a folder of its own below `scratch`.

    Raises InvalidSettings, UnknownProcessor.
    """
    factory = factory_of(processor_name)
    return ChildSpec(
        factory=factory,
        limits=child_limits(settings),
        environment=os.environ,
        passed_on=tuple(filter(None, settings.child.environment.split(","))),
        sandbox=sandbox_policy(
            settings.child.sandbox,
            factory=factory,
            scratch=scratch,
            readable=_readable(settings),
            private=tuple(map(str, (settings.home, *files_of_queue(settings), *files_of_store(settings)))),
        ),
    )


def sandbox_policy(
    mode: SandboxMode,
    *,
    factory: str,
    scratch: Path,
    readable: Sequence[str] = (),
    private: Sequence[str] = (),
) -> SandboxPolicy | None:
    """None where there is none to be had, or none is wanted. Raises InvalidSettings."""
    if mode == "off":
        return None
    support = sandbox_support()
    if mode == "required":
        require_whole(support)
    if not support.landlock and not support.seccomp:
        return None
    return SandboxPolicy(
        landlock=support.landlock,
        seccomp=support.seccomp,
        scratch=str(scratch.absolute()),
        readable=(*_package_of(factory), *_package_of(__name__), *readable),
        private=tuple(private),
    )


def sources_for(spec: ChildSpec, sources: SourceFinder) -> SourceFinder:
    """Where such children find their documents: in place, or in their workspace if they see nothing else."""
    return CopiedSources(sources) if spec.sandbox is not None and spec.sandbox.confines_files else sources


def protect_this_process(settings: Settings) -> None:
    """Its memory and environment hold the secrets that its children do without. Not in a program that is not ours."""
    if settings.child.sandbox != "off" and kernel.is_known():
        with suppress(OSError):
            kernel.forbid_inspection()


def child_limits(settings: Settings) -> ChildLimits:
    child, conversion = settings.child, settings.conversion
    return ChildLimits(
        memory_mb=child.memory_mb,
        cpu_seconds=child.cpu_seconds,
        open_files=child.open_files,
        output_mb=child.output_mb,
        processes=child.processes,
        workspace_mb=child.workspace_mb,
        timeout_seconds=conversion.timeout_seconds,
        stall_seconds=conversion.stall_seconds,
        retry_timed_out=settings.retry.timed_out,
        document_cpu_seconds=conversion.cpu_seconds,
        pages=conversion.max_pages,
        pictures=conversion.max_pictures,
        max_jobs=child.max_jobs,
        max_age_seconds=child.max_age_seconds,
        recycle_mb=child.recycle_mb,
    )


def factory_of(processor_name: str) -> str:
    """Where a child finds a processor, as "module:name"; so it need not search the installed packages again."""
    plugins.load_processor(processor_name)
    return next(found.entry_point.value for found in plugins.plugins(Group.PROCESSORS) if found.name == processor_name)


def equipment_for_one(folder: Path, limits: ChildLimits, *, sandbox: SandboxMode = "auto") -> Equipment:
    """For documents outside any queue: all that they need is in a folder of their own. Raises InvalidSettings."""
    blobs = _blobs_in(folder)
    factory = factory_of(PDF_PROCESSOR)
    policy = sandbox_policy(sandbox, factory=factory, scratch=folder / "children", private=[str(folder)])
    spec = ChildSpec(factory=factory, limits=limits, environment=os.environ, sandbox=policy)
    return Equipment(
        processor=plugins.load_processor(PDF_PROCESSOR),
        spec=spec,
        results=ResultStore(blobs),
        sources=sources_for(spec, Sources(blobs, NothingSeen())),
        workspaces=Workspace(folder / "work"),
    )


def equipment_of_its_own(equipment: Equipment, folder: Path) -> Equipment:
    """The same children and processor, with a result store in that folder which no other document shares."""
    blobs = _blobs_in(folder)
    return replace(
        equipment, results=ResultStore(blobs), sources=sources_for(equipment.spec, Sources(blobs, NothingSeen()))
    )


def result_in(folder: Path, key: str) -> Path:
    """Where a run with such a result store has left its archive."""
    return folder / "blobs" / key


def _blobs_in(folder: Path) -> BlobStore:
    from blobforge.blobs.directory import DirectoryBlobStore

    return DirectoryBlobStore(folder / "blobs", durable=False)


def try_child(settings: Settings, folder: Path) -> None:
    """Starts children and lets them do a trifle, one of them with the libraries that read PDFs. Raises ChildError, or
    what the processor refuses with."""
    tried = _tried(settings, "echo", b"hello", folder / "echo")
    if isinstance(tried, Refused):
        raise ProcessingError(tried.failure.message)
    tried = _tried(settings, PDF_PROCESSOR, _SMALL_PDF, folder / "pdf")
    if isinstance(tried, Refused) and tried.failure.code == MemoryLimit.code:
        raise MemoryLimit(tried.failure.message)


def _tried(settings: Settings, processor: str, content: bytes, folder: Path) -> Answer:
    workspace = folder / "work"
    workspace.mkdir(parents=True)
    source = workspace / "source"
    source.write_bytes(content)
    task = Task(source=source, source_name="hello", source_hash=SourceHash("0" * 64), workspace=workspace)
    child = Child(child_spec(settings, processor, scratch=folder / "children"))
    try:
        return child.ask(Request(Operation.CONVERT, task), seconds=60, on_progress=lambda _: None).answer
    finally:
        child.close()


def _readable(settings: Settings) -> list[str]:
    return [str(Path(place).expanduser()) for place in settings.child.sandbox_read.split(":") if place]


def _package_of(factory: str) -> list[str]:
    """Where its code lies: a package that is worked on need not be in any folder of packages."""
    top = sys.modules[factory.partition(":")[0].partition(".")[0]]
    return list(getattr(top, "__path__", [])) or [str(top.__file__)]
