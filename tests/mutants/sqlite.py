"""Bugs in the statements of SQLite and in its transactions."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_sqlite = partial(Mutant, file="coordination/sql/sqlite.py", tests=suites.SQLITE)
_connections = partial(Mutant, file="coordination/sql/sqlite_connections.py", tests=suites.SQLITE)

SQLITE = [
    # Locks and transactions
    _connections(
        name="sqlite: a transaction is deferred",
        within="_begin",
        old='"BEGIN IMMEDIATE"',
        new='"BEGIN DEFERRED"',
    ),
    _connections(
        name="sqlite: a fault is committed",
        within="_roll_back",
        old='"ROLLBACK"',
        new='"COMMIT"',
    ),
    _connections(
        name="sqlite: a fault leaves the transaction open",
        within="_roll_back",
        old='cursor.execute("ROLLBACK")',
        new="pass",
    ),
    _connections(
        name="sqlite: a step that failed is kept with its group",
        within="_Group._undo_step",
        old='self._cursor.execute("ROLLBACK TO step")',
        new="",
    ),
    _connections(
        name="sqlite: a group goes on after the disk was full",
        within="_Group._undo_step",
        old="self._failure = error if isinstance(error, sqlite3.Error) else sqlite3.OperationalError(str(error))",
        new="",
    ),
    _connections(
        name="sqlite: a group that raises is left open",
        within="SqliteConnections.together",
        old="group.roll_back()",
        new="",
    ),
    _sqlite(
        name="sqlite: the revision of one is not compared",
        within="_update_one",
        old='f"…AND {_AS_READ}"',
        new="f\"…AND {_AS_READ.replace('rev IS ?', '? IS NOT NULL')}\"",
    ),
    _sqlite(
        name="sqlite: the revision of many is not compared",
        within="_update_many",
        old='f"…AND {_AS_READ} RETURNING id"',
        new="f\"…AND {_AS_READ.replace('rev IS ?', '? IS NOT NULL')} RETURNING id\"",
    ),
    _sqlite(
        name="sqlite: what was half written is not undone",
        within="SqliteTransaction._update_each",
        old='self._cursor.execute("ROLLBACK TO writes")',
        new="",
    ),
    _sqlite(
        name="sqlite: of two writes of one job the last counts",
        within="SqliteTransaction._write_alike",
        old="reversed(places)",
        new="places",
    ),
    _sqlite(
        name="sqlite: all writes of a batch are taken for done",
        within="SqliteTransaction._update_each",
        old="hits == len(rows)",
        new="hits",
    ),
    _connections(
        name="sqlite: all threads share a connection",
        within="SqliteConnections.__init__",
        old="threading.local()",
        new="type('Shared', (), {})()",
    ),
    # The order of claims
    _sqlite(
        name="sqlite: the priority is ignored",
        old='_CLAIM_ORDER = ", ".join(CLAIM_ORDER)',
        new='_CLAIM_ORDER = "created_at, id"',
    ),
    _sqlite(
        name="sqlite: the age is ignored",
        old='_CLAIM_ORDER = ", ".join(CLAIM_ORDER)',
        new='_CLAIM_ORDER = "priority, id"',
    ),
    _sqlite(
        name="sqlite: the newest come first",
        old='_CLAIM_ORDER = ", ".join(CLAIM_ORDER)',
        new='_CLAIM_ORDER = "priority, created_at, id DESC"',
    ),
    _sqlite(
        name="sqlite: the limit is for each type",
        within="SqliteTransaction.ready",
        old="return found[:limit]",
        new="return found",
    ),
    _sqlite(
        name="sqlite: the claim partitions of several types are not ordered together",
        within="SqliteTransaction.ready",
        old="found.sort(key=claim_order)",
        new="pass",
    ),
    _sqlite(
        name="sqlite: the type is ignored",
        old='"ready AND project = ? AND type = ? AND…"',
        new="\"ready AND project = ? AND ? <> '' AND…\"",
    ),
    _sqlite(
        name="sqlite: the project is ignored",
        old='"ready AND project = ? AND…"',
        new="\"ready AND ? <> '' AND…\"",
    ),
    _sqlite(
        name="sqlite: another order keeps the old needs",
        within="SqliteTransaction._update_values",
        old="after.needs",
        new="''",
    ),
    _sqlite(
        name="sqlite: a job from the completed archive has lost its needs",
        within="SqliteTransaction._insert_values",
        old="job.needs",
        new="''",
    ),
    Mutant(
        name="the needs of a claim partition are ignored",
        file="coordination/sql/claim_partitions.py",
        within="partitions_for",
        old="are_met(partition.needs, queue.has)",
        new="True",
        tests=suites.SQLITE,
    ),
    _sqlite(
        name="sqlite: a job that waits again is not ready",
        within="SqliteTransaction._update_values",
        old="is_ready(after)",
        new="False",
    ),
    _sqlite(
        name="sqlite: a claimed job stays ready",
        within="SqliteTransaction._update_values",
        old="is_ready(after)",
        new="True",
    ),
    # What is due
    _sqlite(
        name="sqlite: the due time is not written",
        within="SqliteTransaction._update_values",
        old="self._text(due_at(after))",
        new="None",
    ),
    _sqlite(
        name="sqlite: a sweep goes by id",
        old='"…ORDER BY due_at LIMIT ?"',
        new='"…ORDER BY id LIMIT ?"',
    ),
    _sqlite(
        name="sqlite: what is due just now is left",
        old='"…WHERE due_at <= ? ORDER BY…"',
        new='"…WHERE due_at < ? ORDER BY…"',
    ),
    _sqlite(
        name="sqlite: a look for what is due just now finds nothing",
        old='"…WHERE due_at <= ? LIMIT 1"',
        new='"…WHERE due_at < ? LIMIT 1"',
    ),
    # What is recorded
    _sqlite(
        name="sqlite: attempts are not recorded",
        within="SqliteTransaction.write",
        old="attempts.append(attempt)",
        new="pass",
    ),
    _sqlite(
        name="sqlite: events are not recorded",
        within="SqliteTransaction.record",
        old="self._cursor.executemany(_EVENT, ...)",
        new="",
    ),
    _sqlite(
        name="sqlite: files are not recorded",
        within="SqliteTransaction.record",
        old="self._cursor.executemany(_FILE, ...)",
        new="",
    ),
    _sqlite(
        name="sqlite: revisions do not grow",
        within="_assignments",
        old='"rev = rev + 1"',
        new='"rev = rev"',
    ),
    # Adding, and the archive
    _sqlite(
        name="sqlite: what is added loses its order",
        within="SqliteTransaction.add",
        old="enumerate(new, start=1)",
        new="enumerate(reversed(new), start=1)",
    ),
    _sqlite(
        name="sqlite: a known job is replaced",
        within="SqliteTransaction.add",
        old="known = self.existing([key_of(job) for job in jobs])",
        new="known: dict[JobKey, Job] = {}",
    ),
    _sqlite(
        name="sqlite: the keys of archived jobs are unknown",
        within="SqliteTransaction.existing",
        old="('jobs', 'jobs_archive')",
        new="('jobs',)",
    ),
    _sqlite(
        name="sqlite: archived jobs cannot be changed",
        within="SqliteTransaction.locked",
        old="set(job_ids).difference(found)",
        new="list[JobId]()",
    ),
    _sqlite(
        name="sqlite: an archived job does not come back",
        within="SqliteTransaction._restored",
        old="self._cursor.executemany(_INSERT, ...)",
        new="",
    ),
    _sqlite(
        name="sqlite: an archived job is there twice when it comes back",
        old='f"DELETE FROM jobs_archive WHERE id = ? RETURNING {_ALL}"',
        new='f"SELECT {_ALL} FROM jobs_archive WHERE id = ?"',
    ),
    _sqlite(
        name="sqlite: the ids of archived jobs are given again",
        old="\"…(SELECT seq FROM sqlite_sequence WHERE name = 'jobs')…\"",
        new='"…(SELECT max(id) FROM jobs)…"',
    ),
    _sqlite(
        name="sqlite: a forgotten job leaves its files",
        old="('job_attempts', 'job_events', 'files')",
        new="('job_attempts', 'job_events')",
    ),
    _sqlite(
        name="sqlite: a forgotten job leaves its attempts",
        old="('job_attempts', 'job_events', 'files')",
        new="('job_events', 'files')",
    ),
]
