"""What jobs need of their worker, the identity of a queue, and the records of workers."""

import sqlalchemy as sa
from alembic import op

from blobforge.coordination.sql.tables import UtcTime

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # Jobs of older versions need nothing that is known; a worker that finds something missing says so then.
    op.add_column("jobs", sa.Column("needs", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.drop_index("ix_jobs_ready", "jobs")
    op.create_index(
        "ix_jobs_ready",
        "jobs",
        ["project", "type", "needs", "priority", "created_at", "id"],
        sqlite_where=sa.text("ready"),
        postgresql_where=sa.text("ready"),
    )
    op.create_table(
        "queue_identity",
        sa.Column("singleton", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("store", sa.Text(), nullable=False),
        sa.CheckConstraint("singleton = 1", name=op.f("ck_queue_identity_singleton")),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_queue_identity")),
    )
    op.create_table(
        "worker_records",
        sa.Column("name", sa.String(length=255), nullable=False),
        sa.Column("record", sa.Text(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_worker_records")),
    )
