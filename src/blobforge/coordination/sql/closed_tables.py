"""The tables of accounts are closed as they are made: what a database grants on new tables by default, such as to its
workers, does not hold for them.

Done once, in the transaction that makes them: what somebody grants later stays.
"""

from collections.abc import Collection

from sqlalchemy import Connection, Table, bindparam, inspect, text

from blobforge.coordination.sql import tables
from blobforge.domain.addresses import shown_address
from blobforge.domain.errors import InvalidSettings

# Also the sequences that give ids, which are named after their tables.
_GRANTED = text(
    "SELECT DISTINCT relkind::text, quote_ident(relname), "
    "CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END "
    "FROM pg_class, aclexplode(relacl) "
    "WHERE relnamespace = quote_ident(current_schema())::regnamespace AND grantee <> relowner "
    "AND relkind IN ('r', 'S') AND regexp_replace(relname, '_id_seq$', '') IN :names"
).bindparams(bindparam("names", expanding=True))


def require_free_names(connection: Connection, wanted: Collection[Table] = tables.CLOSED) -> None:
    """Raises InvalidSettings where another program has tables of these names, as it may have `users`."""
    # In a file that is not ours nothing is made at all.
    if connection.dialect.name == "sqlite":
        return
    there = inspect(connection)
    # Those of other schemas of the search path are in nobody's way.
    names = there.get_table_names(schema=there.default_schema_name)
    taken = sorted({table.name for table in wanted}.intersection(names))
    if taken:
        raise InvalidSettings(
            f"the database at {shown_address(str(connection.engine.url))} has tables of something else by the names "
            f"that BlobForge needs ({', '.join(taken)}): keep the queue in a schema of its own, as the how-to for "
            "PostgreSQL shows"
        )


def close(connection: Connection, made: Collection[Table] = tables.CLOSED) -> None:
    """Takes every right on those that were made from all but their owner."""
    if connection.dialect.name == "sqlite":
        return
    for kind, name, role in connection.execute(_GRANTED, {"names": [table.name for table in made]}).all():
        connection.exec_driver_sql(f"REVOKE ALL ON {'SEQUENCE' if kind == 'S' else 'TABLE'} {name} FROM {role}")
