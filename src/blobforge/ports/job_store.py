"""The port of a backend: applies transitions to jobs atomically, and finds jobs."""

import string
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol

from blobforge.domain.errors import BlobForgeError
from blobforge.domain.events import History
from blobforge.domain.files import FileRecord
from blobforge.domain.ids import JobId, JobKey, SourceHash, WorkerId
from blobforge.domain.job import Job, State, awaits_source, tags_of
from blobforge.domain.loose_json import json_in, object_in, text_in
from blobforge.domain.needs import NOTHING
from blobforge.domain.pairing import QueueIdentity
from blobforge.domain.pause import Pause
from blobforge.domain.result_record import result_record
from blobforge.domain.service_record import ServiceRecord
from blobforge.domain.worker import Worker

Change = Callable[[Job], Job]
"""A transition as a pure function. A store may call it more than once; a BlobForgeError leaves the job as it was."""


class Queue(NamedTuple):
    """What a worker claims from: one project and one or more job types.

    `has` are the worker's abilities (`blobforge.domain.needs`); a job that needs another one is not claimed.
    """

    project: str
    types: tuple[str, ...]
    has: frozenset[str] = NOTHING


class Transition(NamedTuple):
    """A change to one job, with the job as the caller last saw it.

    That copy may be stale, and parts of it may be made up: only its id counts, and where it is true it saves a read.
    """

    seen: Job
    change: Change
    files: tuple[FileRecord, ...] = ()
    """Recorded with the transition, if it happens."""


class Inserted(NamedTuple):
    """`created` is False where a job of the same key was there before."""

    job: Job
    created: bool


class Applied(NamedTuple):
    """One outcome a transition, in the order of the transitions, and the jobs taken after them."""

    outcomes: list[Job | BlobForgeError]
    taken: list[Job]


LEAST_DIGITS = 8
_DIGITS = frozenset("0123456789abcdef")
_SMALL = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)


class JobFilter(NamedTuple):
    """None means any. `since`: changed then or later. `recipe`: the beginning of the published one; `engine`: what
    made the published result or, where no result tells it, what the order asks for. `gaps`: only those whose published
    result misses pages; `doubts`: whose source was repaired or some of whose pages are doubtful; `awaits_source`: that
    wait for their source. `search`: what a person typed, see `hash_prefix` and `name_part`. `beyond`: only newer ones
    than this id, so that a search which no index serves reads no more than these."""

    project: str | None = None
    type: str | None = None
    state: State | None = None
    worker_id: WorkerId | None = None
    code: str | None = None
    since: datetime | None = None
    tag: str | None = None
    recipe: str | None = None
    engine: str | None = None
    gaps: bool = False
    doubts: bool = False
    awaits_source: bool = False
    search: str | None = None
    beyond: JobId | None = None

    @property
    def hash_prefix(self) -> str | None:
        """Eight or more hexadecimal digits are searched as the beginning of a source hash."""
        text = None if self.search is None else ascii_lower(self.search)
        return text if text is not None and len(text) >= LEAST_DIGITS and _DIGITS.issuperset(text) else None

    @property
    def name_part(self) -> str | None:
        """Anything else is searched in the paths of the sources; capitals do not matter, where they are ASCII."""
        return None if not self.search or self.hash_prefix is not None else ascii_lower(self.search)


ANY = JobFilter()


def matches(job: Job, wanted: JobFilter) -> bool:
    """Defines the filter for every store: what a store asks of its own tables only narrows the search."""
    asked = (wanted.project, wanted.type, wanted.state, wanted.worker_id, wanted.code)
    has = (job.project, job.type, job.state, job.worker_id, job.error_code)
    return (
        all(want in (None, value) for want, value in zip(asked, has, strict=True))
        and (wanted.since is None or job.updated_at >= wanted.since)
        and (wanted.tag is None or wanted.tag in tags_of(job))
        and (wanted.engine is None or wanted.engine == _engine_of(job))
        and (wanted.recipe is None or _begins(result_record(job).recipe_id, wanted.recipe))
        and (not wanted.gaps or result_record(job).has_gaps)
        and (not wanted.doubts or result_record(job).has_doubts)
        and (not wanted.awaits_source or awaits_source(job))
        and (wanted.beyond is None or job.id > wanted.beyond)
        and (wanted.hash_prefix is None or job.source_hash.startswith(wanted.hash_prefix))
        and (wanted.name_part is None or wanted.name_part in ascii_lower(job.source_path or ""))
    )


def ascii_lower(text: str) -> str:
    """The same on every backend, which lower other letters in different ways."""
    return text.translate(_SMALL)


def _engine_of(job: Job) -> str | None:
    if (made_by := result_record(job).engine) is not None:
        return made_by
    options = object_in(object_in(json_in(job.metadata)).get("options"))
    return text_in(options.get("engine"))


def _begins(text: str | None, beginning: str) -> bool:
    return text is not None and text.startswith(beginning)


class Inconsistency(NamedTuple):
    """What `reconcile` found, in words."""

    text: str
    is_left_alone: bool = False
    """A foreign object, which is not ours to change."""


class References(NamedTuple):
    """Which documents a queue knows of, whether or not it can read the jobs that they belong to.

    `not_understood` are foreign objects in its place: which documents they need is unknown.
    """

    documents: frozenset[SourceHash]
    not_understood: tuple[str, ...] = ()


