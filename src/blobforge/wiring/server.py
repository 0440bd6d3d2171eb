"""The server over the queue and the store of the settings."""

import fcntl
import os
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import IO
from urllib.parse import urlsplit

from fastapi import FastAPI

from blobforge import durable_files, plugins
from blobforge.accounts.service import AccountService
from blobforge.config.settings import Settings
from blobforge.domain.addresses import shown_address
from blobforge.domain.audit import Actor, ActorKind
from blobforge.domain.errors import AlreadyExists, InvalidSettings
from blobforge.domain.file_rights import FileRights
from blobforge.ports.accounts import Accounts
from blobforge.ports.blob_store import BlobKey
from blobforge.ports.multipart import Multipart
from blobforge.ports.shards import Shards
from blobforge.ports.transfers import Transfers
from blobforge.results.excerpt import read_text
from blobforge.server.app import create_app
from blobforge.server.auth.accounts_door import AccountsDoor
from blobforge.server.auth.asking import Doorman
from blobforge.server.auth.switching_door import SwitchingDoor
from blobforge.server.crossing import Crossing
from blobforge.server.file_urls import FileUrls, UrlMaker
from blobforge.server.hub import Hub
from blobforge.server.leases import LeasedJobs, LeaseTokens
from blobforge.server.metered_store import Meter, MeteredBlobs, MeteredMultipart, MeteredTransfers
from blobforge.server.metrics import ServerMetrics
from blobforge.server.multipart_in import MultipartIn
from blobforge.server.parts import ServerFiles, ServerParts
from blobforge.server.project_names import ProjectNames
from blobforge.server.results_in import ResultsIn
from blobforge.server.source_receipts import SourceReceipts
from blobforge.server.sources_in import SourcesIn
from blobforge.wiring.addresses import files_of_queue
from blobforge.wiring.manifests import open_shards, store_options
from blobforge.wiring.orders import order_for, processors_by_type
from blobforge.wiring.pairing import require_pair
from blobforge.wiring.queues import OpenedCoordinator, open_coordinator
from blobforge.worker.results import ResultStore

READERS = 8
WRITERS_OF_A_DATABASE = 8
LOOPBACK = ("127.0.0.1", "::1", "localhost")
KEY_BYTES = 32
OWN_WORKER = "beside-the-server"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedServer:
    """`is_open`: it lets everyone in. `close` ends what is not ended with the application."""

    app: FastAPI
    parts: ServerParts
    is_open: bool
    own_worker: Callable[[], Mapping[str, str]]
    """What the worker on the same machine needs in its environment."""
    close: Callable[[], None]


def open_server(settings: Settings, *, host: str, public_url: str) -> OpenedServer:
    """Raises InvalidSettings, StoreMismatch, StoreUnavailable."""
    _require_queue_of_a_server(settings)
    with ExitStack() as stack:
        stack.callback(_locked(settings).close)
        opened = open_coordinator(settings)
        stack.callback(opened.close)
        require_pair(settings, opened)
        accounts = _accounts_of(settings, opened)
        is_open = not _has_accounts(accounts)
        if is_open and host not in LOOPBACK and not settings.server.insecure:
            raise InvalidSettings(
                f"the server would let in everyone who reaches {host}: make a token first ('blobforge token create'), "
                "listen at 127.0.0.1, or say BLOBFORGE_INSECURE=1"
            )
        parts = _parts(settings, opened, accounts, public_url=public_url)
        return OpenedServer(
            app=create_app(parts),
            parts=parts,
            is_open=is_open,
            own_worker=lambda: _own_worker(AccountService(accounts, clock=opened.clock)),
            close=stack.pop_all().close,
        )


def _require_queue_of_a_server(settings: Settings) -> None:
    """Before anything is opened: a bucket need not even answer."""
    why_not = plugins.load_queue(settings.queue).why_no_accounts
    if why_not is not None:
        raise InvalidSettings(
            f"a server cannot serve {shown_address(settings.queue)}: {why_not}; name such a queue, for instance by "
            "BLOBFORGE_DB_PATH=./data/blobforge.db"
        )


def _accounts_of(settings: Settings, opened: OpenedCoordinator) -> Accounts:
    if opened.accounts is None:
        raise InvalidSettings(f"{shown_address(settings.queue)} keeps no accounts, which a server needs")
    return opened.accounts


def _has_accounts(accounts: Accounts) -> bool:
    """Whether access is controlled. The server's own worker alone does not count: nobody else has its secret."""
    return bool(accounts.tokens()) or any(account.name != OWN_WORKER for account in accounts.workers())


def _own_worker(service: AccountService) -> Mapping[str, str]:
    """Who the worker beside the server is, with a new secret at each start."""
    actor = Actor(ActorKind.SERVER, "server")
    try:
        made = service.create_worker(OWN_WORKER, actor=actor)
    except AlreadyExists:
        made = service.regenerate_secret(OWN_WORKER, actor=actor)
    return {"BLOBFORGE_WORKER_ID": OWN_WORKER, "BLOBFORGE_WORKER_SECRET": made.secret.text}


