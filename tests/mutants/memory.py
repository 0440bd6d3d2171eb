"""Bugs in the store in memory, which is the promise in its shortest form."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_memory = partial(Mutant, file="coordination/memory/store.py", tests=suites.MEMORY)

MEMORY = [
    _memory(
        name="memory: transitions are applied without a lock",
        within="MemoryJobStore.apply",
        old="""
            with self._lock, self._rolled_back_on_error():
                ...
        """,
        new="""
            with self._rolled_back_on_error():
                ...
        """,
    ),
    _memory(
        name="memory: an update takes no lock",
        within="MemoryJobStore.update",
        old="""
            with self._lock:
                return self._apply(self.get(job_id), change)
        """,
        new="return self._apply(self.get(job_id), change)",
    ),
    _memory(
        name="memory: a fault undoes nothing",
        within="MemoryJobStore._rolled_back_on_error",
        old="""
            self._jobs = jobs
            del self._events[events:], self._attempts[attempts:], self._files[files:]
        """,
        new="",
    ),
    _memory(
        name="memory: a fault leaves the files",
        within="MemoryJobStore._rolled_back_on_error",
        old="del self._events[events:], self._attempts[attempts:], self._files[files:]",
        new="del self._events[events:], self._attempts[attempts:]",
    ),
    _memory(
        name="memory: a fault leaves the events",
        within="MemoryJobStore._rolled_back_on_error",
        old="del self._events[events:], self._attempts[attempts:], self._files[files:]",
        new="del self._attempts[attempts:], self._files[files:]",
    ),
    _memory(
        name="memory: the priority is ignored",
        within="MemoryJobStore.apply",
        old="sorted(..., key=claim_order)",
        new="sorted(..., key=lambda job: (job.created_at, job.id))",
    ),
    _memory(
        name="memory: the age is ignored",
        within="MemoryJobStore.apply",
        old="sorted(..., key=claim_order)",
        new="sorted(..., key=lambda job: (job.priority, job.id))",
    ),
    _memory(
        name="memory: the limit is ignored",
        within="MemoryJobStore.apply",
        old="self._change(ready[:limit], take)",
        new="self._change(ready, take)",
    ),
    _memory(
        name="memory: the project is ignored",
        within="_is_ready",
        old="job.project == queue.project",
        new="True",
    ),
    _memory(
        name="memory: the type is ignored",
        within="_is_ready",
        old="job.type in queue.types",
        new="True",
    ),
    _memory(
        name="memory: the needs are ignored",
        within="_is_ready",
        old="are_met(job.needs, queue.has)",
        new="True",
    ),
    _memory(
        name="memory: the limit of a sweep is ignored",
        within="MemoryJobStore.update_due",
        old="due[:limit]",
        new="due",
    ),
    _memory(
        name="memory: a sweep goes by id",
        within="MemoryJobStore.update_due",
        old="sorted(...)",
        new="list(...)",
    ),
    _memory(
        name="memory: pages begin with the oldest",
        within="MemoryJobStore.page",
        old="sorted(..., reverse=True, **...)",
        new="sorted(..., **...)",
    ),
    _memory(
        name="memory: a page begins with the last of the one before",
        within="MemoryJobStore.page",
        old="job.id < after",
        new="job.id <= after",
    ),
    _memory(
        name="memory: no event is recorded",
        within="MemoryJobStore._apply",
        old="self._events.append(event)",
        new="pass",
    ),
    _memory(
        name="memory: no attempt is recorded",
        within="MemoryJobStore._apply",
        old="self._attempts.append(attempt)",
        new="pass",
    ),
    _memory(
        name="memory: a job that changed is forgotten",
        within="MemoryJobStore._is_unchanged",
        old="job.id in self._jobs and self._jobs[job.id].rev == job.rev",
        new="job.id in self._jobs",
    ),
    _memory(
        name="memory: a job that is not at its end is forgotten",
        within="MemoryJobStore.forget",
        old="self._jobs[job.id].state in FINAL_STATES",
        new="True",
    ),
    _memory(
        name="memory: a forgotten job leaves its files",
        within="MemoryJobStore.forget",
        old="self._files = [(owner, record) for owner, record in self._files if owner not in gone]",
        new="",
    ),
    _memory(
        name="memory: the number of a forgotten job is given again",
        within="MemoryJobStore._insert",
        old="self._last_id += 1",
        new="self._last_id = len(self._jobs) + 1",
    ),
    _memory(
        name="memory: revisions do not grow",
        within="MemoryJobStore._apply",
        old="after._replace(rev=before.rev + 1)",
        new="after._replace()",
    ),
    _memory(
        name="memory: counts are of all projects",
        within="MemoryJobStore.counts",
        old="((job.type, job.state) for job in self._jobs.values() if project in (None, job.project))",
        new="((job.type, job.state) for job in self._jobs.values())",
    ),
    _memory(
        name="memory: a key is of all projects",
        within="MemoryJobStore._insert",
        old="""
            if job.key in self._ids:
                return Inserted(self._jobs[self._ids[job.key]], created=False)
        """,
        new="""
            for key, known in self._ids.items():
                if key.source_hash == job.source_hash:
                    return Inserted(self._jobs[known], created=False)
        """,
    ),
]
