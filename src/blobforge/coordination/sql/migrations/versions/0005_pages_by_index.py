"""Indexes for pages and counts of jobs by project, type and state."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_PENDING = sa.text("status = 'pending'")
_SETTLED = sa.text("status IN ('completed', 'failed', 'dead', 'cancelled')")


def upgrade() -> None:
    op.drop_index("ix_jobs_trouble", "jobs")
    op.create_index(
        "ix_jobs_pending", "jobs", ["project", "type", "id"], sqlite_where=_PENDING, postgresql_where=_PENDING
    )
    op.create_index(
        "ix_jobs_settled", "jobs", ["project", "type", "status", "id"], sqlite_where=_SETTLED, postgresql_where=_SETTLED
    )
    op.create_index("ix_jobs_archive_project_type_id", "jobs_archive", ["project", "type", "id"])
