"""Bugs in the statements of SQLite and in its transactions."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_sqlite = partial(Mutant, file="coordination/sql/sqlite.py", tests=suites.SQLITE)

SQLITE = [
    # Locks and transactions
    _sqlite(
        name="sqlite: a transaction is deferred",
        old='cursor.execute("BEGIN IMMEDIATE")',
        new='cursor.execute("BEGIN DEFERRED")',
    ),
    _sqlite(
        name="sqlite: a fault is committed",
        old='                    cursor.execute("ROLLBACK")',
        new='                    cursor.execute("COMMIT")',
    ),
    _sqlite(
        name="sqlite: a fault leaves the transaction open",
        old='                    cursor.execute("ROLLBACK")',
        new="                    pass",
    ),
    _sqlite(
        name="sqlite: the revision of one is not compared",
        old="WHERE id = ? AND rev = ?",
        new="WHERE id = ? AND ? IS NOT NULL",
    ),
    _sqlite(
        name="sqlite: the revision of many is not compared",
        old="AND rev = ? RETURNING id",
        new="AND ? IS NOT NULL RETURNING id",
    ),
    _sqlite(
        name="sqlite: what was half written is not undone",
        old='        self._cursor.execute("ROLLBACK TO writes")\n',
        new="",
    ),
    _sqlite(
        name="sqlite: of two writes of one job the last counts",
        old="for place in reversed(places)}",
        new="for place in places}",
    ),
    _sqlite(
        name="sqlite: all writes of a batch are taken for done",
        old="        if hits == len(rows):\n",
        new="        if hits:\n",
    ),
    _sqlite(
        name="sqlite: all threads share a connection",
        old="self._local = threading.local()\n        self._lock",
        new='self._local = type("Shared", (), {})()\n        self._lock',
    ),
    # The line
    _sqlite(
        name="sqlite: the priority is ignored",
        old="ORDER BY priority, created_at, id LIMIT ?",
        new="ORDER BY created_at, id LIMIT ?",
    ),
    _sqlite(
        name="sqlite: the age is ignored",
        old="ORDER BY priority, created_at, id LIMIT ?",
        new="ORDER BY priority, id LIMIT ?",
    ),
    _sqlite(
        name="sqlite: the newest come first",
        old="ORDER BY priority, created_at, id LIMIT ?",
        new="ORDER BY priority, created_at, id DESC LIMIT ?",
    ),
    _sqlite(name="sqlite: the limit is for each type", old="return found[:limit]", new="return found"),
    _sqlite(
        name="sqlite: several types are several lines",
        old="            found.sort(key=lambda job: (job.priority, job.created_at, job.id))\n",
        new="            pass\n",
    ),
    _sqlite(
        name="sqlite: the type is ignored",
        old='_LINE = "ready AND project = ? AND type = ? AND',
        new="_LINE = \"ready AND project = ? AND ? <> '' AND",
    ),
    _sqlite(
        name="sqlite: the project is ignored",
        old='_LINE = "ready AND project = ? AND type',
        new="_LINE = \"ready AND ? <> '' AND type",
    ),
    _sqlite(
        name="sqlite: another order keeps the old needs",
        old="            values.append(after.needs)\n",
        new="            values.append('')\n",
    ),
    _sqlite(
        name="sqlite: a job from the archive has lost its needs",
        old="self._text(due_at(job)), job.needs)",
        new="self._text(due_at(job)), '')",
    ),
    Mutant(
        name="the needs of a line are ignored",
        file="coordination/sql/claim_partitions.py",
        old="            if are_met(line.needs, queue.has):\n",
        new="            if line:\n",
        tests=suites.SQLITE,
    ),
    _sqlite(
        name="sqlite: a job that waits again is not ready",
        old="values += (is_ready(after), ",
        new="values += (False, ",
    ),
    _sqlite(name="sqlite: a claimed job stays ready", old="values += (is_ready(after), ", new="values += (True, "),
    # What is due
    _sqlite(
        name="sqlite: the due time is not written",
        old="(is_ready(after), self._text(due_at(after)))",
        new="(is_ready(after), None)",
    ),
    _sqlite(name="sqlite: a sweep goes by id", old="ORDER BY due_at LIMIT ?", new="ORDER BY id LIMIT ?"),
    _sqlite(
        name="sqlite: what is due just now is left",
        old="WHERE due_at <= ? ORDER BY",
        new="WHERE due_at < ? ORDER BY",
    ),
    _sqlite(
        name="sqlite: a look for what is due just now finds nothing",
        old="WHERE due_at <= ? LIMIT 1",
        new="WHERE due_at < ? LIMIT 1",
    ),
    # What is recorded
    _sqlite(
        name="sqlite: attempts are not recorded",
        old="                    attempts.append(attempt)\n",
        new="                    pass\n",
    ),
    _sqlite(name="sqlite: events are not recorded", old="        if events:\n", new="        if not events:\n"),
    _sqlite(name="sqlite: files are not recorded", old="        if files:\n", new="        if not files:\n"),
    _sqlite(
        name="sqlite: revisions do not grow",
        old='for name in changed_columns(shape)) + "rev = rev + 1"',
        new='for name in changed_columns(shape)) + "rev = rev"',
    ),
    # Adding, and the archive
    _sqlite(
        name="sqlite: what is added loses its order",
        old="in enumerate(new, start=1)]",
        new="in enumerate(reversed(new), start=1)]",
    ),
    _sqlite(
        name="sqlite: a known job is replaced",
        old="        known = self.existing([key_of(job) for job in jobs])\n",
        new="        known: dict[JobKey, Job] = {}\n",
    ),
    _sqlite(
        name="sqlite: the keys of archived jobs are unknown",
        old='for table in ("jobs", "jobs_archive"):',
        new='for table in ("jobs",):',
    ),
    _sqlite(
        name="sqlite: archived jobs cannot be changed",
        old="for missing in set(job_ids).difference(found):",
        new="for missing in list[JobId]():",
    ),
    _sqlite(
        name="sqlite: an archived job does not come back",
        old="        self._cursor.executemany(_INSERT, [self._insert_values(job) for job in jobs])\n"
        "        return jobs",
        new="        return jobs",
    ),
    _sqlite(
        name="sqlite: an archived job is there twice when it comes back",
        old='_FROM_ARCHIVE = f"DELETE FROM jobs_archive WHERE id = ? RETURNING {_ALL}"',
        new='_FROM_ARCHIVE = f"SELECT {_ALL} FROM jobs_archive WHERE id = ?"',
    ),
    _sqlite(
        name="sqlite: the ids of archived jobs are given again",
        old="SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'jobs'), 0)",
        new="SELECT coalesce((SELECT max(id) FROM jobs), 0)",
    ),
    _sqlite(
        name="sqlite: a forgotten job leaves its files",
        old='("job_attempts", "job_events", "files"))',
        new='("job_attempts", "job_events"))',
    ),
    _sqlite(
        name="sqlite: a forgotten job leaves its attempts",
        old='("job_attempts", "job_events", "files"))',
        new='("job_events", "files"))',
    ),
]
