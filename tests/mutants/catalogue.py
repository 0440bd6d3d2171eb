"""All mutants."""

from tests.mutants import (
    blobs,
    bucket,
    conditions,
    memory,
    pairing,
    postgres,
    postgres_statements,
    rules,
    sql,
    sqlite,
    uploads,
)
from tests.mutants.mutant import Mutant

MUTANTS: list[Mutant] = [
    *rules.LIFECYCLE,
    *rules.SERVICE,
    *conditions.CONDITIONS,
    *rules.WORKER,
    *memory.MEMORY,
    *sql.TRANSITIONS,
    *sql.CODEC,
    *sql.STORE,
    *sql.ARCHIVE,
    *sql.FILE_WAKEUP,
    *sqlite.SQLITE,
    *postgres_statements.STATEMENTS,
    *postgres.TRANSACTION,
    *postgres.DRIVER,
    *postgres.WAKEUP,
    *postgres.CLAIM_CURSOR,
    *bucket.BUCKET,
    *bucket.MARKERS,
    *bucket.PUBLISHING,
    *bucket.READS,
    *bucket.CUT_WRITES,
    *blobs.OUTPUTS,
    *blobs.CLEARING,
    *pairing.PAIRING,
    *uploads.UPLOADS,
]
