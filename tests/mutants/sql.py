"""Bugs in what the two databases share: transitions, rows, the store, the completed archive and its wake-ups."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_transitions = partial(Mutant, file="coordination/sql/transitions.py", tests=suites.SQLITE)
_codec = partial(Mutant, file="coordination/sql/codec.py", tests=suites.SQLITE)
_ready = partial(Mutant, file="domain/job.py", tests=suites.SQLITE)
_store = partial(Mutant, file="coordination/sql/store.py", tests=suites.SQLITE)
_stretches = partial(Mutant, file="coordination/sql/stretches.py", tests=suites.SQLITE)
_sources = partial(Mutant, file="coordination/sql/job_sources.py", tests=suites.SQLITE)
_archive = partial(Mutant, file="coordination/sql/completed_archive.py", tests=suites.SQLITE)
_wakeup = partial(Mutant, file="coordination/sql/wakeup.py", tests=suites.FILE_WAKEUP)

_HOLDING = ("rev", "state", "worker_id", "lease_number", "attempts", "max_attempts")
_TOLD = ("available_at", "started_at", "error_code", "last_error")

TRANSITIONS = [
    _transitions(
        name="a transition is made on what its caller saw",
        within="TransitionBatch._apply_to_rows",
        old="""
            seen, change, _ = transitions[place]
            current = rows.get(seen.id)
        """,
        new="""
            seen, change, _ = transitions[place]
            current = rows.get(seen.id) and seen._replace(rev=rows[seen.id].rev)
        """,
    ),
    _transitions(
        name="a copy is believed whatever the change reads in it",
        within="TransitionBatch._apply_to_copies",
        old="after is not seen and _is_covered(seen, after)",
        new="after is not seen",
    ),
    _transitions(
        name="a copy whose lease is over is believed",
        within="_is_covered",
        old="seen.state is State.RUNNING and ends is not None and after.updated_at < ends",
        new="seen.state is State.RUNNING",
    ),
    _transitions(
        name="a new order is made of that in a copy",
        within="_is_covered",
        old="""
            if after.metadata is not seen.metadata:
                return False
        """,
        new="",
    ),
    _transitions(
        name="two transitions of one job are made of the same row",
        within="TransitionBatch.apply",
        old="firsts = {transitions[place].seen.id: place for place in reversed(left)}",
        new="firsts = {place: place for place in left}",
    ),
    _transitions(
        name="files are recorded though the transition failed",
        within="TransitionBatch._with_files",
        old="""
            if transition.files and isinstance(outcome, Job):
                self._files.extend(FileWrite(outcome.id, record, outcome.updated_at) for record in transition.files)
        """,
        new="""
            self._files.extend(
                FileWrite(transition.seen.id, record, transition.seen.updated_at) for record in transition.files
            )
        """,
    ),
    _transitions(
        name="events are not recorded",
        within="TransitionBatch._write",
        old="self._events.append(EventWrite(after.rev, event))",
        new="pass",
    ),
    _transitions(
        name="attempts are not recorded",
        within="_write_of",
        old="attempt_of(before, after) if before.state is State.RUNNING else None",
        new="None",
    ),
    _transitions(
        name="nothing is recorded at the end",
        within="TransitionBatch.save",
        old="self._transaction.record(events=self._events, files=self._files)",
        new="pass",
    ),
]

CODEC = [
    *(
        _codec(
            name=f"a write does not compare {what}",
            old=str(_HOLDING),
            new=str(tuple(kept for kept in _HOLDING if kept != name)),
        )
        for name, what in (
            ("worker_id", "who holds the job"),
            ("lease_number", "the number of the lease"),
            ("attempts", "the attempts"),
            ("max_attempts", "the budget"),
        )
    ),
    *(
        _codec(
            name=f"a write does not compare {what}",
            old=str(_TOLD),
            new=str(tuple(kept for kept in _TOLD if kept != name)),
        )
        for name, what in (("started_at", "the start of the attempt"), ("error_code", "the error"))
    ),
    _codec(
        name="the end of a wait is not written",
        within="due_at",
        old="return job.lease_expires_at or job.available_at",
        new="return job.lease_expires_at",
    ),
    _codec(
        name="the end of a lease is not written",
        within="due_at",
        old="return job.lease_expires_at or job.available_at",
        new="return job.available_at",
    ),
    _ready(
        name="a running job stays ready to be claimed",
        within="is_ready",
        old="job.state is State.PENDING and job.available_at is None",
        new="job.state in (State.PENDING, State.RUNNING) and job.available_at is None",
    ),
    _ready(
        name="a job without its source is ready to be claimed",
        within="is_ready",
        old="job.state is State.PENDING and job.available_at is None",
        new="job.state is State.PENDING",
    ),
]

STORE = [
    _store(
        name="a sweep does not look behind renewed leases",
        within="SqlJobStore.update_due.sweep",
        old="offered = transaction.due(now=now, limit=room) if renewed and room > 0 else []",
        new="offered = []",
    ),
    _store(
        name="renewed leases stay at the head of the sweep",
        within="SqlJobStore.update_due.sweep",
        old="transaction.postpone(renewed)",
        new="",
    ),
    _store(
        name="a sweep that finds little goes over its limit",
        within="SqlJobStore.update_due.sweep",
        old="room = limit - len(changed)",
        new="room = limit",
    ),
    _store(
        name="an idle worker takes the write lock",
        within="SqlJobStore.update_due",
        old="not self._driver.has_due(now)",
        new="False",
    ),
    _store(
        name="an idle claim takes the write lock",
        within="SqlJobStore.apply",
        old="take is None or queue is None or not self._driver.has_ready(queue)",
        new="take is None or queue is None",
    ),
    _store(
        name="a key that comes twice is created twice",
        within="SqlJobStore.insert",
        old="new.pop(key, None) is not None",
        new="key in new",
    ),
    _stretches(
        name="a page has jobs of other types",
        within="_within",
        old="stretch._replace(where=(*stretch.where, jobs.project == lane.project, jobs.type == lane.type))",
        new="stretch",
    ),
    _stretches(
        name="only the first type is on a page",
        within="_listed",
        old="while row is not None:\n    ...",
        new="if row is not None:\n    yield LaneKey(*row)",
    ),
    _stretches(
        name="more is counted than was asked for",
        within="count_of",
        old="union_all(*map(select, each)).limit(most + 1).subquery()",
        new="union_all(*map(select, each)).subquery()",
    ),
    _stretches(
        name="pages begin with the oldest",
        within="page_of",
        old="jobs.id.desc()",
        new="jobs.id",
    ),
    _stretches(
        name="a page begins with the last of the one before",
        within="page_of",
        old="jobs.id < after",
        new="jobs.id <= after",
    ),
    _sources(
        name="what is archived is not found",
        old="_JOB_SOURCES = (..., _ARCHIVE)",
        new="_JOB_SOURCES = (...,)",
    ),
    _stretches(
        name="what is archived is not listed as completed",
        within="may_be_archived",
        old="wanted.state in (None, State.COMPLETED)",
        new="wanted.state is None",
    ),
    _store(
        name="a job that changed is forgotten",
        within="SqlJobStore.forget.remove",
        old="job.rev == seen[job.id].rev and job.state in FINAL_STATES",
        new="job.state in FINAL_STATES",
    ),
    _store(
        name="a job that is not at its end is forgotten",
        within="SqlJobStore.forget.remove",
        old="job.rev == seen[job.id].rev and job.state in FINAL_STATES",
        new="job.rev == seen[job.id].rev",
    ),
    _sources(
        name="a hash is found in every project",
        within="by_prefix.query",
        old="source.select.where(jobs.project == bindparam('project'), within)",
        new="source.select.where(within)",
    ),
    _store(
        name="jobs of all projects are counted",
        within="SqlJobStore.counts.query",
        old="return grouped if project is None else grouped.where(source.jobs.project == project)",
        new="return grouped",
    ),
    _sources(
        name="what is renewed shows the end of an older lease",
        old="and_(..., _leases.lease_number == _jobs.lease_number, ...)",
        new="and_(..., ...)",
        tests=suites.POSTGRES,
    ),
    _sources(
        name="what has ended shows the end of its lease",
        old="and_(..., _jobs.status == State.RUNNING.value)",
        new="and_(...)",
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
        name="the completed archive forgets",
        within="_move",
        old="""
            old = select(*_COLUMNS).where(*stretch, *is_old)
            connection.execute(insert(_archive).from_select(JOB_COLUMNS, old))
            is_archived = ...
            moved = connection.execute(delete(tables.jobs).where(*stretch, is_archived)).rowcount
        """,
        new="moved = connection.execute(delete(tables.jobs).where(*stretch, *is_old)).rowcount",
    ),
    _archive(
        name="no job is moved to the completed archive",
        within="CompletedArchive.move",
        old="first, last = self._next, self._next + stretch",
        new="return 0",
    ),
    _archive(
        name="the completed archive takes the young",
        within="_move",
        old="(_jobs.status == State.COMPLETED.value, _jobs.updated_at < completed_before)",
        new="(_jobs.status == State.COMPLETED.value,)",
    ),
    _archive(
        name="the completed archive takes what ended just now",
        within="_move",
        old="_jobs.updated_at < completed_before",
        new="_jobs.updated_at <= completed_before",
    ),
    _archive(
        name="the completed archive takes what is still to be done",
        within="_move",
        old="(_jobs.status == State.COMPLETED.value, _jobs.updated_at < completed_before)",
        new="(_jobs.updated_at < completed_before,)",
    ),
    _archive(
        name="the scan for the completed archive does not wrap around",
        within="CompletedArchive.move",
        old="self._next = 0 if newest is None or last >= newest else last",
        new="self._next = last",
    ),
    _archive(
        name="the scan for the completed archive stays in the first stretch",
        within="CompletedArchive.move",
        old="self._next = 0 if newest is None or last >= newest else last",
        new="self._next = 0",
    ),
    _archive(
        name="the completed archive does not lock out writers",
        within="_lock_out_writers",
        old='connection.exec_driver_sql("LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE")',
        new="",
        tests=suites.POSTGRES,
    ),
    _archive(
        name="the leases of archived jobs stay",
        within="_move",
        old="_delete_leases(connection, first, last)",
        new="pass",
        tests=suites.POSTGRES,
    ),
    _archive(
        name="the completed archive deletes the leases of others",
        within="_delete_leases",
        old="delete(tables.job_leases).where(..., ~is_known)",
        new="delete(tables.job_leases).where(...)",
        tests=suites.POSTGRES,
    ),
]

FILE_WAKEUP = [
    _wakeup(
        name="the log of the database is not watched",
        within="FileWakeup.__init__",
        old='(Path(f"{database}-wal"), database)',
        new="(database,)",
    ),
    _wakeup(
        name="what happens right after subscribing is missed",
        within="FileSubscription._watch",
        old="""
            while not self._closed.wait(self._poll_every_seconds):
                ...
        """,
        new="""
            self._seen = self._stamps()
            while not self._closed.wait(self._poll_every_seconds):
                ...
        """,
    ),
    _wakeup(
        name="a closed subscription wakes its listener",
        within="FileSubscription.close",
        old="self._thread.join()",
        new="self._listener()",
    ),
]
