"""A server with accounts, over a queue in SQLite and a folder of the test, and everyone who may ask it."""

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI
from tests.http_server import served
from tests.server_parts import Store, files_in, parts_over

from blobforge.accounts.service import AccountService
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.account import Role, UserId, WorkerAccount
from blobforge.domain.audit import Actor, ActorKind, AuditEntry, AuditFilter
from blobforge.domain.ids import SourceHash
from blobforge.domain.job import Job, NewJob
from blobforge.ports.audit import Audit
from blobforge.ports.blob_store import BlobKey, source_key
from blobforge.ports.queue_backend import QueueOptions
from blobforge.server.app import create_app
from blobforge.server.auth.accounts_door import AccountsDoor
from blobforge.server.crossing import Crossing
from blobforge.server.parts import ServerParts
from blobforge.server.tick import Tick
from blobforge.testing.clock import FakeClock

ACTOR = Actor(ActorKind.LOCAL, "tests")
SECONDS = 30.0
LEASE = timedelta(seconds=180)
DISCREET = "lab"
"""A job type whose results are for operators."""


def document(name: str) -> bytes:
    return b"%PDF-1.7 " + name.encode()


def hash_of(name: str) -> str:
    return sha256(document(name)).hexdigest()


@dataclass
class Scene:
    url: str
    app: FastAPI
    parts: ServerParts
    clock: FakeClock
    queue: CoordinationService
    accounts: AccountService
    audit: Audit
    owner: UserId
    folder: Path
    stack: ExitStack
    secrets: list[str] = field(default_factory=list)
    """All that were issued."""
    passed: list[float] = field(default_factory=lambda: [0.0])
    """What the monotonic clock of the limits shows."""

    def client(self, headers: Mapping[str, str] | None = None) -> httpx2.Client:
        return self.stack.enter_context(httpx2.Client(base_url=self.url, headers=headers, timeout=SECONDS))

    def token(self, role: Role, project: str | None = None) -> str:
        made = self.accounts.create_token(actor=ACTOR, owner=self.owner, role=role, project=project)
        self.secrets.append(made.secret.text)
        return made.secret.text

    def having(self, role: Role, project: str | None = None) -> httpx2.Client:
        """Somebody with a token."""
        return self.client({"Authorization": f"Bearer {self.token(role, project)}"})

    def worker(self, name: str = "rack4", **account: Any) -> httpx2.Client:
        """Somebody with the secret of a worker."""
        secret = self.accounts.create_worker(name, actor=ACTOR, **account).secret.text
        self.secrets.append(secret)
        return self.client({"X-Worker-ID": name, "X-Worker-Secret": secret})

    def job(self, name: str = "a", *, project: str = "default", type: str = "pdf", stored: bool = True) -> Job:  # noqa: A002
        """A job that is ready."""
        if stored:
            self.store(name)
        new = NewJob(project=project, type=type, source_hash=SourceHash(hash_of(name)), source_path=f"{name}.pdf")
        return self.queue.submit([new])[0].job

    def store(self, name: str) -> BlobKey:
        key = source_key(SourceHash(hash_of(name)))
        path = self.folder / "document.pdf"
        path.write_bytes(document(name))
        self.parts.files.blobs.put(key, path)
        return key

    def tick(self) -> None:
        """One round of what happens by itself."""
        loop = self.parts.hub._loop
        assert loop is not None
        asyncio.run_coroutine_threadsafe(Tick(self.parts).once(), loop).result(SECONDS)

    def accounts_of(self, name: str) -> WorkerAccount:
        assert self.parts.accounts is not None
        return self.parts.accounts.worker(name)

    def trail(self) -> list[AuditEntry]:
        """What was done through the server, oldest first."""
        found = self.audit.page(AuditFilter(), limit=100)
        return [entry for entry in reversed(found) if entry.actor != ACTOR]


@contextmanager
def scene_in(folder: Path, *, lease: timedelta = LEASE, store: Store | None = None, **changed: Any) -> Iterator[Scene]:
    with ExitStack() as stack:
        clock, passed = FakeClock(), [0.0]
        opened = open_queue(f"sqlite:///{folder / 'queue.db'}", QueueOptions(durable=False))
        assert opened.store is not None
        assert opened.accounts is not None
        assert opened.audit is not None
        service = CoordinationService(opened.store, clock=clock, lease_for=lease)
        accounts = AccountService(opened.accounts, clock=clock)
        files = files_in(folder, clock, service, store=store)
        # As a server over this queue has it.
        crossing = Crossing(readers=4, writers=1, together=opened.together, glances=True)
        made = parts_over(service, clock, files, wakeup=opened.wakeup, crossing=crossing)
        door = AccountsDoor(opened.accounts, made.crossing, clock=clock, seconds=lambda: passed[0])
        parts = replace(
            made,
            accounts=opened.accounts,
            audit=opened.audit,
            idempotency_keys=opened.idempotency_keys,
            discreet_types=frozenset({DISCREET}),
            **{"doorman": door, **changed},
        )
        app = create_app(parts, ticks=False)
        url = stack.enter_context(served(app))
        # The server knows its address only now.
        parts.files.own_urls._public_url = url
        yield Scene(
            url=url,
            app=app,
            parts=parts,
            clock=clock,
            queue=service,
            accounts=accounts,
            audit=opened.audit,
            owner=accounts.local_user("tests").id,
            folder=folder,
            stack=stack,
            passed=passed,
        )


__all__ = ["DISCREET", "Crossing", "Scene", "document", "hash_of", "scene_in"]
