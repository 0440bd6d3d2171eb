"""Who may ask, and the audit trail: users, sessions, tokens, accounts of workers."""

import sqlalchemy as sa
from alembic import op

from blobforge.coordination.sql import closed_tables
from blobforge.coordination.sql.tables import UtcTime

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
_ROLE = "role IN ('viewer', 'operator', 'admin')"


def upgrade() -> None:
    closed_tables.require_free_names(op.get_bind())
    _create_users()
    _create_sessions()
    _create_api_tokens()
    _create_worker_accounts()
    _create_audit_log()
    closed_tables.close(op.get_bind())


def _create_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(length=255), nullable=False),
        sa.Column("email", sa.String(length=255), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("picture", sa.Text(), nullable=True),
        sa.Column("groups", sa.Text(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("is_admin", sa.SmallInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("provider", sa.String(length=255), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("role", sa.String(length=16), server_default=sa.text("'viewer'"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sa.CheckConstraint("is_admin IN (0, 1)", name=op.f("ck_users_is_admin")),
        sa.CheckConstraint(_ROLE, name=op.f("ck_users_role")),
    )


def _create_sessions() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(length=64), nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("expires_at", UtcTime(), nullable=False),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_sessions_user_id")),
    )
    op.create_index("ix_sessions_user_id", "sessions", ["user_id"])
    op.create_index("ix_sessions_expires_at", "sessions", ["expires_at"])


def _create_api_tokens() -> None:
    op.create_table(
        "api_tokens",
        sa.Column("id", _ROW_ID, autoincrement=True, nullable=False),
        sa.Column("user_id", sa.String(length=255), nullable=False),
        sa.Column("token_hash", sa.String(length=64), nullable=False),
        sa.Column("description", sa.Text(), server_default=sa.text("''"), nullable=False),
        sa.Column("last_used_at", UtcTime(), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("role", sa.String(length=16), nullable=False),
        sa.Column("project", sa.String(length=64), nullable=True),
        sa.Column("expires_at", UtcTime(), nullable=True),
        sa.Column("revoked_at", UtcTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
        sa.CheckConstraint(_ROLE, name=op.f("ck_api_tokens_role")),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_api_tokens_user_id")),
        sqlite_autoincrement=True,
    )


def _create_worker_accounts() -> None:
    op.create_table(
        "worker_accounts",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("project", sa.String(length=64), nullable=True),
        sa.Column("types", sa.Text(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("secret_hash", sa.String(length=64), nullable=True),
        sa.Column("enabled", sa.Boolean(), server_default=sa.text("TRUE"), nullable=False),
        sa.Column("draining", sa.Boolean(), server_default=sa.text("FALSE"), nullable=False),
        sa.Column("exclusive", sa.Boolean(), server_default=sa.text("FALSE"), nullable=False),
        sa.Column("process", sa.String(length=255), nullable=True),
        sa.Column("created_at", UtcTime(), nullable=False),
        sa.Column("updated_at", UtcTime(), nullable=False),
        sa.Column("last_seen_at", UtcTime(), nullable=True),
        sa.Column("rev", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_worker_accounts")),
    )


def _create_audit_log() -> None:
    op.create_table(
        "audit_log",
        sa.Column("id", _ROW_ID, autoincrement=True, nullable=False),
        sa.Column("at", UtcTime(), nullable=False),
        sa.Column("actor_kind", sa.String(length=16), nullable=False),
        sa.Column("actor_name", sa.String(length=255), nullable=False),
        sa.Column("action", sa.String(length=64), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("project", sa.String(length=64), nullable=True),
        sa.Column("request_id", sa.String(length=64), nullable=True),
        sa.Column("detail", sa.Text(), server_default=sa.text("'{}'"), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_log")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_audit_log_at", "audit_log", ["at", "id"])
    op.create_index("ix_audit_log_actor", "audit_log", ["actor_kind", "actor_name", "at", "id"])
    op.create_index("ix_audit_log_subject", "audit_log", ["subject", "at", "id"])
    op.create_index("ix_audit_log_project", "audit_log", ["project", "at", "id"])
