"""Checks of the queue and the store, used as a worker uses them."""

import tempfile
from pathlib import Path

from blobforge import wiring
from blobforge.config.settings import Settings
from blobforge.doctor.findings import Finding, Verdict
from blobforge.domain.addresses import shown_address
from blobforge.domain.ids import WorkerId
from blobforge.ports.blob_store import BlobKey
from blobforge.version import __version__

CLOCKS_AGREE_SECONDS = 30.0
_PROBE = BlobKey("doctor/probe")


def used_for(settings: Settings) -> tuple[str, ...]:
    """What is in a bucket of S3, which has checks of its own: the queue, the store, or both."""
    urls = {"queue": settings.queue, "store": settings.store}
    return tuple(name for name, url in urls.items() if url.startswith("s3://"))


def queue(settings: Settings) -> Finding:
    opened = wiring.open_coordinator(settings)
    try:
        # Reads and takes the write lock, as a worker does.
        jobs = sum(opened.coordinator.counts().values())
        opened.coordinator.deregister_worker(WorkerId("nobody"))
    finally:
        opened.close()
    message = f"{shown_address(settings.queue)}, {_counted(jobs, 'job')}"
    return Finding(name="queue", verdict=Verdict.OK, message=message)


def server(settings: Settings) -> Finding:
    """Whether it is reached, who we are to it, and whether the clocks agree: tokens and addresses expire by its own."""
    found = wiring.look_at_server(settings)
    seconds = found.ahead.total_seconds()
    clocks = "" if abs(seconds) < CLOCKS_AGREE_SECONDS else f"; this machine's clock differs by {abs(seconds):.0f} s"
    older = "" if found.version == __version__ else f"; this machine has {__version__}: give both the same release"
    message = f"{shown_address(settings.queue)}, version {found.version}: {found.who}{older}{clocks}"
    return Finding(name="server", verdict=Verdict.WARNING if older or clocks else Verdict.OK, message=message)


def pair(settings: Settings) -> Finding:
    """A queue that several machines share needs a store that they share, too."""
    opened = wiring.open_coordinator(settings)
    try:
        doubt = wiring.doubt_about_pair(settings, opened)
    finally:
        opened.close()
    if doubt is not None:
        return Finding(name="queue and store", verdict=Verdict.WARNING, message=doubt)
    return Finding(name="queue and store", verdict=Verdict.OK, message="they belong together")


def store(settings: Settings) -> Finding:
    blobs = wiring.open_blobs(settings)
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder, "probe")
        probe.write_bytes(b"a probe of blobforge doctor")
        blobs.put(_PROBE, probe)
    try:
        with blobs.open(_PROBE) as stored:
            same = stored.read() == b"a probe of blobforge doctor"
    finally:
        blobs.delete(_PROBE)
    where = shown_address(settings.store)
    if not same or blobs.stat(_PROBE) is not None:
        message = f"{where} does not give back what was stored, or does not delete: use another disk"
        return Finding(name="store", verdict=Verdict.PROBLEM, message=message)
    return Finding(name="store", verdict=Verdict.OK, message=f"{where}: wrote, read and deleted a probe")


def manifest(settings: Settings) -> Finding:
    """Read as a whole: where it is damaged, `gc`, `search` and whoever folds in what is new refuse."""
    documents = len(wiring.open_manifest(settings).entries())
    message = f"it can be read, and lists {_counted(documents, 'document')}"
    return Finding(name="manifest", verdict=Verdict.OK, message=message)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
