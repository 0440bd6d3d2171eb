"""Brings a database to the schema of this version: a new one at once, an older one by migrations."""

from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    insert,
    inspect,
    select,
)
from sqlalchemy.exc import SQLAlchemyError

from blobforge.coordination.sql import closed_tables, tables
from blobforge.coordination.sql.database_errors import (
    SETTING,
    is_lack_of_a_schema,
    is_lack_of_rights,
    is_refusal,
    is_wrong_option,
    reason,
)
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import BlobForgeError, InvalidSettings, StoreUnavailable

SCHEMA_VERSION = "0007"
"""The newest migration. Kept here so that an up-to-date database opens without loading Alembic (0.4 s)."""

MIGRATIONS = Path(__file__).parent / "migrations"

# As Alembic makes it, so that a new database and a migrated one are the same.
_version = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)


def prepare(engine: Engine) -> None:
    """Raises InvalidSettings for a database of a newer version or of something else.

    Raises StoreUnavailable for one that cannot be opened.
    """
    try:
        if _current_version(engine) != SCHEMA_VERSION:
            with in_transactions(engine).connect() as connection:
                _migrate(connection)
    except SQLAlchemyError as error:
        engine.dispose()
        raise _cannot_open(engine, error) from error
    except BaseException:
        engine.dispose()
        raise


def _cannot_open(engine: Engine, error: SQLAlchemyError) -> BlobForgeError:
    """What waiting may mend is StoreUnavailable; what a person has to change is InvalidSettings."""
    # As it was written, and not with the driver's name.
    written = engine.url.set(drivername=engine.dialect.name)
    database = f"the queue database at {shown_address(str(written))}"
    if is_refusal(error):
        return InvalidSettings(
            f"{database} refuses: {reason(error)}; check the user, the password and the database in {SETTING}"
        )
    if is_wrong_option(error):
        return InvalidSettings(
            f"{database} cannot be opened: {reason(error)}; check what stands behind the ? in {SETTING}"
        )
    if is_lack_of_a_schema(error):
        return InvalidSettings(
            f"{database} cannot be used: {reason(error)}; make the schema that search_path names, or name another one "
            f"in {SETTING}"
        )
    if is_lack_of_rights(error):
        return InvalidSettings(
            f"{database} is not ready for this version, and the role {engine.url.username!r} may not make or change "
            f"its tables ({reason(error)}); run any command once as their owner, such as blobforge status"
        )
    # A file has no host; what is wrong with it is in the driver's words.
    hint = "" if engine.dialect.name == "sqlite" else f"; check the host and the port in {SETTING}"
    return StoreUnavailable(f"{database} cannot be opened: {reason(error, engine.url.database)}{hint}")


def in_transactions(engine: Engine) -> Engine:
    """The engine for transactions of several statements: that of PostgreSQL is in autocommit mode."""
    return engine if engine.dialect.name == "sqlite" else engine.execution_options(isolation_level="READ COMMITTED")


def _current_version(engine: Engine) -> str | None:
    with engine.connect() as connection:
        return _stored_version(connection)


def _stored_version(connection: Connection) -> str | None:
    if not inspect(connection).has_table(_version.name):
        return None
    return connection.execute(select(_version.c.version_num)).scalar_one_or_none()


def _migrate(connection: Connection) -> None:
    """In one transaction behind a lock: a second process finds the schema migrated, and a crash leaves it as it was."""
    with connection.begin():
        _lock(connection)
        version = _stored_version(connection)
        if version == SCHEMA_VERSION:
            return
        if version is None and not _is_foreign(connection):
            ours = tables.tables_for(connection.dialect.name)
            closed_tables.require_free_names(connection, ours)
            # Looking whether a table is there would find that of another schema, and make none.
            tables.metadata.create_all(connection, tables=ours, checkfirst=False)
            closed_tables.close(connection)
            _version.create(connection)
            connection.execute(insert(_version).values(version_num=SCHEMA_VERSION))
        else:
            _upgrade(connection, version)


def _is_foreign(connection: Connection) -> bool:
    """Whether there are tables of another program. A file belongs to one program, a PostgreSQL database to several."""
    there = inspect(connection)
    return bool(there.get_table_names()) if connection.dialect.name == "sqlite" else there.has_table(tables.jobs.name)


def _lock(connection: Connection) -> None:
    if connection.dialect.name == "sqlite":
        # The deferred BEGIN took no lock yet: begin again, with the lock that a writer needs.
        connection.exec_driver_sql("COMMIT")
        connection.exec_driver_sql("BEGIN IMMEDIATE")
    else:
        connection.exec_driver_sql("SELECT pg_advisory_xact_lock(822640)")


def _upgrade(connection: Connection, version: str | None) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.attributes["connection"] = connection
    known = {script.revision for script in ScriptDirectory.from_config(config).walk_revisions()}
    if version not in known:
        raise InvalidSettings(
            f"the queue database has the schema {version or 'of something else'}, which this version of BlobForge "
            f"(schema {SCHEMA_VERSION}) does not know: use the BlobForge that wrote it, or another database"
        )
    command.upgrade(config, "head")
