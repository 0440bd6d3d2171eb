"""Runs migrations on the connection that schema.py hands over, inside its transaction."""

from alembic import context

from blobforge.coordination.sql import tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=tables.metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
