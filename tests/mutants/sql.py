"""Bugs in what the two databases share: moves, rows, the store and the archive."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_moves = partial(Mutant, file="coordination/sql/transitions.py", tests=suites.SQLITE)
_codec = partial(Mutant, file="coordination/sql/codec.py", tests=suites.SQLITE)
_store = partial(Mutant, file="coordination/sql/store.py", tests=suites.SQLITE)
_archive = partial(Mutant, file="coordination/sql/completed_archive.py", tests=suites.SQLITE)
_wakeup = partial(Mutant, file="coordination/sql/wakeup.py", tests=suites.FILE_NEWS)

MOVES = [
    _moves(
        name="a move is made on what the mover saw",
        old="after = _try(move.change, current)",
        new="after = _try(move.change, move.seen._replace(rev=current.rev))",
    ),
    _moves(
        name="files are recorded though the move failed",
        old="        if move.files and isinstance(outcome, Job):\n"
        "            self._files.extend(FileRow(outcome.id, record, outcome.updated_at) for record in move.files)",
        new="        self._files.extend(FileRow(move.seen.id, record, move.seen.updated_at) for record in move.files)",
    ),
    _moves(
        name="events are not recorded",
        old="                self._events.append(EventRow(after.rev, event))\n",
        new="                pass\n",
    ),
    _moves(
        name="attempts are not recorded",
        old="attempt_of(before, after) if before.state is State.RUNNING else None",
        new="None",
    ),
    _moves(
        name="nothing is recorded at the end",
        old="self._transaction.record(events=self._events, files=self._files)",
        new="pass",
    ),
]

CODEC = [
    _codec(
        name="the end of a wait is not written",
        old="return job.lease_expires_at or job.available_at",
        new="return job.lease_expires_at",
    ),
    _codec(
        name="the end of a lease is not written",
        old="return job.lease_expires_at or job.available_at",
        new="return job.available_at",
    ),
    _codec(
        name="a running job stays in the line",
        old="return job.state is State.PENDING",
        new="return job.state in (State.PENDING, State.RUNNING)",
    ),
]

STORE = [
    _store(
        name="a sweep does not look behind renewed leases",
        old="offered = transaction.due(now=now, limit=room) if renewed and room > 0 else []",
        new="offered = []",
    ),
    _store(
        name="renewed leases stay at the head of the sweep",
        old="                transaction.postpone(renewed)\n",
        new="",
    ),
    _store(
        name="a sweep that finds little goes over its limit",
        old="room = limit - len(changed)",
        new="room = limit",
    ),
    _store(name="an idle worker takes the write lock", old="if not self._driver.has_due(now):", new="if limit < 0:"),
    _store(
        name="an idle claim takes the write lock",
        old="(take is None or queue is None or not self._driver.has_ready(queue))",
        new="(take is None or queue is None)",
    ),
    _store(
        name="a key that comes twice is created twice",
        old="created=new.pop(key, None) is not None",
        new="created=key in new",
    ),
    _store(
        name="pages begin with the oldest",
        old="order_by(source.jobs.id.desc()).limit(limit)",
        new="order_by(source.jobs.id).limit(limit)",
    ),
    _store(
        name="a page begins with the last of the one before",
        old="source.jobs.id < after",
        new="source.jobs.id <= after",
    ),
    _store(
        name="what is archived is not found",
        old="_JOB_SOURCES = (JobSource(_jobs, select(*(_jobs[name] for name in JOB_COLUMNS))), _ARCHIVE)",
        new="_JOB_SOURCES = (JobSource(_jobs, select(*(_jobs[name] for name in JOB_COLUMNS))),)",
    ),
    _store(
        name="what is archived is not listed as completed",
        old="wanted.state in (None, State.COMPLETED) and",
        new="wanted.state is None and",
    ),
    _store(
        name="a job that changed is forgotten",
        old="for job in there.values() if job.rev == seen[job.id].rev]",
        new="for job in there.values()]",
    ),
    _store(
        name="a job that is not at its end is forgotten",
        old="for job in jobs if job.state in FINAL_STATES}",
        new="for job in jobs}",
    ),
    _store(
        name="a hash is found in every project",
        old="source.select.where(source.jobs.project == project, within)",
        new="source.select.where(within)",
    ),
    _store(
        name="jobs of all projects are counted",
        old="return grouped if project is None else grouped.where(source.jobs.project == project)",
        new="return grouped",
    ),
    _store(
        name="what is renewed shows the end of an older lease",
        old="_leases.lease_number == _jobs.lease_number, ",
        new="",
        tests=suites.POSTGRES,
    ),
    _store(
        name="what has ended shows the end of its lease",
        old=", _jobs.status == State.RUNNING.value\n",
        new="\n",
        tests=suites.POSTGRES,
    ),
    Mutant(
        name="a step that was disturbed is not tried again",
        file="coordination/sql/database_errors.py",
        old="TRIES = 8",
        new="TRIES = 1",
        tests=suites.FAULTS,
    ),
    Mutant(
        name="a step is not tried as often as connections may be cut",
        file="coordination/sql/database_errors.py",
        old="TRIES = 8",
        new="TRIES = 3",
        tests=suites.FAULTS,
    ),
]

ARCHIVE = [
    _archive(
        name="the archive forgets",
        old="    connection.execute(insert(_archive).from_select(JOB_COLUMNS, old))\n"
        "    is_archived = select(_archive.c.id).where(_archive.c.id == _jobs.id).exists()\n"
        "    moved = connection.execute(delete(tables.jobs).where(*stretch, is_archived)).rowcount",
        new="    assert insert and old is not None\n"
        "    moved = connection.execute(delete(tables.jobs).where(*stretch, *is_old)).rowcount",
    ),
    _archive(
        name="the archive takes nothing in",
        old="        first, last = self._next, self._next + stretch\n",
        new="        first, last = self._next, self._next + stretch\n        return 0\n",
    ),
    _archive(name="the archive takes the young", old=", _jobs.updated_at < completed_before)", new=",)"),
    _archive(
        name="the archive takes what ended just now",
        old="_jobs.updated_at < completed_before",
        new="_jobs.updated_at <= completed_before",
    ),
    _archive(
        name="the archive takes what is still to be done",
        old="(_jobs.status == State.COMPLETED.value, ",
        new="(",
    ),
    _archive(
        name="the archive goes round once only",
        old="self._next = 0 if newest is None or last >= newest else last",
        new="self._next = last",
    ),
    _archive(
        name="the archive never goes further than the first stretch",
        old="self._next = 0 if newest is None or last >= newest else last",
        new="self._next = 0",
    ),
    _archive(
        name="the archive lets others write between its steps",
        old='    connection.exec_driver_sql("LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE")\n',
        new="",
        tests=suites.POSTGRES,
    ),
    _archive(
        name="the leases of archived jobs stay",
        old="        _forget_leases(connection, first, last)\n",
        new="        pass\n",
        tests=suites.POSTGRES,
    ),
    _archive(
        name="the archive forgets the leases of others",
        old="leases.job_id <= last, ~is_known)",
        new="leases.job_id <= last)",
        tests=suites.POSTGRES,
    ),
]

FILE_WAKEUP = [
    _wakeup(
        name="the log of the database is not watched",
        old='(Path(f"{database}-wal"), database)',
        new="(database,)",
    ),
    _wakeup(
        name="what happens right after subscribing is missed",
        old="        while not self._closed.wait(self._look_every_seconds):\n",
        new="        self._seen = self._look()\n        while not self._closed.wait(self._look_every_seconds):\n",
    ),
    _wakeup(
        name="a closed subscription rings",
        old="        if threading.current_thread() is not self._thread:\n            self._thread.join()",
        new="        self._listener()",
    ),
]
