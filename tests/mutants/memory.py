"""Bugs in the store in memory, which is the promise in its shortest form."""

from functools import partial

from tests.mutants import suites
from tests.mutants.mutant import Mutant

_memory = partial(Mutant, file="coordination/memory/store.py", tests=suites.MEMORY)

MEMORY = [
    _memory(
        name="memory: an exchange takes no lock",
        old="        with self._lock, self._all_or_nothing():\n            moved",
        new="        with self._all_or_nothing():\n            moved",
    ),
    _memory(
        name="memory: an update takes no lock",
        old="        with self._lock:\n            return self._apply(self.get(job_id), change)",
        new="        return self._apply(self.get(job_id), change)",
    ),
    _memory(
        name="memory: a fault undoes nothing",
        old="            self._jobs = jobs\n            del self._events[events:], self._attempts[attempts:], "
        "self._files[files:]\n",
        new="",
    ),
    _memory(
        name="memory: a fault leaves the files",
        old="del self._events[events:], self._attempts[attempts:], self._files[files:]",
        new="del self._events[events:], self._attempts[attempts:]",
    ),
    _memory(
        name="memory: a fault leaves the events",
        old="del self._events[events:], self._attempts[attempts:], self._files[files:]",
        new="del self._attempts[attempts:], self._files[files:]",
    ),
    _memory(
        name="memory: the priority is ignored",
        old='attrgetter("priority", "created_at", "id")',
        new='attrgetter("created_at", "id")',
    ),
    _memory(
        name="memory: the age is ignored",
        old='attrgetter("priority", "created_at", "id")',
        new='attrgetter("priority", "id")',
    ),
    _memory(
        name="memory: the limit is ignored", old="self._change(ready[:limit], take)", new="self._change(ready, take)"
    ),
    _memory(name="memory: the project is ignored", old="job.project == queue.project and ", new=""),
    _memory(name="memory: the type is ignored", old=" and job.type in queue.types", new=""),
    _memory(name="memory: the needs are ignored", old=" and are_met(job.needs, queue.has)", new=""),
    _memory(
        name="memory: the limit of a sweep is ignored", old="for _, job_id in due[:limit]]", new="for _, job_id in due]"
    ),
    _memory(
        name="memory: a sweep goes by id",
        old="due = sorted((when, job.id) for",
        new="due = list((when, job.id) for",
    ),
    _memory(
        name="memory: pages begin with the oldest",
        old='key=attrgetter("id"), reverse=True)',
        new='key=attrgetter("id"))',
    ),
    _memory(name="memory: a page begins with the last of the one before", old="job.id < after", new="job.id <= after"),
    _memory(
        name="memory: no event is recorded", old="            self._events.append(event)\n", new="            pass\n"
    ),
    _memory(
        name="memory: no attempt is recorded",
        old="            self._attempts.append(attempt)\n",
        new="            pass\n",
    ),
    _memory(
        name="memory: a job that changed is forgotten",
        old="job.id in self._jobs and self._jobs[job.id].rev == job.rev",
        new="job.id in self._jobs",
    ),
    _memory(name="memory: a job that is not at its end is forgotten", old="job.state in FINAL_STATES and ", new=""),
    _memory(
        name="memory: a forgotten job leaves its files",
        old="            self._files = [(owner, record) for owner, record in self._files if owner not in gone]\n",
        new="",
    ),
    _memory(
        name="memory: the number of a forgotten job is given again",
        old="        self._last_id += 1\n",
        new="        self._last_id = len(self._jobs) + 1\n",
    ),
    _memory(name="memory: revisions do not grow", old="after._replace(rev=before.rev + 1)", new="after._replace()"),
    _memory(
        name="memory: counts are of all projects",
        old=" if project in (None, job.project))",
        new=")",
    ),
    _memory(
        name="memory: a key is of all projects",
        old="        if job.key in self._ids:\n"
        "            return Inserted(self._jobs[self._ids[job.key]], created=False)",
        new="        for key, known in self._ids.items():\n"
        "            if key.source_hash == job.source_hash:\n"
        "                return Inserted(self._jobs[known], created=False)",
    ),
]
