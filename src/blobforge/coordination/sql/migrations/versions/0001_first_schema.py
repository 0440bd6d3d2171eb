"""The first schema: jobs with their attempts and events, files, workers."""

import sqlalchemy as sa
from alembic import op

from blobforge.coordination.sql.tables import UtcTime

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
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
        sa.Column("ready", sa.Boolean(), nullable=False),
        sa.Column("due_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sa.UniqueConstraint("project", "type", "source_hash", name=op.f("uq_jobs_project_type_source_hash")),
        sa.CheckConstraint("priority BETWEEN 1 AND 5", name=op.f("ck_jobs_priority")),
        sa.CheckConstraint(
            "status IN ('pending', 'running', 'completed', 'failed', 'dead', 'cancelled')", name=op.f("ck_jobs_status")
        ),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_jobs_due",
        "jobs",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("due_at IS NOT NULL"),
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "ix_jobs_ready",
        "jobs",
        ["project", "type", "priority", "created_at", "id"],
        unique=False,
        sqlite_where=sa.text("ready"),
        postgresql_where=sa.text("ready"),
    )
    op.create_index("ix_jobs_source_hash", "jobs", ["source_hash"], unique=False)
    op.create_index(
        "ix_jobs_trouble",
        "jobs",
        ["status", "id"],
        unique=False,
        sqlite_where=sa.text("status IN ('failed', 'dead', 'cancelled')"),
        postgresql_where=sa.text("status IN ('failed', 'dead', 'cancelled')"),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(length=255), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("status", sa.String(length=16), nullable=False),
        sa.Column("last_heartbeat", UtcTime(), nullable=True),
        sa.Column("current_job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("metadata", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=True),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("TRUE"), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.CheckConstraint("status IN ('online', 'offline', 'draining')", name=op.f("ck_workers_status")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "files",
        sa.Column("id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("type", sa.String(length=16), nullable=False),
        sa.Column("s3_key", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content_type", sa.String(length=128), nullable=False),
        sa.Column("checksum", sa.String(length=64), nullable=False),
        sa.Column("metadata", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.CheckConstraint("type IN ('source', 'output')", name=op.f("ck_files_type")),
        sa.ForeignKeyConstraint(["job_id"], ["jobs.id"], name=op.f("fk_files_job_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_files")),
    )
    op.create_index("ix_files_job_id", "files", ["job_id"], unique=False)
    op.create_index("ix_files_s3_key", "files", ["s3_key"], unique=False)
    op.create_table(
        "job_attempts",
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("lease_number", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", sa.String(length=255), nullable=True),
        sa.Column("started_at", UtcTime(), nullable=True),
        sa.Column("ended_at", UtcTime(), nullable=False),
        sa.Column("outcome", sa.String(length=16), nullable=False),
        sa.Column("error_code", sa.String(length=64), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job_id", "lease_number", name=op.f("pk_job_attempts")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job_events",
        sa.Column("job_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("rev", sa.BigInteger(), nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("lease_number", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", sa.String(length=255), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("job_id", "rev", name=op.f("pk_job_events")),
        sqlite_with_rowid=False,
    )
