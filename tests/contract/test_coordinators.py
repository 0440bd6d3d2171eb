"""Every coordinator under the one contract."""

import pytest

from blobforge.coordination.service import CoordinationService
from blobforge.testing.builders import LEASE
from blobforge.testing.coordinator.steps import POLICY
from blobforge.testing.coordinator_contract import CoordinatorContract, OpenCoordinator
from blobforge.testing.job_store_contract import OpenStore


def service_over(open_store: OpenStore) -> OpenCoordinator:
    return lambda clock: CoordinationService(open_store(), clock=clock, lease_for=LEASE, policy=POLICY)


class TestServiceOverMemory(CoordinatorContract):
    @pytest.fixture
    def open_coordinator(self, open_memory_store: OpenStore) -> OpenCoordinator:
        return service_over(open_memory_store)


class TestServiceOverSqlite(CoordinatorContract):
    @pytest.fixture
    def open_coordinator(self, open_sqlite_store: OpenStore) -> OpenCoordinator:
        return service_over(open_sqlite_store)


class TestServiceOverPostgres(CoordinatorContract):
    @pytest.fixture
    def open_coordinator(self, open_postgres_store: OpenStore) -> OpenCoordinator:
        return service_over(open_postgres_store)
