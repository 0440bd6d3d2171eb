"""The schema: new databases, migrated ones, foreign ones, and those that two prepare at once."""

import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, Table, event

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.coordination.sql import schema, tables
from blobforge.coordination.sql.backend import open_queue
from blobforge.coordination.sql.schema import SCHEMA_VERSION, prepare
from blobforge.coordination.sql.sqlite import sqlite_engine
from blobforge.domain.audit import AuditFilter
from blobforge.domain.errors import InvalidSettings
from blobforge.domain.idempotency import RequestKey
from blobforge.domain.ids import JobId
from blobforge.domain.job import State
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.ports.job_store import JobFilter
from blobforge.ports.queue_backend import QueueOptions
from blobforge.testing.accounts.steps import a_token, a_user, an_account
from blobforge.testing.builders import ALICE, a_job
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import OUTPUT
from blobforge.testing.races import at_once

LATER_MIGRATION = """
import sqlalchemy as sa
from alembic import op
revision, down_revision = "9000", "{newest}"
def upgrade():
    op.create_table("later", sa.Column("id", sa.Integer, primary_key=True))
    {then}
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queue.db"


@pytest.fixture
def engine(path: Path) -> Iterator[Engine]:
    engine = sqlite_engine(path, synchronous="NORMAL")
    yield engine
    engine.dispose()


def alembic() -> Config:
    config = Config()
    config.set_main_option("script_location", str(schema.MIGRATIONS))
    return config


def migrate_from_empty(engine: Engine) -> None:
    config = alembic()
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def statements(path: Path) -> dict[str, str]:
    """How each table and index of a database was made."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")
        return {name: re.sub(r"\s+", " ", sql) for name, sql in rows}


def is_for_sqlite(thing: object, *_: object) -> bool:
    return not isinstance(thing, Table) or thing in tables.tables_for("sqlite") or thing.name == "alembic_version"


