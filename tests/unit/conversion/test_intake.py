"""How documents come into the queue."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

import pytest
from tests.pdfs import aged

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.conversion import intake as intake_module
from blobforge.conversion.current import ToDo
from blobforge.conversion.document import InputDocument
from blobforge.conversion.intake import AT_ONCE, ConversionIntake
from blobforge.coordination.memory.store import MemoryJobStore
from blobforge.coordination.service import CoordinationService
from blobforge.domain.endings import Completed, Failed
from blobforge.domain.errors import BlobForgeError
from blobforge.domain.ids import DEFAULT_PROJECT, JobId, SourceHash
from blobforge.domain.job import Failure, Job, NewJob, State
from blobforge.ingest.hashing import hash_file
from blobforge.ports.hash_cache import FileStat
from blobforge.ports.job_store import Inserted, JobFilter, Queue
from blobforge.testing.builders import ALICE
from blobforge.testing.clock import FakeClock

ORDER = '{"options":{}}'
OLD_ORDER = '{"options":{"pages":"1"}}'
PDFS = Queue(DEFAULT_PROJECT, ("pdf",))


@dataclass
class Receiver:
    """Writes down what the intake brings; something may happen after each."""

    expected: list[tuple[SourceHash, str]] = field(default_factory=list)
    refused: dict[str, str] = field(default_factory=dict)
    awaited: list[list[JobId]] = field(default_factory=list)
    after_each: Callable[[], object] = lambda: None

    def expect(self, source_hash: SourceHash, document: InputDocument) -> bool:
        is_new = source_hash not in {known for known, _ in self.expected}
        self.expected.append((source_hash, document.stat.path))
        self.after_each()
        return is_new

    def refuse(self, document: InputDocument, error: BlobForgeError) -> None:
        self.refused[document.stat.path] = error.code

    def wait_for(self, jobs: Sequence[Job]) -> None:
        self.awaited.append([job.id for job in jobs])


class Hurried(CoordinationService):
    """A queue where something happens right after a submission."""

    meanwhile: Callable[[Job], object]

    def submit(self, jobs: Sequence[NewJob]) -> list[Inserted]:
        entries = super().submit(jobs)
        for entry in entries:
            self.meanwhile(entry.job)
        return entries


@pytest.fixture
def queue() -> Hurried:
    queue = Hurried(MemoryJobStore(), clock=FakeClock(), lease_for=timedelta(minutes=3))
    queue.meanwhile = lambda _job: None
    return queue


@pytest.fixture
def receiver() -> Receiver:
    return Receiver()


@pytest.fixture
def stopped() -> threading.Event:
    return threading.Event()


@pytest.fixture
def intake(queue: Hurried, catalog: SqliteCatalog, receiver: Receiver, stopped: threading.Event) -> ConversionIntake:
    return ConversionIntake(
        queue,
        catalog,
        receiver,
        new_job=lambda source_hash, _document: job_of(source_hash, ORDER),
        stopped=stopped.is_set,
    )


def job_of(source_hash: SourceHash, order: str) -> NewJob:
    return NewJob(project=DEFAULT_PROJECT, type="pdf", source_hash=source_hash, metadata=order)


def item(path: Path, content: str | None = None, *, known: SourceHash | None = None) -> ToDo:
    if content is not None:
        path.write_text(content)
        aged(path)
    facts = path.stat() if path.exists() else None
    stat = FileStat(str(path), facts.st_size if facts else 0, facts.st_mtime_ns if facts else 0)
    return ToDo(InputDocument(stat=stat, output=f"{path}.md"), known)


def test_new_documents_are_hashed_remembered_and_queued(
    intake: ConversionIntake, queue: Hurried, catalog: SqliteCatalog, receiver: Receiver, tmp_path: Path
) -> None:
    items = [item(tmp_path / name, name) for name in ("a.pdf", "b.pdf")]

    intake.bring_in(items)

    hashes = [hash_file(entry.document.stat.path).source_hash for entry in items]
    jobs = queue.page(JobFilter())
    assert {job.source_hash for job in jobs} == set(hashes)
    assert {job.metadata for job in jobs} == {ORDER}
    assert receiver.awaited == [sorted(job.id for job in jobs)]
    assert list(catalog.known([entry.document.stat for entry in items]).values()) == hashes


def test_a_document_of_known_content_is_not_read(
    intake: ConversionIntake, receiver: Receiver, queue: Hurried, tmp_path: Path
) -> None:
    known = SourceHash("a" * 64)

    intake.bring_in([item(tmp_path / "not there.pdf", known=known)])

    assert receiver.expected == [(known, str(tmp_path / "not there.pdf"))]
    assert [job.source_hash for job in queue.page(JobFilter())] == [known]


def test_the_same_content_is_queued_once(
    intake: ConversionIntake, receiver: Receiver, queue: Hurried, tmp_path: Path
) -> None:
    intake.bring_in([item(tmp_path / "a.pdf", "same"), item(tmp_path / "b.pdf", "same")])

    assert len(receiver.expected) == 2
    assert [len(jobs) for jobs in receiver.awaited] == [1]


def test_a_document_that_cannot_be_read_is_refused_and_the_others_go_on(
    intake: ConversionIntake, receiver: Receiver, tmp_path: Path
) -> None:
    intake.bring_in([item(tmp_path / "gone.pdf"), item(tmp_path / "here.pdf", "content")])

    assert receiver.refused == {str(tmp_path / "gone.pdf"): "source_missing"}
    assert [path for _, path in receiver.expected] == [str(tmp_path / "here.pdf")]


@pytest.mark.parametrize(("count", "parts"), [(0, []), (AT_ONCE, [AT_ONCE]), (AT_ONCE + 1, [AT_ONCE, 1])])
def test_documents_are_submitted_some_at_a_time(
    intake: ConversionIntake, receiver: Receiver, tmp_path: Path, count: int, parts: list[int]
) -> None:
    intake.bring_in([item(tmp_path / f"{number}.pdf", str(number)) for number in range(count)])

    assert [len(jobs) for jobs in receiver.awaited] == parts


def test_large_documents_need_not_wait_for_each_other(
    intake: ConversionIntake, receiver: Receiver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake_module, "READ_AT_ONCE", 10)
    unread = [item(tmp_path / f"{number}.pdf", f"{number} large") for number in range(3)]
    read_before = item(tmp_path / "known.pdf", "a large one", known=SourceHash("a" * 64))

    intake.bring_in([*unread, read_before])

    assert [len(jobs) for jobs in receiver.awaited] == [2, 2]


def test_nothing_more_is_brought_in_once_it_is_stopped(
    intake: ConversionIntake, receiver: Receiver, stopped: threading.Event, tmp_path: Path
) -> None:
    receiver.after_each = lambda: stopped.set() if len(receiver.expected) == 2 else None

    intake.bring_in([item(tmp_path / f"{number}.pdf", str(number)) for number in range(AT_ONCE * 2)])

    assert len(receiver.expected) == 2
    assert [len(jobs) for jobs in receiver.awaited] == [2]


def pending(queue: Hurried, job: Job) -> None:
    """It waits, by the order of somebody else."""


def running(queue: Hurried, job: Job) -> None:
    queue.claim(PDFS, worker_id=ALICE)


def completed(queue: Hurried, job: Job) -> None:
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    queue.end([Completed(held, "{}")])


def failed(queue: Hurried, job: Job) -> None:
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    queue.end([Failed(held, Failure("child_killed", "it died", retryable=True))])


def dead(queue: Hurried, job: Job) -> None:
    (held,) = queue.claim(PDFS, worker_id=ALICE)
    queue.end([Failed(held, Failure("not_a_pdf", "no PDF"))])


def cancelled(queue: Hurried, job: Job) -> None:
    queue.cancel(job.id)


Before = Callable[[Hurried, Job], None]


@pytest.mark.parametrize("before", [pending, completed, failed, dead, cancelled])
def test_a_job_that_is_there_already_waits_again_by_our_order(
    intake: ConversionIntake, queue: Hurried, receiver: Receiver, tmp_path: Path, before: Before
) -> None:
    ((job, _),) = queue.submit([job_of(SourceHash("a" * 64), OLD_ORDER)])
    before(queue, job)

    intake.bring_in([item(tmp_path / "one.pdf", known=job.source_hash)])

    after = queue.get(job.id)
    assert (after.state, after.metadata, after.attempts) == (State.PENDING, ORDER, 0)
    assert receiver.awaited == [[job.id]]


def test_a_job_that_runs_elsewhere_is_left_alone_and_waited_for(
    intake: ConversionIntake, queue: Hurried, receiver: Receiver, tmp_path: Path
) -> None:
    ((job, _),) = queue.submit([job_of(SourceHash("a" * 64), OLD_ORDER)])
    running(queue, job)

    intake.bring_in([item(tmp_path / "one.pdf", known=job.source_hash)])

    after = queue.get(job.id)
    assert (after.state, after.metadata) == (State.RUNNING, OLD_ORDER)
    assert receiver.awaited == [[job.id]]


@pytest.mark.parametrize(
    ("before", "meanwhile", "state"),
    [
        (pending, running, State.RUNNING),
        (dead, lambda queue, job: queue.retry(job.id), State.PENDING),
    ],
    ids=["claimed", "retried"],
)
def test_a_job_that_moves_at_that_very_moment_is_waited_for(
    intake: ConversionIntake,
    queue: Hurried,
    receiver: Receiver,
    tmp_path: Path,
    before: Before,
    meanwhile: Before,
    state: State,
) -> None:
    ((job, _),) = queue.submit([job_of(SourceHash("a" * 64), OLD_ORDER)])
    before(queue, job)
    queue.meanwhile = lambda seen: meanwhile(queue, seen)

    intake.bring_in([item(tmp_path / "one.pdf", known=job.source_hash)])

    after = queue.get(job.id)
    assert (after.state, after.metadata) == (state, OLD_ORDER)
    assert receiver.awaited == [[job.id]]


def test_a_job_that_ended_otherwise_is_asked_for_again(
    intake: ConversionIntake, queue: Hurried, receiver: Receiver
) -> None:
    ((job, _),) = queue.submit([job_of(SourceHash("a" * 64), OLD_ORDER)])
    completed(queue, job)

    intake.ask_again(queue.get(job.id), ORDER)

    after = queue.get(job.id)
    assert (after.state, after.metadata) == (State.PENDING, ORDER)
    assert receiver.awaited == [[job.id]]
