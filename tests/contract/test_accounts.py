"""Accounts and audit trails of every queue that has them, under their contracts."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import pytest
from tests.postgres import Server

from blobforge.coordination.memory.backend import open_queue as open_memory_queue
from blobforge.coordination.sql.backend import open_queue as open_sqlite_queue
from blobforge.coordination.sql.postgres.backend import open_queue as open_postgres_queue
from blobforge.ports.accounts import Accounts
from blobforge.ports.audit import Audit
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.testing.accounts_contract import AccountsContract, OpenAccounts
from blobforge.testing.audit_contract import AuditContract, OpenAudit


def brought_by(queue: OpenedQueue) -> tuple[Accounts, Audit]:
    assert queue.accounts is not None
    assert queue.audit is not None
    return queue.accounts, queue.audit


@contextmanager
def opening(open_queue: Callable[[], OpenedQueue]) -> Iterator[OpenAccounts]:
    with ExitStack() as opened:

        def open_another() -> tuple[Accounts, Audit]:
            queue = open_queue()
            opened.enter_context(closing(queue.store))
            return brought_by(queue)

        yield open_another


@pytest.fixture
def open_in_memory() -> OpenAccounts:
    opened = brought_by(open_memory_queue("memory://", QueueOptions()))
    return lambda: opened


@pytest.fixture
def open_in_sqlite(tmp_path: Path) -> Iterator[OpenAccounts]:
    url = f"sqlite:///{tmp_path / 'queue.db'}"
    with opening(lambda: open_sqlite_queue(url, QueueOptions(durable=False))) as open_accounts:
        yield open_accounts


@pytest.fixture
def open_in_postgres(postgres_server: Server) -> Iterator[OpenAccounts]:
    url = postgres_server.empty_queue()
    with opening(lambda: open_postgres_queue(url, QueueOptions())) as open_accounts:
        yield open_accounts


class TestAccountsInMemory(AccountsContract):
    @pytest.fixture
    def open_accounts(self, open_in_memory: OpenAccounts) -> OpenAccounts:
        return open_in_memory


class TestAccountsInSqlite(AccountsContract):
    @pytest.fixture
    def open_accounts(self, open_in_sqlite: OpenAccounts) -> OpenAccounts:
        return open_in_sqlite


class TestAccountsInPostgres(AccountsContract):
    @pytest.fixture
    def open_accounts(self, open_in_postgres: OpenAccounts) -> OpenAccounts:
        return open_in_postgres


class TestAuditInMemory(AuditContract):
    @pytest.fixture
    def open_audit(self, open_in_memory: OpenAccounts) -> OpenAudit:
        return lambda: open_in_memory()[1]


class TestAuditInSqlite(AuditContract):
    @pytest.fixture
    def open_audit(self, open_in_sqlite: OpenAccounts) -> OpenAudit:
        return lambda: open_in_sqlite()[1]


class TestAuditInPostgres(AuditContract):
    @pytest.fixture
    def open_audit(self, open_in_postgres: OpenAccounts) -> OpenAudit:
        return lambda: open_in_postgres()[1]
