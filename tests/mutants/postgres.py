"""Bugs in the statements of PostgreSQL, its transactions, its connections and its news."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_statements = partial(Mutant, file="coordination/sql/postgres/statements.py", tests=suites.POSTGRES)
_transaction = partial(Mutant, file="coordination/sql/postgres/transaction.py", tests=suites.POSTGRES)
_driver = partial(Mutant, file="coordination/sql/postgres/driver.py", tests=suites.FAULTS)
_wakeup = partial(Mutant, file="coordination/sql/postgres/wakeup.py", tests=suites.NEWS + suites.FAULTS)
_line = partial(Mutant, tests=suites.LINE)
_notify = partial(Mutant, file="coordination/sql/postgres/debounced_notify.py", tests=suites.BELL)

STATEMENTS = [
    _statements(
        name="postgres: a job comes back from the archive as ready",
        old="SELECT {_ALL}, FALSE FROM back",
        new="SELECT {_ALL}, TRUE FROM back",
    ),
    # Locks
    _statements(
        name="postgres: who takes does not lock",
        old='"ORDER BY priority, created_at, id LIMIT %s FOR UPDATE SKIP LOCKED"',
        new='"ORDER BY priority, created_at, id LIMIT %s"',
    ),
    _statements(
        name="postgres: who takes waits for others",
        old='"ORDER BY priority, created_at, id LIMIT %s FOR UPDATE SKIP LOCKED"',
        new='"ORDER BY priority, created_at, id LIMIT %s FOR UPDATE"',
    ),
    _statements(
        name="postgres: who sweeps does not lock",
        old="ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED",
        new="ORDER BY due_at LIMIT %s",
    ),
    _statements(
        name="postgres: who sweeps waits for others",
        old="ORDER BY due_at LIMIT %s FOR UPDATE SKIP LOCKED",
        new="ORDER BY due_at LIMIT %s FOR UPDATE",
    ),
    _statements(
        name="postgres: a forgotten job leaves its files",
        old='("job_attempts", "job_events", "files", "job_leases")',
        new='("job_attempts", "job_events", "job_leases")',
    ),
    _statements(
        name="postgres: a forgotten job leaves its lease",
        old='("job_attempts", "job_events", "files", "job_leases")',
        new='("job_attempts", "job_events", "files")',
    ),
    _statements(name="postgres: who changes does not lock", old="ORDER BY id FOR UPDATE", new="ORDER BY id"),
    _statements(
        name="postgres: the share lock of a renewal is missing",
        old="jobs.rev = new.rev FOR SHARE)",
        new="jobs.rev = new.rev)",
    ),
    # Fencing
    _statements(
        name="postgres: the revision of one is not compared",
        old="WHERE id = %s AND rev = %s",
        new="WHERE id = %s AND %s::bigint IS NOT NULL",
    ),
    _statements(
        name="postgres: the revision of equals is not compared",
        old="WHERE id = ANY(%s) AND rev = %s RETURNING id",
        new="WHERE id = ANY(%s) AND %s::bigint IS NOT NULL RETURNING id",
    ),
    _statements(
        name="postgres: the revision of many is not compared",
        old="AND jobs.rev = {rev} RETURNING jobs.id",
        new="AND {rev}::bigint IS NOT NULL RETURNING jobs.id",
    ),
    _statements(
        name="postgres: the revision of a renewal is not compared",
        old="WHERE jobs.id = new.id AND jobs.rev = new.rev FOR SHARE",
        new="WHERE jobs.id = new.id FOR SHARE",
    ),
    _statements(
        name="postgres: a renewal keeps the number of an older lease",
        old="DO UPDATE SET lease_number = excluded.lease_number, expires_at",
        new="DO UPDATE SET expires_at",
    ),
    _statements(
        name="postgres: what people change hides behind a renewal",
        old="UPDATE job_leases SET expires_at = %s, renewed_at = %s WHERE job_id = %s AND lease_number = %s",
        new="UPDATE job_leases SET expires_at = %s, renewed_at = %s WHERE job_id = -%s AND lease_number = %s",
    ),
    # The line
    _statements(
        name="postgres: the priority is ignored",
        old='"ORDER BY priority, created_at, id LIMIT %s FOR',
        new='"ORDER BY created_at, id LIMIT %s FOR',
    ),
    _statements(
        name="postgres: the age is ignored",
        old='"ORDER BY priority, created_at, id LIMIT %s FOR',
        new='"ORDER BY priority, id LIMIT %s FOR',
    ),
    _statements(
        name="postgres: the type is ignored",
        old='f"SELECT {_ALL} FROM jobs WHERE ready AND project = %s AND type = %s AND',
        new="f\"SELECT {_ALL} FROM jobs WHERE ready AND project = %s AND %s <> '' AND",
    ),
    _statements(
        name="postgres: another order keeps the old needs",
        file="coordination/sql/postgres/transaction.py",
        old="        columns.append([job.needs for job in jobs])\n",
        new="        columns.append(['' for job in jobs])\n",
    ),
    _statements(
        name="postgres: a job from the archive has lost its needs",
        file="coordination/sql/postgres/transaction.py",
        old="            if job.needs:\n",
        new="            if not job:\n",
    ),
    _statements(
        name="postgres: a sweep goes by id",
        old="due_at <= %s ORDER BY due_at LIMIT %s FOR",
        new="due_at <= %s ORDER BY id LIMIT %s FOR",
    ),
    _statements(
        name="postgres: what is due just now is left",
        old="due_at <= %s ORDER BY due_at LIMIT %s FOR",
        new="due_at < %s ORDER BY due_at LIMIT %s FOR",
    ),
    _statements(
        name="postgres: renewed leases stay at the head of the sweep",
        old="UPDATE jobs SET due_at = new.due_at FROM unnest",
        new="UPDATE jobs SET due_at = jobs.due_at FROM unnest",
    ),
    # What is recorded
    _statements(
        name="postgres: an attempt is recorded though its end failed",
        old='for type_ in _ATTEMPT_ARRAYS)} FROM done"',
        new='for type_ in _ATTEMPT_ARRAYS)}"',
    ),
    _statements(
        name="postgres: attempts are recorded though their ends failed",
        old="AS attempt ({names}) WHERE job_id IN (SELECT id FROM done)",
        new="AS attempt ({names})",
    ),
    # Adding, and the archive
    _statements(
        name="postgres: what is added loses its order",
        old="{_IF_NEW} ORDER BY place {_ONCE}",
        new="{_IF_NEW} ORDER BY new.source_hash {_ONCE}",
    ),
    _statements(
        name="postgres: a known job is overwritten",
        old="DO NOTHING RETURNING id",
        new="DO UPDATE SET priority = excluded.priority RETURNING id",
    ),
    _statements(
        name="postgres: the keys of archived jobs are unknown",
        old="AS old WHERE old.source_hash = new.source_hash ",
        new="AS old WHERE FALSE AND old.source_hash = new.source_hash ",
    ),
    _statements(
        name="postgres: an archived key is of all projects",
        old="AND old.type = new.type AND old.project = new.project)",
        new="AND old.type = new.type)",
    ),
    _statements(
        name="postgres: an archived job is not found when it is added again",
        old='for table in ("jobs", "jobs_archive")\n',
        new='for table in ("jobs",)\n',
    ),
    _statements(
        name="postgres: an archived job is there twice when it comes back",
        old="WITH back AS (DELETE FROM jobs_archive WHERE id = ANY(%s) RETURNING {_ALL}) ",
        new="WITH back AS (SELECT {_ALL} FROM jobs_archive WHERE id = ANY(%s)) ",
    ),
]

TRANSACTION = [
    _transaction(
        name="postgres: a sweep does not know of renewals",
        old="return self._with_leases([",
        new="return list([",
    ),
    _transaction(
        name="postgres: who changes does not know of renewals",
        old="found = self._with_leases([",
        new="found = list([",
    ),
    _transaction(
        name="postgres: who adds does not know of renewals",
        old="for job in self._with_leases(found)}",
        new="for job in found}",
    ),
    _transaction(
        name="postgres: a renewal of an older lease counts",
        old="renewed.get((job.id, job.lease_number))",
        new="next((times for (job_id, _), times in renewed.items() if job_id == job.id), None)",
    ),
    _transaction(
        name="postgres: of two writes of one job the last counts",
        old="for place in reversed(places)}",
        new="for place in places}",
    ),
    _transaction(name="postgres: the limit is for each type", old="return found[:limit]", new="return found"),
    _transaction(
        name="postgres: several types are several lines",
        old='            found.sort(key=attrgetter("priority", "created_at", "id"))\n',
        new="            pass\n",
    ),
    _transaction(
        name="postgres: a job that waits again is not ready",
        old="columns += [list(map(is_ready, jobs)), ",
        new="columns += [[False] * len(jobs), ",
    ),
    _transaction(
        name="postgres: the due time is not written",
        old="list(map(is_ready, jobs)), list(map(due_at, jobs))]",
        new="list(map(is_ready, jobs)), [None] * len(jobs)]",
    ),
    _transaction(
        name="postgres: events are not recorded",
        old="        self._record(statements.EVENT, [(rev, *event) for rev, event in events])\n",
        new="",
    ),
    _transaction(
        name="postgres: the attempt of a single end is not recorded",
        old="update_one(shape, ends_an_attempt=attempt is not None)\n"
        "            self._cursor.execute(update, (*_values(after, shape), before.id, before.rev, *(attempt or ())))",
        new="update_one(shape, ends_an_attempt=False)\n"
        "            self._cursor.execute(update, (*_values(after, shape), before.id, before.rev))",
    ),
    _transaction(
        name="postgres: different ends are recorded as alike",
        old="if len(ended) == len(attempts) and not any(map(differ, columns[1:])):",
        new="if len(ended) == len(attempts):",
    ),
    _transaction(
        name="postgres: a job that comes back rings nobody",
        old="                    self.news.append(after)\n",
        new="                    pass\n",
        tests=suites.NEWS,
    ),
    _transaction(
        name="postgres: a new job rings nobody",
        old="        self.news.extend(new.values())\n",
        new="",
        tests=suites.NEWS,
    ),
]

DRIVER = [
    _driver(
        name="postgres: news comes before the commit",
        old="            _commit(cursor)\n        if transaction.news:",
        new="            if transaction.news:\n                self._notify.notify()\n            _commit(cursor)\n"
        "        if transaction.news:",
        tests=suites.NEWS,
    ),
    _driver(
        name="postgres: a commit without a reply is made again",
        old="    except psycopg.OperationalError as error:\n        # The reply",
        new="    except ZeroDivisionError as error:\n        # The reply",
    ),
    _driver(
        name="postgres: a deadlock is not tried again",
        old="errors.DeadlockDetected | errors.SerializationFailure",
        new="errors.SerializationFailure",
    ),
    _driver(
        name="postgres: a cut is not tried again",
        old="if is_cut or isinstance(",
        new="if isinstance(",
    ),
    _driver(
        name="postgres: a fault is committed",
        old='                    cursor.execute("ROLLBACK")',
        new='                    cursor.execute("COMMIT")',
        tests=suites.POSTGRES,
    ),
    _driver(
        name="postgres: a connection is never given back",
        old="        finally:\n            connection.close()",
        new="        finally:\n            connection.detach()",
        tests=suites.POSTGRES + suites.FAULTS,
    ),
]

NEWS = [
    _wakeup(
        name="postgres: a listener that is back does not ring",
        old="                        wait = FIRST_WAIT_SECONDS\n                        self._tell()\n",
        new="                        wait = FIRST_WAIT_SECONDS\n",
    ),
    _wakeup(
        name="postgres: a listener that was cut off does not come back",
        old="            connection.close()\n            self._connection = None\n            return False",
        new="            connection.close()\n            self._closed.set()\n            return False",
    ),
    _wakeup(
        name="postgres: a listener does not listen",
        old="        connection.execute(statements.LISTEN)\n",
        new="",
    ),
    _wakeup(
        name="postgres: a listener begins late",
        old="self._connection = self._try_to_connect()\n        self._thread",
        new="self._connection: psycopg.Connection[Any] | None = None\n        self._thread",
    ),
    _wakeup(
        name="postgres: closing does not wake the listener",
        old='            os.write(self._wake_to, b".")\n',
        new="",
    ),
    _notify(
        name="postgres: what comes while it is quiet rings nobody",
        old="                self._later.start()\n",
        new="",
    ),
    _notify(
        name="postgres: closing rings for nobody",
        old="            later.cancel()\n            self._ring_now()\n",
        new="            later.cancel()\n",
    ),
    _notify(
        name="postgres: the bell rings for each",
        old="                self._rung_at = time.monotonic()\n",
        new="",
    ),
    _notify(
        name="postgres: closing does not wait for who rings",
        old='        with self._ringing:\n            """Whoever rings has ended."""',
        new='        """Whoever rings goes on."""',
    ),
    _notify(
        name="postgres: a bell that cannot ring is an error",
        old="            except StoreUnavailable:\n",
        new="            except NotImplementedError:\n",
    ),
]

LINE = [
    _line(
        name="postgres: a cursor is kept for ever",
        file="coordination/sql/postgres/claim_cursor.py",
        old="return known.behind if known is not None and self._clock() < known.until else None",
        new="return known.behind if known is not None else None",
    ),
    _line(
        name="postgres: a cursor does not move back for what comes before it",
        file="coordination/sql/postgres/claim_cursor.py",
        old="(place := position_of(job)) <= known.behind:",
        new="(place := position_of(job)) > known.behind:",
    ),
    _line(
        name="postgres: urgent jobs before the frontier are passed over",
        file="coordination/sql/postgres/statements.py",
        old="{_LINE} priority < %(priority)s {_TURN}",
        new="{_LINE} priority < %(priority)s - 9 {_TURN}",
    ),
    _line(
        name="postgres: a look from the frontier that gave too little is enough",
        file="coordination/sql/postgres/transaction.py",
        old="            if len(found) == limit:\n                self._cursors",
        new="            if found:\n                self._cursors",
    ),
    _transaction(
        name="postgres: ids of new jobs are given to known ones",
        file="coordination/sql/postgres/adding.py",
        old="    if len(ids) == len(jobs):\n",
        new="    if ids:\n        ids += [None] * (len(jobs) - len(ids))\n",
    ),
    _transaction(
        name="postgres: jobs that differ in a value are copied as alike",
        file="coordination/sql/postgres/adding.py",
        old="return column.count(column[0]) != len(column)",
        new="return column.count(column[0]) == 1",
    ),
]