class JobStore(Protocol):
    """The transition of one job is atomic. Every method raises StoreUnavailable.

    On a database a method is one transaction: all of it happens, or none. A store without transactions over several
    jobs first tries a batch in memory, then applies it job by job. Each outcome says what became of its job.
    """

    def insert(self, jobs: Sequence[Job]) -> list[Inserted]:
        """Adds jobs whose key is new (their `id` is ignored; the store gives one), in one transaction.

        Where the key exists, also twice within the call, the stored job comes back unchanged.
        """
        ...

    def get(self, job_id: JobId) -> Job:
        """Raises NotFound."""
        ...

    def get_many(self, job_ids: Sequence[JobId]) -> list[Job]:
        """Those that exist, in no particular order."""
        ...

    def find(self, keys: Sequence[JobKey]) -> dict[JobKey, Job]:
        """Those that exist."""
        ...

    def states(self, keys: Sequence[JobKey]) -> dict[JobKey, State]:
        """The state of each of these, archived ones too; unknown ones are left out. Cheap for thousands of keys."""
        ...

    def find_by_prefix(self, prefix: str, *, project: str, limit: int) -> list[Job]:
        """Jobs whose source hash begins so."""
        ...

    def update(self, job_id: JobId, change: Change) -> Job:
        """Reads, changes and writes one job; nobody writes it in between. Raises NotFound and what `change` raises."""
        ...

    def apply(
        self,
        transitions: Sequence[Transition],
        *,
        take: Change | None = None,
        queue: Queue | None = None,
        limit: int = 0,
    ) -> Applied:
        """Applies transitions and takes other jobs from a queue, in one transaction.

        A transition that raises leaves its job alone and gives the error in its place; the others happen. A `seen` that
        is stale is read again and changed again; two transitions of one job happen after each other, in either order.
        `take` gets up to `limit` ready jobs (`domain.job.is_ready`) whose needs the queue's worker meets, in the order
        of priority, created_at, id; what it refuses or gives back as it is stays; two callers never take the same one.
        From a lane that is paused it gets none.
        """
        ...

    def update_due(self, change: Change, *, now: datetime, limit: int) -> list[Job]:
        """Applies `change` to up to `limit` jobs whose lease, back-off or wait for their source ends by `now`, earliest
        first.

        The store may pass a job that is not due any more; `change` returns it unchanged.
        Returns the jobs that it changed.
        """
        ...

    def page(self, wanted: JobFilter, *, after: JobId | None = None, limit: int = 50) -> list[Job]:
        """Newest first by id, from below `after`."""
        ...

    def count(self, wanted: JobFilter, *, most: int) -> int:
        """How many there are, where they are no more than `most`; else `most` + 1. By project, type and state it costs
        no more than `most` asks for, however many jobs there are."""
        ...

    def references(self) -> References:
        """Everything that the queue names, in all projects: who deletes documents asks for it, after listing them."""
        ...

    def counts(self, *, project: str | None = None) -> Mapping[tuple[str, State], int]:
        """How many jobs there are by type and state; pairs without jobs are left out."""
        ...

    def waiting(self, *, project: str) -> Mapping[tuple[str, str], int]:
        """How many jobs are ready by type and by their needs, as `Job.needs` has them; pairs without are left out."""
        ...

    def gaps(self, *, project: str | None = None) -> Mapping[str, int]:
        """How many published results miss pages, by type; types without any are left out. Cheap for many jobs."""
        ...

    def doubts(self, *, project: str | None = None) -> Mapping[str, int]:
        """How many published results are of repaired files or have doubtful pages, by type, likewise."""
        ...

    def history(self, job_id: JobId) -> History:
        """What happened to a job. Raises NotFound."""
        ...

    def files(self, job_id: JobId) -> list[FileRecord]:
        """What was recorded of a job's source and outputs, oldest first."""
        ...

    def archive(self, *, completed_before: datetime, stretch: int) -> int:
        """Moves completed jobs to the completed archive, out of the next `stretch` jobs by id; how many were moved.

        They are found as before, and one that is changed comes back. A store may keep all in place.
        """
        ...

    def reconcile(self, *, dry_run: bool) -> list[Inconsistency]:
        """Repairs inconsistencies that crashes and other programs left, and describes each; a dry run only describes.

        A store whose steps are transactions has none.
        """
        ...

    def forget(self, jobs: Sequence[Job]) -> int:
        """Removes jobs in a final state, with their history and the records of their files; how many were removed.

        A job that is not as the caller saw it any more (another `rev`) stays, and so does one that is not final,
        whatever the caller's copy says.
        """
        ...

    def identity(
        self, proposed: QueueIdentity | None = None, *, instead_of: QueueIdentity | None = None
    ) -> QueueIdentity | None:
        """The ids that pair this queue with its store. A proposal is stored only where there is none yet, or where it
        is still `instead_of`: whoever lost the race is given the stored one."""
        ...

    def pause(self, pause: Pause) -> Pause:
        """Nothing is taken from its lane until `resume`. Where it is paused, that pause stays, and is given back.

        Raises InvalidSettings where claims ask nobody, as in a bucket.
        """
        ...

    def resume(self, project: str, job_type: str) -> Pause | None:
        """Ends the pause of a lane, and wakes who waits for its jobs; None where it was not paused."""
        ...

    def pauses(self, *, project: str | None = None) -> list[Pause]:
        """By project and type."""
        ...

    def put_worker(self, worker: Worker) -> None:
        """Registers a worker, or replaces what is known of it."""
        ...

    def remove_worker(self, worker_id: WorkerId) -> None:
        """Forgets a worker; an unknown one is no error."""
        ...

    def workers(self) -> list[Worker]:
        """All that are registered, by id."""
        ...

    def change_record(
        self, name: str, change: Callable[[ServiceRecord], ServiceRecord], *, now: datetime
    ) -> ServiceRecord:
        """Changes the service record of a worker, by its name, and returns it; no concurrent change is lost."""
        ...

    def records(self) -> dict[str, ServiceRecord]:
        """The service records of workers, by name, also of those that are gone."""
        ...

    def close(self) -> None:
        """Releases connections and files. Closing twice is no error."""
        ...
