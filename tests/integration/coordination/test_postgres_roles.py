"""Roles that may use the tables of a queue and may not change them, as docs/howto/postgresql.md makes them."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.queue_backend import QueueOptions

REFUSAL = r"the role 'blobforge_worker' may not make or change its tables \(.*\); run any command once as their owner"


@pytest.fixture
def admin(url: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE ROLE blobforge_worker LOGIN")
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        yield connection
        connection.execute("DROP OWNED BY blobforge_worker")
        connection.execute("DROP ROLE blobforge_worker")


@pytest.fixture
def as_worker(url: str, admin: object) -> str:
    return url.replace("postgres:@", "blobforge_worker:@")


def test_a_role_that_comes_before_the_owner_is_told_that_the_owner_must_come_first(as_worker: str) -> None:
    with pytest.raises(InvalidSettings, match=REFUSAL):
        open_queue(as_worker, QueueOptions())


def test_a_role_that_comes_before_the_owner_after_an_upgrade_is_told_the_same(
    url: str, admin: psycopg.Connection[tuple[object, ...]], as_worker: str
) -> None:
    with closing(open_queue(url, QueueOptions()).store):
        admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO blobforge_worker")
        admin.execute("UPDATE alembic_version SET version_num = '0002'")

    with pytest.raises(InvalidSettings, match=REFUSAL):
        open_queue(as_worker, QueueOptions())
