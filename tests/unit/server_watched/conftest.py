"""A server over a queue in the memory, and a client for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from tests.http_server import served
from tests.server_parts import files_in, parts_over

from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.server.app import create_app
from blobforge.server.parts import ServerParts
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock


@dataclass(frozen=True)
class WatchedServer:
    parts: ServerParts
    http: httpx2.Client
    clock: FakeClock


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[WatchedServer]:
    clock = FakeClock()
    service = CoordinationService(MemoryJobStore(), clock=clock, lease_for=LEASE)
    parts = parts_over(service, clock, files_in(tmp_path, clock, service))
    with served(create_app(parts, ticks=False)) as url, httpx2.Client(base_url=url) as http:
        yield WatchedServer(parts, http, clock)
