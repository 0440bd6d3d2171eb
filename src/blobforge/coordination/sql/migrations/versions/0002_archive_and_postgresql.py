"""An archive for completed jobs, one index fewer, and what PostgreSQL needs."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from blobforge.coordination.sql.tables import UtcTime

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_IN_TROUBLE = sa.text("status IN ('failed', 'dead', 'cancelled')")
_SWEPT_OFTEN = {
    "autovacuum_vacuum_scale_factor": 0,
    "autovacuum_vacuum_threshold": 5000,
    "autovacuum_analyze_scale_factor": 0,
    "autovacuum_analyze_threshold": 10000,
}


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _rebuild_on_sqlite()
    else:
        _alter_on_postgresql()
    op.create_table(
        "jobs_archive",
        *_job_columns(gives_ids=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs_archive")),
        sa.UniqueConstraint("source_hash", "type", "project", name=op.f("uq_jobs_archive_source_hash_type_project")),
    )


def _rebuild_on_sqlite() -> None:
    """SQLite changes no constraint of a table that is there: a new one takes its place."""
    op.rename_table("files", "files_0001")
    op.rename_table("jobs", "jobs_0001")
    for index in ("ix_jobs_due", "ix_jobs_ready", "ix_jobs_source_hash", "ix_jobs_trouble"):
        op.drop_index(index, "jobs_0001")
    for index in ("ix_files_job_id", "ix_files_s3_key"):
        op.drop_index(index, "files_0001")
    _create_jobs()
    _create_files()
    for table in ("jobs", "files"):
        names = ", ".join(f'"{column["name"]}"' for column in sa.inspect(op.get_bind()).get_columns(table))
        op.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM {table}_0001")  # noqa: S608 - our own names
    op.drop_table("files_0001")
    op.drop_table("jobs_0001")


def _alter_on_postgresql() -> None:
    op.drop_constraint("uq_jobs_project_type_source_hash", "jobs", type_="unique")
    op.create_unique_constraint("uq_jobs_source_hash_type_project", "jobs", ["source_hash", "type", "project"])
    op.drop_index("ix_jobs_source_hash", "jobs")
    op.drop_constraint("fk_files_job_id", "files", type_="foreignkey")
    settings = ", ".join(f"{name} = {value}" for name, value in {"fillfactor": 85, **_SWEPT_OFTEN}.items())
    op.execute(f"ALTER TABLE jobs SET ({settings})")
    op.create_table(
        "job_leases",
        sa.Column("job_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("lease_number", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("renewed_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_job_leases")),
        postgresql_with={"fillfactor": 50, **_SWEPT_OFTEN},
    )


def _job_columns(*, gives_ids: bool) -> list[sa.Column[Any]]:
    return [
        sa.Column("id", _ROW_ID, autoincrement=gives_ids, nullable=False),
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("source_hash", sa.String(length=64), nullable=False),
        sa.Column("source_path", sa.Text(), nullable=True),
        sa.Column("source_size", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("priority", sa.SmallInteger(), server_default=sa.text("3"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("max_attempts", sa.Integer(), server_default=sa.text("3"), nullable=False),
        sa.Column("lease_number", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("worker_id", sa.String(length=255), nullable=True),
        sa.Column("lease_expires_at", UtcTime(), nullable=True),
        sa.Column("available_at", UtcTime(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("completed_at", UtcTime(), nullable=True),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("tags", sa.Text(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("metadata", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("rev", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
    ]


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        *_job_columns(gives_ids=True),
        sa.Column("ready", sa.Boolean(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("source_hash", "type", "project", name=op.f("uq_jobs_source_hash_type_project")),
        sa.CheckConstraint("priority BETWEEN 1 AND 5", name=op.f("ck_jobs_priority")),
        sa.CheckConstraint(
            "status IN ('pending', 'running', 'completed', 'failed', 'dead', 'cancelled')", name=op.f("ck_jobs_status")
        ),
        sqlite_autoincrement=True,
    )
    ready = sa.text("ready")
    op.create_index("ix_jobs_ready", "jobs", ["project", "type", "priority", "created_at", "id"], sqlite_where=ready)
    op.create_index("ix_jobs_due", "jobs", ["due_at"], sqlite_where=sa.text("due_at IS NOT NULL"))
    op.create_index("ix_jobs_trouble", "jobs", ["status", "id"], sqlite_where=_IN_TROUBLE)


def _create_files() -> None:
    op.create_table(
        "files",
        sa.Column("id", _ROW_ID, autoincrement=True, nullable=False),
        sa.Column("job_id", _ROW_ID, nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("s3_key", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content_type", sa.String(length=128), nullable=False),
        sa.Column("checksum", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.CheckConstraint("type IN ('source', 'output')", name=op.f("ck_files_type")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
    )
    op.create_index("ix_files_job_id", "files", ["job_id"], unique=False)
    op.create_index("ix_files_s3_key", "files", ["s3_key"], unique=False)
