"""Roles that may use the tables of a queue and may not change them, as docs/howto/postgresql.md makes them."""

from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy import make_url
from tests.integration.coordination.test_postgres_schema import documented, migrate

from blobforge.coordination.sql import tables
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.coordination.sql.postgres.driver import postgres_engine
from blobforge.domain.audit import AuditFilter
from blobforge.domain.errors import InvalidSettings
from blobforge.ports.job_store import Transition
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.accounts.steps import a_token, a_user, an_account, an_entry
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OUTPUT, added, cancelling, completing, renewing, take

REFUSAL = r"the role 'blobforge_worker' may not make or change its tables \(.*\); run any command once as their owner"

RIGHTS_OF_A_WORKER = """
SELECT relname, kind FROM pg_class, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'REFERENCES', 'TRUNCATE']) kind
WHERE relnamespace = %s::regnamespace AND relkind = 'r' AND has_table_privilege('blobforge_worker', pg_class.oid, kind)
UNION ALL
SELECT relname, kind FROM pg_class, unnest(ARRAY['SELECT', 'USAGE', 'UPDATE']) kind
WHERE relnamespace = %s::regnamespace AND relkind = 'S'
    AND has_sequence_privilege('blobforge_worker', pg_class.oid, kind)
"""
CLOSED = {table.name for table in tables.CLOSED} | {"api_tokens_id_seq", "audit_log_id_seq"}

Connection = psycopg.Connection[tuple[object, ...]]


@pytest.fixture
def admin(url: str) -> Iterator[Connection]:
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
    url: str, admin: Connection, as_worker: str
) -> None:
    with closing(open_queue(url, QueueOptions()).store):
        admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO blobforge_worker")
        admin.execute("UPDATE alembic_version SET version_num = '0002'")

    with pytest.raises(InvalidSettings, match=REFUSAL):
        open_queue(as_worker, QueueOptions())


def test_a_role_that_may_claim_may_do_so_after_an_upgrade_too(url: str, admin: Connection, as_worker: str) -> None:
    """Nobody has granted it new tables: that of pauses, which a claim reads, is granted as the jobs are."""
    engine = postgres_engine(make_url(url).set(drivername="postgresql+psycopg"), durable=True)
    migrate(engine, "0006")
    engine.dispose()
    admin.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO blobforge_worker")
    admin.execute("GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO blobforge_worker")

    open_queue(url, QueueOptions()).store.close()

    with closing(open_queue(as_worker, QueueOptions()).store) as store:
        added(store, "a")
        assert len(take(store)) == 1


# The roles of the how-to page


@pytest.fixture
def with_roles(url: str) -> Iterator[Connection]:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(documented(0))
        yield connection
        for role in ("blobforge_server", "blobforge_worker", "blobforge_owner"):
            if connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", (role,)).fetchone():
                connection.execute(f"DROP OWNED BY {role} CASCADE")
                connection.execute(f"DROP ROLE {role}")


def as_role(url: str, role: str) -> str:
    return url.replace("postgres:@", f"blobforge_{role}:@")


def rights_of_a_worker(admin: Connection, schema: str) -> set[str]:
    """The tables and sequences to which it has any right."""
    return {str(name) for name, _ in admin.execute(RIGHTS_OF_A_WORKER, (schema, schema))}


def test_a_worker_with_the_documented_grants_can_do_all_its_work(url: str, with_roles: Connection) -> None:
    as_owner, as_worker = as_role(url, "owner"), as_role(url, "worker")
    with pytest.raises(InvalidSettings, match="permission denied"):
        open_queue(as_worker, QueueOptions())

    open_queue(as_owner, QueueOptions()).store.close()
    with closing(open_queue(as_worker, QueueOptions()).store) as store:
        added(store, *(f"document {number}" for number in range(20)))
        held = take(store, 2)
        store.apply([Transition(held[0], completing(held[0]), (OUTPUT,)), Transition(held[1], renewing(held[1]))])
        store.update(held[1].id, cancelling)
        assert store.archive(completed_before=START + timedelta(days=1), stretch=100) == 1
        assert sum(store.counts().values()) == 20
        assert store.history(held[1].id).attempts[0].outcome == "cancelled"
    assert with_roles.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").fetchall() == []


def test_a_worker_has_no_right_to_accounts_and_trail_and_is_told_so(url: str, with_roles: Connection) -> None:
    open_queue(as_role(url, "owner"), QueueOptions()).store.close()

    rights = rights_of_a_worker(with_roles, "blobforge")

    assert "jobs" in rights
    assert rights & CLOSED == set()
    opened = open_queue(as_role(url, "worker"), QueueOptions())
    with closing(opened.store):
        assert opened.accounts is not None
        assert opened.audit is not None
        refusal = (
            r"the role 'blobforge_worker' may not use the accounts of this queue \(permission denied.*\): name the"
        )
        with pytest.raises(InvalidSettings, match=refusal):
            opened.accounts.tokens()
        with pytest.raises(InvalidSettings, match=refusal):
            opened.accounts.add_worker(an_account())
        with pytest.raises(InvalidSettings, match=refusal):
            opened.audit.append([an_entry("x")])


def test_an_upgrade_gives_a_worker_no_right_to_accounts_and_trail_either(
    url: str, admin: Connection, as_worker: str
) -> None:
    admin.execute("ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO blobforge_worker, PUBLIC")
    admin.execute("ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO blobforge_worker, PUBLIC")
    engine = postgres_engine(make_url(url).set(drivername="postgresql+psycopg"), durable=True)
    migrate(engine, "0003")
    engine.dispose()

    open_queue(url, QueueOptions()).store.close()

    rights = rights_of_a_worker(admin, "public")
    assert {"jobs", "jobs_id_seq"} <= rights
    assert rights & CLOSED == set()


def test_what_is_granted_on_accounts_stays_when_the_queue_is_opened_again(
    url: str, admin: Connection, as_worker: str
) -> None:
    open_queue(url, QueueOptions()).store.close()
    admin.execute("GRANT SELECT ON api_tokens TO blobforge_worker")

    open_queue(url, QueueOptions()).store.close()

    assert rights_of_a_worker(admin, "public") == {"api_tokens"}


def test_the_documented_role_of_a_server_manages_accounts_and_cannot_change_the_trail(
    url: str, with_roles: Connection
) -> None:
    open_queue(as_role(url, "owner"), QueueOptions()).store.close()
    with_roles.execute(documented(1))

    opened = open_queue(as_role(url, "server"), QueueOptions())
    with closing(opened.store) as store:
        assert opened.accounts is not None
        assert opened.audit is not None
        opened.accounts.put_user(a_user())
        token = opened.accounts.add_token(a_token("t"), audit=lambda _: an_entry("t"))
        opened.accounts.revoke_token(token.id, now=START)
        opened.accounts.add_worker(an_account())
        opened.accounts.remove_worker("rack4")
        assert len(opened.audit.page(AuditFilter())) == 1
        added(store, "a")
    with psycopg.connect(as_role(url, "server")) as server:
        for change in ("UPDATE audit_log SET subject = ''", "DELETE FROM audit_log", "TRUNCATE audit_log"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                server.execute(change)
            server.rollback()
