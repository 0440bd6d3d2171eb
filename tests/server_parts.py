"""The parts of a server, over a queue and a folder of the test."""

from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.blobs.directory_transfers import DirectoryTransfers
from blobforge.coordination.no_wakeup import NoWakeup
from blobforge.coordination.service import CoordinationService
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.wakeup import Wakeup
from blobforge.server.auth.asking import Doorman, OpenDoor
from blobforge.server.crossing import Crossing
from blobforge.server.file_urls import FileUrls, UrlMaker
from blobforge.server.hub import Hub
from blobforge.server.leases import LeasedJobs, LeaseTokens
from blobforge.server.parts import ServerFiles, ServerParts
from blobforge.server.results_in import ResultsIn
from blobforge.server.source_receipts import SourceReceipts
from blobforge.server.sources_in import SourcesIn

KEY = b"a key that only tests have"


def files_in(
    folder: Path, clock: Clock, coordinator: Coordinator, *, public_url: str = "http://localhost"
) -> ServerFiles:
    blobs = DirectoryBlobStore(folder / "store", durable=False)
    transfers = DirectoryTransfers(blobs)
    own_urls = FileUrls(KEY, public_url=public_url, clock=clock)
    urls = UrlMaker(transfers, own_urls)
    workspace = folder / "uploads"
    workspace.mkdir(parents=True, exist_ok=True)
    return ServerFiles(
        blobs=blobs,
        urls=urls,
        own_urls=own_urls,
        results=ResultsIn(blobs, transfers, urls, nonce=token_hex),
        sources=SourcesIn(coordinator, blobs, transfers, urls, nonce=token_hex),
        receipts=SourceReceipts(KEY, clock=clock),
        workspace=workspace,
    )


def parts_over(
    service: CoordinationService,
    clock: Clock,
    files: ServerFiles,
    *,
    wakeup: Wakeup | None = None,
    doorman: Doorman | None = None,
    close: Callable[[], None] | None = None,
) -> ServerParts:
    return ServerParts(
        coordinator=service,
        wakeup=wakeup or NoWakeup(),
        clock=clock,
        crossing=Crossing(readers=4, writers=1),
        hub=Hub(),
        leased=LeasedJobs(LeaseTokens(KEY, generation="first")),
        files=files,
        doorman=doorman or OpenDoor(),
        order_for=lambda _: "{}",
        markdown_of=lambda _: b"# Markdown",
        close=close or service.close,
    )
