"""All mutants."""

from tests.mutants import bucket, memory, postgres, rules, sql, sqlite
from tests.mutants.mutant import Mutant

MUTANTS: list[Mutant] = [
    *rules.LIFECYCLE,
    *rules.SERVICE,
    *rules.WORKER,
    *memory.MEMORY,
    *sql.MOVES,
    *sql.CODEC,
    *sql.STORE,
    *sql.ARCHIVE,
    *sql.FILE_WAKEUP,
    *sqlite.SQLITE,
    *postgres.STATEMENTS,
    *postgres.TRANSACTION,
    *postgres.DRIVER,
    *postgres.NEWS,
    *postgres.LINE,
    *bucket.BUCKET,
    *bucket.MARKERS,
    *bucket.OUTPUTS,
    *bucket.CLEARING,
]