def _parts(settings: Settings, opened: OpenedCoordinator, accounts: Accounts, *, public_url: str) -> ServerParts:
    key = _key(settings)
    is_file = bool(files_of_queue(settings))
    writers = 1 if is_file else WRITERS_OF_A_DATABASE
    crossing = Crossing(readers=READERS, writers=writers, together=opened.together, glances=is_file)
    identity = opened.coordinator.identity()
    door = AccountsDoor(accounts, crossing, clock=opened.clock, seconds=time.monotonic)
    discreet = {kind: name for kind, name in processors_by_type().items() if plugins.load_processor(name).info.discreet}
    metrics = ServerMetrics()
    files = _files(settings, opened, key, Meter(metrics.stored), public_url=public_url)
    results = ResultStore(files.blobs)
    return ServerParts(
        coordinator=opened.coordinator,
        wakeup=opened.wakeup,
        clock=opened.clock,
        crossing=crossing,
        hub=Hub(),
        leased=LeasedJobs(LeaseTokens(key, generation="" if identity is None else identity.id)),
        files=files,
        doorman=_door(door, accounts, crossing),
        order_for=lambda job_type: order_for(settings, job_type, {}),
        markdown_of=lambda blob: read_text(results, BlobKey(blob)).markdown.encode(),
        accounts=accounts,
        audit=opened.audit,
        idempotency_keys=opened.idempotency_keys,
        shards=_shards(settings),
        max_attempts=settings.retry.max_attempts,
        largest_document=settings.server.max_document_mb * 1024**2,
        discreet_types=frozenset(discreet),
        depths=opened.depths or tuple,
        metrics=metrics,
        base_path=urlsplit(public_url).path.rstrip("/"),
        heartbeat=timedelta(seconds=settings.worker.heartbeat_seconds),
        worker_timeout=timedelta(seconds=settings.server.worker_timeout),
    )


def _door(door: AccountsDoor, accounts: Accounts, crossing: Crossing) -> Doorman:
    return SwitchingDoor(door, crossing, has_accounts=lambda: _has_accounts(accounts))


def _files(settings: Settings, opened: OpenedCoordinator, key: bytes, meter: Meter, *, public_url: str) -> ServerFiles:
    blobs = MeteredBlobs(opened.blobs(), meter)
    transfers = MeteredTransfers(_transfers(settings), meter)
    own_urls = FileUrls(key, public_url=public_url, clock=opened.clock)
    urls = UrlMaker(transfers, own_urls)
    multipart = MultipartIn(key, blobs, MeteredMultipart(_multipart(settings), meter), own_urls)
    names = ProjectNames(key)
    workspace = settings.home / "server-uploads"
    durable_files.make_folders(workspace, rights=FileRights.PRIVATE, durable=False)
    return ServerFiles(
        blobs=blobs,
        urls=urls,
        own_urls=own_urls,
        names=names,
        results=ResultsIn(blobs, transfers, urls, multipart, names, nonce=token_hex),
        sources=SourcesIn(opened.coordinator, blobs, transfers, urls, multipart, nonce=token_hex),
        multipart=multipart,
        receipts=SourceReceipts(key, clock=opened.clock),
        workspace=workspace,
    )


def _shards(settings: Settings) -> Shards | None:
    return None if plugins.load_store(settings.store).shards is None else open_shards(settings)


def _transfers(settings: Settings) -> Transfers:
    backend = plugins.load_store(settings.store)
    if backend.transfers is None:
        raise InvalidSettings(
            f"a store at {shown_address(settings.store)} cannot give bytes to clients; one at file:// or s3:// can"
        )
    return backend.transfers(settings.store, store_options(settings))


def _multipart(settings: Settings) -> Multipart:
    backend = plugins.load_store(settings.store)
    if backend.multipart is None:
        raise InvalidSettings(
            f"a store at {shown_address(settings.store)} takes no files in parts; one at file:// or s3:// does"
        )
    return backend.multipart(settings.store, store_options(settings))


def _key(settings: Settings) -> bytes:
    """What leases and addresses are signed with; made once. Raises InvalidSettings."""
    path = settings.home / "server.key"
    try:
        if not path.exists():
            durable_files.make_folders(settings.home, rights=FileRights.PRIVATE, durable=False)
            _write_key(path)
        return bytes.fromhex(path.read_text(encoding="ascii").strip())
    except (OSError, ValueError) as error:
        raise InvalidSettings(
            f"{path} holds the key of the server and cannot be used: {error}; remove it to begin with a new one"
        ) from error


def _write_key(path: Path) -> None:
    """Whole or not at all; of two that make one at once, the first wins."""
    new = path.with_name(f"{path.name}.{token_hex(4)}")
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
        file.write(token_bytes(KEY_BYTES).hex())
        durable_files.sync_file(new)
    try:
        os.link(new, path)
    except FileExistsError:
        return
    finally:
        new.unlink()


def _locked(settings: Settings) -> IO[str]:
    """A second server on one file would have limits, waiters and a tick of its own. Raises InvalidSettings."""
    files = files_of_queue(settings)
    path = files[0].with_name(f"{files[0].name}.server") if files else settings.home / "server.lock"
    try:
        durable_files.make_folders(path.parent, rights=FileRights.PRIVATE, durable=False)
        lock = path.open("w", encoding="ascii")
    except OSError as error:
        raise InvalidSettings(f"{path} {durable_files.why_not_made(error, path)}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise InvalidSettings(f"another server serves {shown_address(settings.queue)} on this machine") from error
    return lock
