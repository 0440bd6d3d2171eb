"""Bugs in the transactions of PostgreSQL, its connections, its wake-ups and its claim cursors."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_transaction = partial(Mutant, file="coordination/sql/postgres/transaction.py", tests=suites.POSTGRES)
_driver = partial(Mutant, file="coordination/sql/postgres/driver.py", tests=suites.FAULTS)
_wakeup = partial(Mutant, file="coordination/sql/postgres/wakeup.py", tests=suites.LISTEN_WAKEUP + suites.FAULTS)
_cursor = partial(Mutant, tests=suites.CLAIM_CURSOR)
_notify = partial(Mutant, file="coordination/sql/postgres/debounced_notify.py", tests=suites.NOTIFY)

TRANSACTION = [
    _transaction(
        name="postgres: a sweep does not know of renewals",
        within="PostgresTransaction.due",
        old="self._with_leases(...)",
        new="list(...)",
    ),
    _transaction(
        name="postgres: a change does not know of renewals",
        within="PostgresTransaction.locked",
        old="self._with_leases(...)",
        new="list(...)",
    ),
    _transaction(
        name="postgres: adding does not know of renewals",
        within="PostgresTransaction.existing",
        old="self._with_leases(found)",
        new="found",
    ),
    _transaction(
        name="postgres: a renewal of an older lease counts",
        within="PostgresTransaction._with_leases",
        old="renewed.get((job.id, job.lease_number))",
        new="next((times for (job_id, _), times in renewed.items() if job_id == job.id), None)",
    ),
    _transaction(
        name="postgres: of two writes of one job the last counts",
        within="_first_places",
        old="reversed(places)",
        new="places",
    ),
    _transaction(
        name="postgres: the limit is for each type",
        within="PostgresTransaction.ready",
        old="return found[:limit]",
        new="return found",
    ),
    _transaction(
        name="postgres: the claim partitions of several types are not ordered together",
        within="PostgresTransaction.ready",
        old="found.sort(key=claim_order)",
        new="pass",
    ),
    _transaction(
        name="postgres: a job that waits again is not ready",
        within="_columns",
        old="list(map(is_ready, jobs))",
        new="[False] * len(jobs)",
    ),
    _transaction(
        name="postgres: the due time is not written",
        within="_columns",
        old="list(map(due_at, jobs))",
        new="[None] * len(jobs)",
    ),
    _transaction(
        name="postgres: events are not recorded",
        within="PostgresTransaction.record",
        old="self._record(statements.EVENT, ...)",
        new="",
    ),
    _transaction(
        name="postgres: the attempt of a single end is not recorded",
        within="PostgresTransaction._update",
        old="""
            update = statements.update_one(shape, ends_an_attempt=attempt is not None)
            self._cursor.execute(update, (*_values(after, shape), before.id, *_as_read(before), *(attempt or ())))
        """,
        new="""
            update = statements.update_one(shape, ends_an_attempt=False)
            self._cursor.execute(update, (*_values(after, shape), before.id, *_as_read(before)))
        """,
    ),
    _transaction(
        name="postgres: different ends are recorded as alike",
        within="_ended_attempts",
        old="len(ended) == len(attempts) and not any(...)",
        new="len(ended) == len(attempts)",
    ),
    _transaction(
        name="postgres: a job that comes back sends no NOTIFY",
        within="PostgresTransaction.write",
        old="self.ready_jobs.append(after)",
        new="pass",
        tests=suites.LISTEN_WAKEUP,
    ),
    _transaction(
        name="postgres: a new job sends no NOTIFY",
        within="PostgresTransaction.add",
        old="self.ready_jobs.extend(filter(is_ready, new.values()))",
        new="",
        tests=suites.LISTEN_WAKEUP,
    ),
]

DRIVER = [
    _driver(
        name="postgres: NOTIFY is sent before the commit",
        within="PostgresDriver.transaction",
        old="""
            with self._cursor() as cursor:
                ...
                _commit(cursor)
            if transaction.ready_jobs:
                ...
                self._notify.notify()
        """,
        new="""
            with self._cursor() as cursor:
                ...
                if transaction.ready_jobs:
                    self._notify.notify()
                _commit(cursor)
            if transaction.ready_jobs:
                ...
                self._notify.notify()
        """,
        tests=suites.LISTEN_WAKEUP,
    ),
    _driver(
        name="postgres: a commit without a reply is made again",
        within="_commit",
        old="psycopg.OperationalError",
        new="ZeroDivisionError",
    ),
    _driver(
        name="postgres: a deadlock is not tried again",
        within="PostgresDriver._cursor",
        old="errors.DeadlockDetected | errors.SerializationFailure",
        new="errors.SerializationFailure",
    ),
    _driver(
        name="postgres: a cut is not tried again",
        within="PostgresDriver._cursor",
        old="is_cut or isinstance(...)",
        new="isinstance(...)",
    ),
    _driver(
        name="postgres: a fault is committed",
        within="PostgresDriver.transaction",
        old='"ROLLBACK"',
        new='"COMMIT"',
        tests=suites.POSTGRES,
    ),
    _driver(
        name="postgres: a connection is never given back",
        within="PostgresDriver._cursor",
        old="connection.close()",
        new="connection.detach()",
        tests=suites.POSTGRES + suites.FAULTS,
    ),
]

WAKEUP = [
    _wakeup(
        name="postgres: a listener that is back wakes nobody",
        within="ListenSubscription._listen",
        old="""
            wait = FIRST_WAIT_SECONDS
            self._call_listener()
        """,
        new="wait = FIRST_WAIT_SECONDS",
    ),
    _wakeup(
        name="postgres: a listener that was cut off does not come back",
        within="ListenSubscription._wait_for_notify",
        old="""
            connection.close()
            self._connection = None
            return False
        """,
        new="""
            connection.close()
            self._closed.set()
            return False
        """,
    ),
    _wakeup(
        name="postgres: a listener does not listen",
        within="ListenWakeup._connect",
        old="connection.execute(statements.LISTEN)",
        new="",
    ),
    _wakeup(
        name="postgres: a listener begins late",
        within="ListenSubscription.__init__",
        old="self._connection = self._try_to_connect()",
        new="self._connection: psycopg.Connection[Any] | None = None",
    ),
    _wakeup(
        name="postgres: closing does not wake the listener",
        within="ListenSubscription.close",
        old='os.write(self._wake_to, b".")',
        new="",
    ),
    _notify(
        name="postgres: a NOTIFY that is debounced is never sent",
        within="DebouncedNotify.notify",
        old="self._runtime.thread(partial(self._send_after, wait, self._pending), name='notify').start()",
        new="",
    ),
    _notify(
        name="postgres: closing drops the pending NOTIFY",
        within="DebouncedNotify.close",
        old="self._send_now()",
        new="",
    ),
    _notify(
        name="postgres: NOTIFY is not debounced",
        within="DebouncedNotify._send_now",
        old="self._sent_at = self._runtime.monotonic()",
        new="",
    ),
    _notify(
        name="postgres: closing does not wait for a NOTIFY that is being sent",
        within="DebouncedNotify.close",
        old="""
            with self._sending:
                ...
        """,
        new="",
    ),
    _notify(
        name="postgres: a NOTIFY that cannot be sent is an error",
        within="DebouncedNotify._send_now",
        old="StoreUnavailable",
        new="NotImplementedError",
    ),
]

CLAIM_CURSOR = [
    _cursor(
        name="postgres: a claim cursor is kept for ever",
        file="coordination/sql/postgres/claim_cursor.py",
        within="ClaimCursors.position",
        old="cursor is not None and self._clock() < cursor.until",
        new="cursor is not None",
    ),
    _cursor(
        name="postgres: a claim cursor does not move back for what comes before it",
        file="coordination/sql/postgres/claim_cursor.py",
        within="ClaimCursors.rewind_for",
        old="(position := position_of(job)) <= cursor.after",
        new="(position := position_of(job)) > cursor.after",
    ),
    _cursor(
        name="postgres: urgent jobs before the claim cursor are passed over",
        file="coordination/sql/postgres/statements.py",
        old='"…priority < %(priority)s…"',
        new='"…priority < %(priority)s - 9…"',
    ),
    _cursor(
        name="postgres: a scan from the claim cursor that found too little is enough",
        file="coordination/sql/postgres/transaction.py",
        within="PostgresTransaction._ready",
        old="len(found) == limit",
        new="found",
    ),
    _transaction(
        name="postgres: ids of new jobs are given to known ones",
        file="coordination/sql/postgres/adding.py",
        within="_add_by_copy",
        old="""
            if len(ids) == len(jobs):
                return ids
        """,
        new="""
            if ids:
                ids += [None] * (len(jobs) - len(ids))
                return ids
        """,
    ),
    _transaction(
        name="postgres: jobs that differ in a value are copied as alike",
        file="coordination/sql/postgres/adding.py",
        within="differ",
        old="return column.count(column[0]) != len(column)",
        new="return column.count(column[0]) == 1",
    ),
]
