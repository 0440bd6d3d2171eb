"""The lanes that somebody paused."""

import sqlalchemy as sa
from alembic import op

from blobforge.coordination.sql import closed_tables, tables
from blobforge.coordination.sql.tables import UtcTime

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

# A claim reads it: whoever may claim must be able to, also where new tables are granted to nobody by themselves.
_CLAIMERS = sa.text(
    "SELECT DISTINCT CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END "
    "FROM pg_class, aclexplode(relacl) WHERE oid = 'jobs'::regclass AND grantee <> relowner "
    "AND privilege_type = 'UPDATE'"
)


def upgrade() -> None:
    connection = op.get_bind()
    closed_tables.require_free_names(connection, [tables.paused_lanes])
    op.create_table(
        "paused_lanes",
        sa.Column("project", sa.String(length=64), nullable=False),
        sa.Column("type", sa.String(length=64), nullable=False),
        sa.Column("since", UtcTime(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("project", "type", name=op.f("pk_paused_lanes")),
    )
    if connection.dialect.name != "sqlite":
        for (role,) in connection.execute(_CLAIMERS).all():
            connection.exec_driver_sql(f"GRANT SELECT, INSERT, DELETE ON paused_lanes TO {role}")
