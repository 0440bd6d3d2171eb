"""The schema on PostgreSQL: new databases, migrated ones, foreign ones, and those that two prepare at once."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from sqlalchemy import Engine, make_url
from tests.postgres import Server

from blobforge.coordination.sql import schema, tables
from blobforge.coordination.sql.postgres.backend import open_queue
from blobforge.coordination.sql.postgres.driver import postgres_engine, split_url
from blobforge.domain.errors import InvalidSettings, StoreUnavailable
from blobforge.domain.job import State
from blobforge.domain.pairing import QueueIdentity
from blobforge.ports.job_store import JobFilter, Transition
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.accounts.steps import a_token, a_user, an_account
from blobforge.testing.builders import a_job
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OUTPUT, added, completing, take
from blobforge.testing.races import at_once

FORMS = """
SELECT relname, relkind::text, coalesce(array_to_string(reloptions, ','), ''), coalesce(pg_get_indexdef(indexrelid), '')
FROM pg_class LEFT JOIN pg_index ON indexrelid = pg_class.oid
WHERE relnamespace = 'public'::regnamespace ORDER BY relname
"""

JOB_OF_THE_THIRD_SCHEMA = """
INSERT INTO jobs (project, type, source_hash, status, created_at, updated_at, ready)
VALUES ('default', 'pdf', repeat('a', 64), 'pending', now(), now(), TRUE)
"""


@pytest.fixture
def engine(url: str) -> Iterator[Engine]:
    engine = postgres_engine(make_url(url).set(drivername="postgresql+psycopg"), durable=True)
    yield engine
    engine.dispose()


def migrate(engine: Engine, to: str = "head") -> None:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    with engine.execution_options(isolation_level="READ COMMITTED").begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, to)


def forms(url: str) -> list[tuple[str, ...]]:
    """Every table and index with its settings."""
    with psycopg.connect(url) as connection:
        return connection.execute(FORMS).fetchall()


def test_the_migrations_lead_to_the_tables_as_they_are_written(engine: Engine) -> None:
    migrate(engine)

    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True, "compare_server_default": True})
        assert compare_metadata(context, tables.metadata) == []


def test_a_new_database_and_a_migrated_one_are_the_same(engine: Engine, url: str, postgres_server: Server) -> None:
    migrate(engine)
    new = postgres_server.new_database()
    open_queue(new, QueueOptions()).store.close()

    assert forms(url) == forms(new)


def test_a_migration_that_is_killed_in_the_middle_is_done_by_the_next(engine: Engine, url: str) -> None:
    migrate(engine, "0001")
    before = forms(url)
    program = (
        "import os; from alembic import op; from blobforge.ports.queue_backend import QueueOptions;"
        "from blobforge.coordination.sql.postgres.backend import open_queue;"
        "op.create_table = lambda *_args, **_kwargs: os._exit(9);"
        f"open_queue({url!r}, QueueOptions())"
    )

    assert subprocess.run([sys.executable, "-c", program]).returncode == 9

    assert forms(url) == before
    with closing(open_queue(url, QueueOptions()).store) as store:
        store.insert([a_job("a")])
    assert len(forms(url)) > len(before)


def test_a_queue_of_the_third_schema_keeps_all_and_gets_accounts(engine: Engine, url: str) -> None:
    migrate(engine, "0003")
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(JOB_OF_THE_THIRD_SCHEMA)
        connection.execute("INSERT INTO queue_identity VALUES (1, 'a1', 'file:///srv/blobs')")

    opened = open_queue(url, QueueOptions())
    with closing(opened.store) as store:
        assert [(job.id, job.state) for job in store.page(JobFilter())] == [(1, State.PENDING)]
        assert store.identity() == QueueIdentity("a1", "file:///srv/blobs")
        assert opened.accounts is not None
        opened.accounts.put_user(a_user())
        assert opened.accounts.add_token(a_token("t")).id == 1
        opened.accounts.add_worker(an_account())


def test_a_new_queue_takes_no_table_of_something_else_for_its_own(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE files (id int)")

    with pytest.raises(InvalidSettings, match=r"tables of something else .*\(files\)"):
        open_queue(url, QueueOptions())

    assert [name for name, *_ in forms(url)] == ["files"]


@pytest.mark.parametrize("schema_before", [None, "0003"])
def test_users_in_another_schema_of_the_search_path_are_in_nobodys_way(url: str, schema_before: str | None) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA blobforge")
    both = f"{url}&options=-csearch_path%3Dblobforge,public"
    if schema_before is not None:
        engine = postgres_engine(make_url(both).set(drivername="postgresql+psycopg"), durable=True)
        migrate(engine, schema_before)
        engine.dispose()
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE public.users (id int)")

    opened = open_queue(both, QueueOptions())
    with closing(opened.store):
        assert opened.accounts is not None
        assert opened.accounts.put_user(a_user()) == a_user()

    assert [name for name, *_ in forms(url)] == ["users"]


@pytest.mark.parametrize("schema_before", [None, "0003"])
def test_a_database_with_users_of_something_else_is_refused_and_left_alone(
    engine: Engine, url: str, schema_before: str | None
) -> None:
    if schema_before is not None:
        migrate(engine, schema_before)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE users (id int)")
    before = forms(url)

    with pytest.raises(
        InvalidSettings, match=r"tables of something else .*\(users\): keep the queue in a schema of its own"
    ):
        open_queue(url, QueueOptions())

    assert forms(url) == before


def test_a_queue_beside_users_of_something_else_is_moved_as_documented(engine: Engine, url: str) -> None:
    migrate(engine, "0003")
    with psycopg.connect(url) as connection:
        connection.execute(JOB_OF_THE_THIRD_SCHEMA)
        names = [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]
        connection.execute("CREATE TABLE users (id int)")
        connection.execute("CREATE SCHEMA blobforge")
        for name in names:
            connection.execute(f"ALTER TABLE {name} SET SCHEMA blobforge")

    with closing(open_queue(f"{url}&options=-csearch_path%3Dblobforge", QueueOptions()).store) as store:
        assert [entry.job.id for entry in store.insert([a_job("b")])] == [2]

    assert [name for name, *_ in forms(url)] == ["users"]


@pytest.mark.parametrize("round_", range(3))
def test_two_may_prepare_a_new_database_at_once(url: str, round_: int) -> None:
    def open_and_insert(name: str) -> None:
        with closing(open_queue(url, QueueOptions()).store) as store:
            store.insert([a_job(name)])

    at_once(lambda: open_and_insert("a"), lambda: open_and_insert("b"))

    with closing(open_queue(url, QueueOptions()).store) as store:
        assert sum(store.counts().values()) == 2


def test_a_database_with_other_tables_may_hold_a_queue_too(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE customers (id int)")

    with closing(open_queue(url, QueueOptions()).store) as store:
        assert store.insert([a_job("a")])[0].created


def test_a_database_with_jobs_of_something_else_is_refused_and_left_alone(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE jobs (id int)")

    with pytest.raises(InvalidSettings, match=r"schema of something else.*or another database"):
        open_queue(url, QueueOptions())

    assert [name for name, *_ in forms(url)] == ["jobs"]


def test_the_tables_may_live_in_a_schema_of_their_own(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("CREATE SCHEMA conversion")
        connection.execute("CREATE TABLE jobs (id int)")
    apart = f"{url}&options=-csearch_path%3Dconversion"

    with closing(open_queue(apart, QueueOptions()).store) as store:
        assert store.insert([a_job("a")])[0].created

    assert [name for name, *_ in forms(url)] == ["jobs"]


def test_a_server_that_is_not_there_is_named_without_its_password(postgres_server: Server) -> None:
    with pytest.raises(StoreUnavailable, match="cannot be opened") as told:
        open_queue("postgresql://me:secret@127.0.0.1:1/queue", QueueOptions())

    assert "secret" not in str(told.value)


@pytest.mark.parametrize(("database", "user"), [("nowhere", None), (None, "nobody")])
def test_a_server_that_refuses_is_a_wrong_setting_and_not_an_outage(
    url: str, database: str | None, user: str | None
) -> None:
    wrong = make_url(url).set(database=database, username=user).render_as_string(hide_password=False)

    with pytest.raises(InvalidSettings, match=r"refuses: .* does not exist; check the user, the password"):
        open_queue(wrong, QueueOptions())


@pytest.mark.parametrize(
    ("query", "advice"),
    [
        ("sslmod=require", r"sslmod.*; check what stands behind the \? in BLOBFORGE_QUEUE"),
        ("sslmode=sometimes", r"sometimes.*; check what stands behind the \? in BLOBFORGE_QUEUE"),
        ("connect_timeout=soon", r"soon.*; check what stands behind the \? in BLOBFORGE_QUEUE"),
        ("options=-cnonsense%3D1", r"nonsense.*; check what stands behind the \? in BLOBFORGE_QUEUE"),
        ("options=-csearch_path%3Dnix", r"no schema.*; make the schema that search_path names, or name another one in"),
    ],
)
def test_an_option_of_the_url_that_is_wrong_is_a_wrong_setting_and_not_an_outage(
    url: str, query: str, advice: str
) -> None:
    wrong = f"{url}{'&' if '?' in url else '?'}{query}"

    with pytest.raises(InvalidSettings, match=advice):
        open_queue(wrong, QueueOptions())


@pytest.mark.parametrize(
    "url",
    ["postgresql://me@host:port/queue", "postgresql://me:p@ss@host/queue", "postgresql://me:two words@host/queue"],
)
def test_a_url_that_cannot_be_read_is_named_without_its_password(url: str) -> None:
    with pytest.raises(
        InvalidSettings, match=r"white space in the password are percent-encoded \(%40, %2F, %20\)"
    ) as told:
        open_queue(url, QueueOptions())

    assert "words" not in str(told.value)


# What the how-to page says, and poolers


def documented(number: int) -> str:
    """A block of SQL from the how-to page."""
    page = (Path(__file__).parents[3] / "docs/howto/postgresql.md").read_text()
    return str(re.findall(r"```sql\n(.*?)```", page, re.DOTALL)[number])


def test_old_jobs_can_be_deleted_as_documented(url: str) -> None:
    with closing(open_queue(url, QueueOptions()).store) as store:
        added(store, "old", "new")
        old, new = take(store, 2)
        long_ago = START - timedelta(days=3_000)
        store.apply(
            [Transition(old, completing(old, now=long_ago), (OUTPUT,)), Transition(new, completing(new), (OUTPUT,))]
        )
        store.archive(completed_before=START + timedelta(days=1), stretch=100)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(documented(2))

        assert [job.id for job in store.page(JobFilter())] == [new.id]
        assert (store.files(old.id), store.files(new.id)) == ([], [OUTPUT])


def test_a_pooler_that_cannot_follow_prepared_statements_gets_none() -> None:
    place, facts = split_url(make_url("postgresql://me@host/queue?prepared_statements=no&sslmode=require"))

    assert facts["prepare_threshold"] is None
    assert dict(place.query) == {"sslmode": "require"}
