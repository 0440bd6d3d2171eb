"""What was answered to requests that have an idempotency key."""

import sqlalchemy as sa
from alembic import op

from blobforge.coordination.sql import closed_tables, tables
from blobforge.coordination.sql.tables import UtcTime

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    made = [tables.idempotency_keys]
    closed_tables.require_free_names(op.get_bind(), made)
    op.create_table(
        "idempotency_keys",
        sa.Column("asker", sa.String(length=300), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("began_at", UtcTime(), nullable=False),
        sa.Column("taken_at", UtcTime(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("asker", "key", name=op.f("pk_idempotency_keys")),
    )
    op.create_index("ix_idempotency_keys_began_at", "idempotency_keys", ["began_at"])
    closed_tables.close(op.get_bind(), made)
