"""Accounts on a database whose connections are cut, or that is none."""

import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from blobforge.coordination.sql.backend import open_queue as open_sqlite_queue
from blobforge.domain.account import ApiToken
from blobforge.domain.audit import AuditEntry
from blobforge.domain.errors import StoreUnavailable
from blobforge.ports.queue_backend import OpenedQueue, QueueOptions
from blobforge.testing.accounts.steps import a_hash, a_token, a_user, an_account, an_entry, told

CUT_ALL = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name = 'blobforge'
"""


def cut_all(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(CUT_ALL)


def test_after_connections_were_cut_the_next_call_finds_its_way(queue: OpenedQueue, url: str) -> None:
    accounts, audit = queue.accounts, queue.audit
    assert accounts is not None
    assert audit is not None
    accounts.put_user(a_user())

    cut_all(url)
    assert accounts.tokens() == []
    cut_all(url)
    accounts.add_worker(an_account(), audit=an_entry("rack4"))
    cut_all(url)
    assert told(audit) == ["rack4"]


def test_a_connection_that_is_cut_before_the_commit_loses_and_doubles_nothing(queue: OpenedQueue, url: str) -> None:
    accounts, audit = queue.accounts, queue.audit
    assert accounts is not None
    assert audit is not None
    accounts.put_user(a_user())
    tries = 0

    def cut_once(added: ApiToken) -> AuditEntry:
        nonlocal tries
        tries += 1
        if tries == 1:
            cut_all(url)
        return an_entry(f"token:{added.id}")

    token = accounts.add_token(a_token("t"), audit=cut_once)

    assert tries == 2
    assert accounts.tokens() == [token]
    assert told(audit) == [f"token:{token.id}"]


def test_what_a_database_refuses_is_told_without_a_hash(tmp_path: Path) -> None:
    path = tmp_path / "queue.db"
    opened = open_sqlite_queue(f"sqlite:///{path}", QueueOptions(durable=False))
    with closing(opened.store):
        assert opened.accounts is not None
        opened.accounts.put_user(a_user())
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("DROP TABLE api_tokens")

        with pytest.raises(StoreUnavailable, match="did not answer: no such table: api_tokens") as answer:
            opened.accounts.add_token(a_token("t"))

    assert a_hash("t") not in str(answer.value)