def version_of(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [version for (version,) in connection.execute("SELECT version_num FROM alembic_version")]


def add_a_later_migration(folder: Path, monkeypatch: pytest.MonkeyPatch, *, then: str = "") -> None:
    migrations = shutil.copytree(schema.MIGRATIONS, folder / "100% migrations")
    (migrations / "versions" / "9000_later.py").write_text(LATER_MIGRATION.format(then=then, newest=SCHEMA_VERSION))
    monkeypatch.setattr(schema, "MIGRATIONS", migrations)
    monkeypatch.setattr(schema, "SCHEMA_VERSION", "9000")


# What the migrations lead to


def test_the_migrations_lead_to_the_tables_as_they_are_written(engine: Engine) -> None:
    migrate_from_empty(engine)

    with engine.connect() as connection:
        opts = {"compare_type": True, "compare_server_default": True, "include_object": is_for_sqlite}
        context = MigrationContext.configure(connection, opts=opts)
        assert compare_metadata(context, tables.metadata) == []


def test_a_new_database_and_a_migrated_one_are_the_same(engine: Engine, path: Path, tmp_path: Path) -> None:
    migrate_from_empty(engine)
    new = sqlite_engine(tmp_path / "new.db", synchronous="NORMAL")
    prepare(new)
    new.dispose()

    assert statements(tmp_path / "new.db") == statements(path)
    assert version_of(tmp_path / "new.db") == version_of(path) == [SCHEMA_VERSION]


def test_the_version_in_the_code_is_the_newest_migration_and_there_is_one_line_of_them() -> None:
    scripts = ScriptDirectory.from_config(alembic())

    assert scripts.get_heads() == [SCHEMA_VERSION]
    assert [script.revision for script in scripts.walk_revisions()][-1] == "0001"


def test_preparing_twice_changes_nothing(engine: Engine, path: Path) -> None:
    prepare(engine)
    before = statements(path)

    prepare(engine)

    assert statements(path) == before


def test_a_database_that_is_up_to_date_opens_without_alembic(path: Path) -> None:
    open_queue(f"sqlite:///{path}", QueueOptions()).store.close()
    program = (
        "import sys; from blobforge.coordination.sql.backend import open_queue;"
        "from blobforge.ports.queue_backend import QueueOptions;"
        f"open_queue('sqlite:///{path}', QueueOptions()).store.close();"
        "print('alembic' in sys.modules)"
    )

    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "False\n"


# Older, newer and foreign databases


@pytest.fixture
def first_schema(path: Path) -> Path:
    """A queue with jobs in all states, as the first schema left it."""
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(Path(__file__).with_name("schema_0001.sql").read_text())
    return path


def test_a_queue_of_the_first_schema_keeps_its_jobs_and_their_history(first_schema: Path, tmp_path: Path) -> None:
    new = sqlite_engine(tmp_path / "new.db", synchronous="NORMAL")
    prepare(new)
    new.dispose()

    with closing(open_queue(f"sqlite:///{first_schema}", QueueOptions()).store) as store:
        states = {job.id: job.state for job in store.page(JobFilter())}
        assert [states[JobId(number)] for number in range(1, 8)] == [
            *(State.COMPLETED, State.FAILED, State.PENDING, State.RUNNING, State.PENDING, State.CANCELLED),
            State.PENDING,
        ]
        assert [attempt.outcome for attempt in store.history(JobId(2)).attempts] == ["failed"]
        assert [event.kind for event in store.history(JobId(6)).events] == ["submitted", "cancelled"]
        assert store.files(JobId(1)) == [OUTPUT]
        assert [worker.id for worker in store.workers()] == [ALICE]
        assert [entry.job.id for entry in store.insert([a_job("a"), a_job("new")])] == [1, 8]
    assert statements(first_schema) == statements(tmp_path / "new.db")


def test_a_queue_of_the_third_schema_keeps_all_and_gets_accounts(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(Path(__file__).with_name("schema_0003.sql").read_text())
    new = sqlite_engine(tmp_path / "new.db", synchronous="NORMAL")
    prepare(new)
    new.dispose()

    opened = open_queue(f"sqlite:///{path}", QueueOptions())
    with closing(opened.store) as store:
        states = {job.id: job.state.value for job in store.page(JobFilter())}
        assert [states[JobId(number)] for number in range(1, 9)] == [
            *("completed", "failed", "completed", "running", "pending", "pending", "cancelled", "pending")
        ]
        assert store.identity() == QueueIdentity("a1", "file:///srv/blobs")
        assert (store.workers()[0].id, store.records()["desk"].completed) == (ALICE, 3)
        assert opened.accounts is not None
        opened.accounts.put_user(a_user())
        assert opened.accounts.add_token(a_token("t")).id == 1
        opened.accounts.add_worker(an_account())
    assert statements(path) == statements(tmp_path / "new.db")


def test_a_queue_of_the_fifth_schema_keeps_all_and_gets_idempotency_keys_and_pauses(path: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(Path(__file__).with_name("schema_0005.sql").read_text())
    new = sqlite_engine(tmp_path / "new.db", synchronous="NORMAL")
    prepare(new)
    new.dispose()

    opened = open_queue(f"sqlite:///{path}", QueueOptions())
    with closing(opened.store) as store:
        assert len(store.page(JobFilter())) == 8
        assert opened.accounts is not None
        assert opened.audit is not None
        assert opened.idempotency_keys is not None
        assert [token.role.value for token in opened.accounts.tokens()] == ["operator"]
        assert [account.name for account in opened.accounts.workers()] == ["rack4"]
        assert [entry.subject for entry in opened.audit.page(AuditFilter())] == ["token:1"]
        assert store.pause(Pause("default", "pdf", START, "local:alice")).by == "local:alice"
        assert opened.idempotency_keys.begin(RequestKey("token:1", "x"), "0" * 64, now=START).is_ours
    assert statements(path) == statements(tmp_path / "new.db")


def test_the_tables_of_accounts_have_the_columns_that_were_asked_for(engine: Engine, path: Path) -> None:
    """R1-15, R1-16, R1-17."""
    prepare(engine)

    with closing(sqlite3.connect(path)) as connection:
        columns = {
            name: [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            for name in ("users", "sessions", "api_tokens")
        }
        keys = {
            name: [row[2:5] for row in connection.execute(f"PRAGMA foreign_key_list({name})")]
            for name in ("sessions", "api_tokens")
        }
    made = statements(path)

    assert columns["users"][:5] == ["id", "email", "name", "picture", "groups"]
    assert columns["users"][5:9] == ["is_admin", "provider", "created_at", "updated_at"]
    assert columns["sessions"] == ["id", "user_id", "expires_at", "created_at"]
    assert columns["api_tokens"][:6] == ["id", "user_id", "token_hash", "description", "last_used_at", "created_at"]
    assert keys == {"sessions": [("users", "user_id", "id")], "api_tokens": [("users", "user_id", "id")]}
    assert "UNIQUE (email)" in made["users"]
    assert "is_admin IN (0, 1)" in made["users"]
    assert "UNIQUE (token_hash)" in made["api_tokens"]
    assert "user_id VARCHAR(255) NOT NULL" in made["api_tokens"]
    assert "expires_at VARCHAR(32) NOT NULL" in made["sessions"]


def test_a_process_that_is_killed_in_the_middle_of_a_migration_leaves_it_to_the_next(first_schema: Path) -> None:
    before = statements(first_schema)
    program = (
        "import os; from pathlib import Path; from alembic import op;"
        "from blobforge.coordination.sql import schema, sqlite;"
        "drop = op.drop_table; op.drop_table = lambda *_args: os._exit(9);"
        f"schema.prepare(sqlite.sqlite_engine(Path({str(first_schema)!r}), synchronous='FULL'))"
    )

    assert subprocess.run([sys.executable, "-c", program]).returncode == 9

    assert statements(first_schema) == before
    with closing(open_queue(f"sqlite:///{first_schema}", QueueOptions()).store) as store:
        assert sum(store.counts().values()) == 7
    assert version_of(first_schema) == [SCHEMA_VERSION]


def test_an_older_database_is_migrated_with_its_jobs(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(open_queue(f"sqlite:///{path}", QueueOptions()).store) as old:
        (entry,) = old.insert([a_job("a")])
    add_a_later_migration(tmp_path, monkeypatch)

    with closing(open_queue(f"sqlite:///{path}", QueueOptions()).store) as migrated:
        assert migrated.get(entry.job.id) == entry.job

    assert "later" in statements(path)
    assert version_of(path) == ["9000"]


def test_a_migration_that_fails_leaves_the_database_as_it_was(
    engine: Engine, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(engine)
    before = statements(path)
    add_a_later_migration(tmp_path, monkeypatch, then="raise ZeroDivisionError")

    with pytest.raises(ZeroDivisionError):
        prepare(engine)

    assert statements(path) == before
    assert version_of(path) == [SCHEMA_VERSION]


def test_a_database_of_a_newer_version_is_refused_and_left_alone(engine: Engine, path: Path) -> None:
    prepare(engine)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")

    with pytest.raises(InvalidSettings, match=r"schema 9999.*does not know: use the BlobForge that wrote it"):
        prepare(engine)

    assert version_of(path) == ["9999"]


@pytest.mark.parametrize("name", ["jobs", "bookmarks"])
def test_a_database_of_something_else_is_refused_and_left_alone(engine: Engine, path: Path, name: str) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {name} (id INTEGER)")

    with pytest.raises(InvalidSettings, match=r"schema of something else.*or another database"):
        prepare(engine)

    assert set(statements(path)) == {name}


def test_the_catalogue_is_no_queue(path: Path) -> None:
    SqliteCatalog(path).close()

    with pytest.raises(InvalidSettings, match="something else"):
        open_queue(f"sqlite:///{path}", QueueOptions())


# Races and crashes


@pytest.mark.parametrize("round_", range(5))
def test_two_threads_may_prepare_a_new_database_at_once(path: Path, round_: int) -> None:
    def open_and_insert(name: str) -> None:
        with closing(open_queue(f"sqlite:///{path}", QueueOptions()).store) as store:
            store.insert([a_job(name)])

    at_once(lambda: open_and_insert("a"), lambda: open_and_insert("b"))

    with closing(open_queue(f"sqlite:///{path}", QueueOptions()).store) as store:
        assert sum(store.counts().values()) == 2


def test_a_fault_in_the_middle_leaves_no_half_schema(engine: Engine, path: Path) -> None:
    def fault(*_args: object, **_kwargs: object) -> None:
        raise ZeroDivisionError

    event.listen(tables.files, "after_create", fault)
    with pytest.raises(ZeroDivisionError):
        prepare(engine)
    event.remove(tables.files, "after_create", fault)

    assert statements(path) == {}
    prepare(engine)
    assert version_of(path) == [SCHEMA_VERSION]


def test_a_process_that_dies_in_the_middle_leaves_no_half_schema(engine: Engine, path: Path) -> None:
    program = (
        "import os; from pathlib import Path; from sqlalchemy import event;"
        "from blobforge.coordination.sql import schema, sqlite, tables;"
        "event.listen(tables.files, 'after_create', lambda *_args, **_kwargs: os._exit(9));"
        f"schema.prepare(sqlite.sqlite_engine(Path({str(path)!r}), synchronous='FULL'))"
    )

    assert subprocess.run([sys.executable, "-c", program]).returncode == 9

    assert statements(path) == {}
    prepare(engine)
    assert version_of(path) == [SCHEMA_VERSION]
