"""What a server is made of: given by the wiring, and to every router."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from secrets import token_hex
from typing import TypeVar

from blobforge.domain.errors import SourceTooLarge
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.ports.blob_store import BlobKey, BlobStore
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.ports.idempotency import IdempotencyKeys
from blobforge.ports.queue_backend import QueueDepth
from blobforge.ports.shards import Shards
from blobforge.ports.wakeup import Wakeup
from blobforge.server.auth.asking import Doorman
from blobforge.server.crossing import Crossing
from blobforge.server.file_urls import FileUrls, UrlMaker
from blobforge.server.hub import Hub
from blobforge.server.leases import LeasedJobs
from blobforge.server.metrics import ServerMetrics
from blobforge.server.multipart_in import MultipartIn
from blobforge.server.project_names import ProjectNames
from blobforge.server.results_in import ResultsIn
from blobforge.server.source_receipts import SourceReceipts
from blobforge.server.sources_in import SourcesIn

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFiles:
    """The store, and who brings bytes into it. `workspace` is a folder for uploads that are on their way."""

    blobs: BlobStore
    urls: UrlMaker
    own_urls: FileUrls
    names: ProjectNames
    results: ResultsIn
    sources: SourcesIn
    multipart: MultipartIn
    receipts: SourceReceipts
    workspace: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerParts:
    """`close` is called when the server has stopped."""

    coordinator: Coordinator
    wakeup: Wakeup
    clock: Clock
    crossing: Crossing
    hub: Hub
    leased: LeasedJobs
    files: ServerFiles
    doorman: Doorman
    order_for: Callable[[str], str]
    """The order of a job type whose sender wishes nothing."""
    markdown_of: Callable[[BlobKey], bytes]
    """The Markdown in a result. Raises NotFound, ResultDamaged."""
    accounts: Accounts | None = None
    """None where nobody has one: then everyone is let in."""
    audit: Audit | None = None
    idempotency_keys: IdempotencyKeys | None = None
    """None where the queue keeps none: then requests are sent without."""
    shards: Shards | None = None
    """The manifest of the store, if it has one."""
    max_attempts: int = 3
    """Of a job whose sender does not say."""
    largest_document: int = 2 * 1024**3
    """In bytes."""
    discreet_types: frozenset[str] = frozenset()
    """The job types whose results are for operators, such as lab reports."""
    nonce: Callable[[int], str] = token_hex
    metrics: ServerMetrics = field(default_factory=ServerMetrics)
    base_path: str = ""
    """What a proxy takes away from the front of paths, and clients need in what leads back here."""
    depths: Callable[[], Sequence[QueueDepth]] = tuple
    """What is ready, for the metrics."""
    heartbeat: timedelta = timedelta(seconds=60)
    """How often a worker of the public API shall show that it lives, so that its leases last."""
    worker_timeout: timedelta = timedelta(seconds=180)
    close: Callable[[], None] = lambda: None

    def require_size(self, size: int) -> None:
        """Raises SourceTooLarge."""
        if size > self.largest_document:
            raise SourceTooLarge(f"{size} bytes are more than the {self.largest_document} of the largest document")

    async def read(self, question: Callable[[Coordinator], Found]) -> Found:
        """Asks the queue, on another thread."""
        return await self.crossing.read(lambda: question(self.coordinator))

    async def write(self, move: Callable[[Coordinator], Found]) -> Found:
        """Changes the queue, on the thread that writes."""
        return await self.crossing.write(lambda: move(self.coordinator))
