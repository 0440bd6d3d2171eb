"""The Coordinator over real HTTP: a server in this process, with the clock of the test."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.http_server import served
from tests.server_parts import files_in, parts_over

from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed
from blobforge.domain.errors import LeaseLost, NotFound
from blobforge.domain.job import Job, State
from blobforge.ports.clock import Clock
from blobforge.ports.coordinator import Coordinator
from blobforge.server.app import create_app
from blobforge.testing.builders import LEASE
from blobforge.testing.clock import FakeClock
from blobforge.testing.coordinator.steps import OUTPUT, POLICY, UNKNOWN, claimed, outcome_of, submitted
from blobforge.testing.coordinator_contract import CoordinatorContract, OpenCoordinator
from blobforge.testing.job_store_contract import OpenStore


@pytest.fixture
def servers() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


class _OverHttp(CoordinatorContract):
    """What a worker names as its files is not believed: the server records what was uploaded to it, which the tests of
    uploads show."""

    def test_a_completed_job_keeps_its_result_and_its_files(self, coordinator: Coordinator, clock: FakeClock) -> None:
        (held,) = claimed(coordinator, "a")
        now = clock.advance(seconds=7)

        outcome = outcome_of(coordinator, Completed(held, '{"pages":3}', (OUTPUT,)))

        assert isinstance(outcome, Job)
        assert (outcome.state, outcome.result, outcome.completed_at) == (State.COMPLETED, '{"pages":3}', now)
        assert coordinator.get(held.id) == outcome
        assert coordinator.files(held.id) == []

    def test_an_ending_that_is_repeated_counts_once(self, coordinator: Coordinator) -> None:
        (held,) = claimed(coordinator, "a")
        ending = Completed(held, '{"n":1}')

        first, second = outcome_of(coordinator, ending), outcome_of(coordinator, ending)

        assert isinstance(first, Job)
        assert isinstance(second, LeaseLost)
        assert coordinator.get(held.id) == first

    def test_files_are_added_to_a_job_of_any_state(self, coordinator: Coordinator) -> None:
        """What is not in the store is not recorded, whatever its key."""
        (held,) = claimed(coordinator, "a")

        coordinator.record_files(held.id, [OUTPUT, OUTPUT._replace(key="sources/a.pdf")])
        coordinator.end([Completed(held, "{}")])

        assert coordinator.files(held.id) == []
        with pytest.raises(NotFound):
            coordinator.record_files(UNKNOWN, [OUTPUT])
        assert coordinator.files(UNKNOWN) == []

    def test_files_are_added_to_several_jobs_in_one_step(self, coordinator: Coordinator) -> None:
        a, b = submitted(coordinator, *"ab")

        coordinator.record_many([(a, OUTPUT), (b, OUTPUT), (a._replace(id=UNKNOWN), OUTPUT)])
        coordinator.record_many([])

        assert (coordinator.files(a.id), coordinator.files(b.id), coordinator.files(UNKNOWN)) == ([], [], [])

    @staticmethod
    def over(open_store: OpenStore, servers: ExitStack, folder: Path) -> OpenCoordinator:
        def open_coordinator(clock: Clock) -> Coordinator:
            service = CoordinationService(open_store(), clock=clock, lease_for=LEASE, policy=POLICY)
            url = servers.enter_context(
                served(create_app(parts_over(service, clock, files_in(folder, clock, service)), ticks=False))
            )
            coordinator = HttpCoordinator(Connection(url, Credentials()), HeldLeases())
            servers.callback(coordinator.close)
            return coordinator

        return open_coordinator


class TestServerOverMemory(_OverHttp):
    @pytest.fixture
    def open_coordinator(self, open_memory_store: OpenStore, servers: ExitStack, tmp_path: Path) -> OpenCoordinator:
        return self.over(open_memory_store, servers, tmp_path)


class TestServerOverSqlite(_OverHttp):
    @pytest.fixture
    def open_coordinator(self, open_sqlite_store: OpenStore, servers: ExitStack, tmp_path: Path) -> OpenCoordinator:
        return self.over(open_sqlite_store, servers, tmp_path)
