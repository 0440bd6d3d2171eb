"""The tables, once. Migrations lead to exactly this; a test compares."""

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    SmallInteger,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)
from sqlalchemy.types import TypeEngine

from blobforge.domain.job import CLAIM_ORDER

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s",
    "pk": "pk_%(table_name)s",
}


class UtcTime(TypeDecorator[datetime]):
    """A moment: timestamptz on PostgreSQL, ISO text of one fixed width on SQLite, so that text order is time order."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        return dialect.type_descriptor(String(32) if dialect.name == "sqlite" else DateTime(timezone=True))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> Any:
        return value if value is None or dialect.name != "sqlite" else time_to_text(value)

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:  # noqa: ARG002 - fixed by SQLAlchemy
        return datetime.fromisoformat(value) if isinstance(value, str) else value


def time_to_text(moment: datetime) -> str:
    return moment.isoformat(timespec="microseconds")


metadata = MetaData(naming_convention=NAMING)

# SQLite counts rows up by itself only for a column that is exactly INTEGER.
_ROW_ID = BigInteger().with_variant(Integer(), "sqlite")


def _job_columns(*, gives_ids: bool) -> list[Column[Any]]:
    """The columns of a job, in the table of jobs and in the archive."""
    return [
        Column("id", _ROW_ID, primary_key=True, autoincrement=gives_ids),
        Column("project", String(64), nullable=False),
        Column("type", String(64), nullable=False),
        Column("source_hash", String(64), nullable=False),
        Column("source_path", Text),
        Column("source_size", BigInteger),
        Column("status", String(16), nullable=False),
        Column("priority", SmallInteger, nullable=False, server_default=text("3")),
        Column("attempts", Integer, nullable=False, server_default=text("0")),
        Column("max_attempts", Integer, nullable=False, server_default=text("3")),
        Column("lease_number", BigInteger, nullable=False, server_default=text("0")),
        Column("worker_id", String(255)),
        Column("lease_expires_at", UtcTime),
        Column("available_at", UtcTime),
        Column("created_at", UtcTime, nullable=False),
        Column("updated_at", UtcTime, nullable=False),
        Column("started_at", UtcTime),
        Column("completed_at", UtcTime),
        Column("error_code", String(64)),
        Column("last_error", Text),
        Column("tags", Text, nullable=False, server_default=text("'[]'")),
        Column("metadata", Text, nullable=False, server_default=text("'{}'")),
        Column("result", Text),
        # Grows at every write: the optimistic lock.
        Column("rev", BigInteger, nullable=False, server_default=text("0")),
    ]


# Vacuumed by the number of dead rows and not by their share, which would let a big table wait ever longer.
_SWEPT_OFTEN = {
    "autovacuum_vacuum_scale_factor": 0,
    "autovacuum_vacuum_threshold": 5000,
    "autovacuum_analyze_scale_factor": 0,
    "autovacuum_analyze_threshold": 10000,
}

jobs = Table(
    "jobs",
    metadata,
    *_job_columns(gives_ids=True),
    # Derived at every write, so that claiming and sweeping each read one small index.
    Column("ready", Boolean, nullable=False),
    Column("due_at", UtcTime),
    Column("needs", Text, nullable=False, server_default=text("''")),
    # The hash first, so that a search by the prefix of a hash needs no index of its own.
    UniqueConstraint("source_hash", "type", "project"),
    CheckConstraint("priority BETWEEN 1 AND 5", name="priority"),
    CheckConstraint(
        "status IN ('pending', 'running', 'completed', 'failed', 'dead', 'cancelled')",
        name="status",
    ),
    sqlite_autoincrement=True,
)

_ready = Index(
    "ix_jobs_ready",
    *(jobs.c[name] for name in ("project", "type", "needs", *CLAIM_ORDER)),
    # As text, because SQLite uses a partial index only where the query repeats its condition literally.
    sqlite_where=text("ready"),
)
_due = Index("ix_jobs_due", jobs.c.due_at, sqlite_where=jobs.c.due_at.is_not(None))
# For pages and counts (`stretches`).
Index("ix_jobs_lane", *(jobs.c[name] for name in ("project", "type", "status", "id")))

# The completed archive: jobs that were completed long ago. They are found like others, and a change moves them back.
jobs_archive = Table(
    "jobs_archive",
    metadata,
    *_job_columns(gives_ids=False),
    UniqueConstraint("source_hash", "type", "project"),
    Index("ix_jobs_archive_project_type_id", "project", "type", "id"),
)

# What refers to jobs has no foreign key: attempts and events are written with every transition, and the check would
# read the job's row again each time (on PostgreSQL it would lock it); and a job keeps its id in the archive.
job_attempts = Table(
    "job_attempts",
    metadata,
    Column("job_id", _ROW_ID, primary_key=True, autoincrement=False),
    Column("lease_number", BigInteger, primary_key=True, autoincrement=False),
    Column("worker_id", String(255)),
    Column("started_at", UtcTime),
    Column("ended_at", UtcTime, nullable=False),
    Column("outcome", String(16), nullable=False),
    Column("error_code", String(64)),
    Column("error", Text),
    sqlite_with_rowid=False,
)

job_events = Table(
    "job_events",
    metadata,
    # A job's revision identifies its event: one B-tree serves writing and reading.
    Column("job_id", _ROW_ID, primary_key=True, autoincrement=False),
    Column("rev", BigInteger, primary_key=True, autoincrement=False),
    Column("at", UtcTime, nullable=False),
    Column("kind", String(16), nullable=False),
    Column("lease_number", BigInteger, nullable=False),
    Column("worker_id", String(255)),
    Column("detail", Text),
    sqlite_with_rowid=False,
)

# On PostgreSQL only, where a renewal would otherwise write the whole row anew: a narrow row for each lease that was
# renewed. It counts while the job runs under the same lease number.
job_leases = Table(
    "job_leases",
    metadata,
    Column("job_id", _ROW_ID, primary_key=True, autoincrement=False),
    Column("lease_number", BigInteger, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("renewed_at", UtcTime, nullable=False),
)

files = Table(
    "files",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("job_id", _ROW_ID, nullable=False),
    Column("type", String(16), nullable=False),
    Column("s3_key", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("content_type", String(128), nullable=False),
    Column("checksum", String(64), nullable=False),
    Column("metadata", Text, nullable=False, server_default=text("'{}'")),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_files_job_id", "job_id"),
    Index("ix_files_s3_key", "s3_key"),
    CheckConstraint("type IN ('source', 'output')", name="type"),
)

workers = Table(
    "workers",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("type", String(64), nullable=False),
    Column("status", String(16), nullable=False),
    Column("last_heartbeat", UtcTime),
    Column("current_job_id", _ROW_ID),
    Column("metadata", Text, nullable=False, server_default=text("'{}'")),
    Column("secret_hash", String(64)),
    Column("enabled", Boolean, nullable=False, server_default=text("TRUE")),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    CheckConstraint("status IN ('online', 'offline', 'draining')", name="status"),
)

# One row: pairs the queue with its store.
queue_identity = Table(
    "queue_identity",
    metadata,
    Column("singleton", SmallInteger, primary_key=True, autoincrement=False),
    Column("id", String(64), nullable=False),
    Column("store", Text, nullable=False),
    CheckConstraint("singleton = 1", name="singleton"),
)

# Service records of workers, by name: they outlive the workers.
worker_records = Table(
    "worker_records",
    metadata,
    Column("name", String(255), primary_key=True),
    Column("record", Text, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
)

# Read by every claim, and nearly always empty.
paused_lanes = Table(
    "paused_lanes",
    metadata,
    Column("project", String(64), primary_key=True),
    Column("type", String(64), primary_key=True),
    Column("since", UtcTime, nullable=False),
    Column("by", Text, nullable=False),
)

# Who may ask. Secrets are not here, only their SHA-256. Changes are rare, so these have foreign keys.
_ROLE = "role IN ('viewer', 'operator', 'admin')"

users = Table(
    "users",
    metadata,
    Column("id", String(255), primary_key=True),
    Column("email", String(255)),
    Column("name", Text),
    Column("picture", Text),
    Column("groups", Text, nullable=False, server_default=text("'[]'")),
    # Of the role, for who asks the table.
    Column("is_admin", SmallInteger, nullable=False, server_default=text("0")),
    Column("provider", String(255), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("role", String(16), nullable=False, server_default=text("'viewer'")),
    UniqueConstraint("email"),
    CheckConstraint("is_admin IN (0, 1)", name="is_admin"),
    CheckConstraint(_ROLE, name="role"),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("user_id", String(255), ForeignKey("users.id"), nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Index("ix_sessions_user_id", "user_id"),
    Index("ix_sessions_expires_at", "expires_at"),
)

api_tokens = Table(
    "api_tokens",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("user_id", String(255), ForeignKey("users.id"), nullable=False),
    Column("token_hash", String(64), nullable=False),
    Column("description", Text, nullable=False, server_default=text("''")),
    Column("last_used_at", UtcTime),
    Column("created_at", UtcTime, nullable=False),
    Column("role", String(16), nullable=False),
    Column("project", String(64)),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    UniqueConstraint("token_hash"),
    CheckConstraint(_ROLE, name="role"),
    # The audit trail names tokens by their ids: none is given twice.
    sqlite_autoincrement=True,
)

# Apart from `workers`, whose rows come and go with processes: who was disabled stays disabled.
worker_accounts = Table(
    "worker_accounts",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("project", String(64)),
    Column("types", Text, nullable=False, server_default=text("'[]'")),
    Column("secret_hash", String(64)),
    Column("enabled", Boolean, nullable=False, server_default=text("TRUE")),
    Column("draining", Boolean, nullable=False, server_default=text("FALSE")),
    Column("exclusive", Boolean, nullable=False, server_default=text("FALSE")),
    Column("process", String(255)),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime),
    # Grows at every write: the optimistic lock.
    Column("rev", BigInteger, nullable=False, server_default=text("0")),
)

audit_log = Table(
    "audit_log",
    metadata,
    Column("id", _ROW_ID, primary_key=True, autoincrement=True),
    Column("at", UtcTime, nullable=False),
    Column("actor_kind", String(16), nullable=False),
    Column("actor_name", String(255), nullable=False),
    Column("action", String(64), nullable=False),
    Column("subject", Text, nullable=False),
    Column("project", String(64)),
    Column("request_id", String(64)),
    Column("detail", Text, nullable=False, server_default=text("'{}'")),
    # Each filter with the order in which pages are read.
    Index("ix_audit_log_at", "at", "id"),
    Index("ix_audit_log_actor", "actor_kind", "actor_name", "at", "id"),
    Index("ix_audit_log_subject", "subject", "at", "id"),
    Index("ix_audit_log_project", "project", "at", "id"),
    sqlite_autoincrement=True,
)

# What was answered to requests that have a key of their sender's; swept after a day.
idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("asker", String(300), primary_key=True),
    Column("key", String(255), primary_key=True),
    Column("digest", String(64), nullable=False),
    Column("began_at", UtcTime, nullable=False),
    Column("taken_at", UtcTime, nullable=False),
    Column("answer", Text),
    Index("ix_idempotency_keys_began_at", "began_at"),
)

CLOSED = (users, sessions, api_tokens, worker_accounts, audit_log, idempotency_keys)
"""Those that only their owner may use until somebody grants more: see `closed_tables`."""


def tables_for(dialect: str) -> list[Table]:
    """Those that a database of the dialect has, in the order in which they are made."""
    if dialect == "postgresql":
        _say_to_postgresql()
    return [table for table in metadata.sorted_tables if dialect != "sqlite" or table is not job_leases]


def _say_to_postgresql() -> None:
    """Its own options, which would import its dialect where they are declared: that takes as long as a short command on
    SQLite may."""
    jobs.dialect_kwargs["postgresql_with"] = {"fillfactor": 85, **_SWEPT_OFTEN}
    job_leases.dialect_kwargs["postgresql_with"] = {"fillfactor": 50, **_SWEPT_OFTEN}
    _ready.dialect_kwargs["postgresql_where"] = text("ready")
    _due.dialect_kwargs["postgresql_where"] = jobs.c.due_at.is_not(None)
