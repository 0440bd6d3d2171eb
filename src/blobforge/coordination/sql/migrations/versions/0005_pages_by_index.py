"""Indexes for pages and counts of jobs by project, type and state."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_index("ix_jobs_trouble", "jobs")
    op.create_index("ix_jobs_lane", "jobs", ["project", "type", "status", "id"])
    op.create_index("ix_jobs_archive_project_type_id", "jobs_archive", ["project", "type", "id"])
