"""A worker behind a proxy that repeats, cuts and loses: what was leased to it is found again, with its document."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.faulty_s3 import Fault, FaultyProxy
from tests.server_scene import ACTOR, Scene, document, hash_of, scene_in
from tests.serving import serving

from blobforge.blobs.http.store import HttpBlobStore
from blobforge.client.connection import Connection, Credentials
from blobforge.client.held_leases import HeldLeases
from blobforge.coordination.http.coordinator import HttpCoordinator
from blobforge.domain.endings import Completed, Ending, Released
from blobforge.domain.errors import LeaseLost, StoreUnavailable
from blobforge.domain.ids import SourceHash, WorkerId
from blobforge.domain.job import Job, State
from blobforge.ports.blob_store import source_key
from blobforge.ports.job_store import JobFilter, Queue
from blobforge.wire import paths
from blobforge.worker.feed import QueueFeed, Until

PDFS = Queue("default", ("pdf",))
BOTH = Queue("default", ("pdf", "image"))
ME = WorkerId("rack4.11.00000001")


class Worker:
    """Everything that it asks passes the proxy, files too."""

    def __init__(self, scene: Scene, proxy: FaultyProxy) -> None:
        secret = scene.accounts.create_worker("rack4", actor=ACTOR).secret.text
        connection = Connection(proxy.url, Credentials(worker="rack4", secret=secret))
        scene.stack.callback(connection.close)
        self.leases = HeldLeases()
        self.blobs = HttpBlobStore(connection, self.leases, project="default")
        self.queue = HttpCoordinator(connection, self.leases)
        self.feed = QueueFeed(self.queue, BOTH, ME, until=Until.STOPPED)

    def claimed(self) -> list[Job]:
        return self.feed.settle([], limit=1).claimed

    def ends(self, ending: Ending) -> None:
        self.feed.settle([ending], limit=0)

    def has_document_of(self, job: Job, name: str, folder: Path) -> bool:
        self.blobs.fetch(source_key(job.source_hash), folder / "fetched")
        return (folder / "fetched").read_bytes() == document(name)


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with ExitStack() as stack:
        yield stack.enter_context(scene_in(tmp_path))


@pytest.fixture
def proxy(scene: Scene) -> Iterator[FaultyProxy]:
    with serving(FaultyProxy(scene.url)) as proxy:
        scene.parts.files.own_urls._public_url = proxy.url
        yield proxy


def held(scene: Scene) -> list[int]:
    return sorted(job.id for job in scene.queue.page(JobFilter(state=State.RUNNING, worker_id=ME)))


def test_the_document_of_a_job_that_was_found_again_is_had(scene: Scene, proxy: FaultyProxy, tmp_path: Path) -> None:
    """The answer to its claim was lost without a word, and later the answer to an ending."""
    worker = Worker(scene, proxy)
    scene.job("unheard")
    (unheard,) = scene.queue.claim(PDFS, worker_id=ME)
    scene.job("heard")
    (heard,) = worker.claimed()
    with proxy.fault(Fault.LOST_REPLY, path=paths.SETTLE), pytest.raises(StoreUnavailable):
        worker.ends(Released(heard))

    (found,) = worker.claimed()

    assert found.id == unheard.id
    assert worker.has_document_of(found, "unheard", tmp_path)


def test_a_claim_that_is_repeated_and_an_ending_without_an_answer_cost_no_document(
    scene: Scene, proxy: FaultyProxy, tmp_path: Path
) -> None:
    worker = Worker(scene, proxy)
    names = {scene.job(name).id: name for name in ("a", "b")}
    with proxy.fault(Fault.SENT_TWICE, path=paths.SETTLE, times=1):
        (first,) = worker.claimed()
    with proxy.fault(Fault.CUT_REPLY, path="/blobs/sources", times=1):
        assert worker.has_document_of(first, names[first.id], tmp_path)
    with proxy.fault(Fault.LOST_REPLY, path=paths.SETTLE), pytest.raises(StoreUnavailable):
        worker.ends(Released(first))

    for _ in names:
        (job,) = worker.claimed()
        assert worker.has_document_of(job, names[job.id], tmp_path)


def test_a_document_of_two_types_is_had_while_one_of_its_jobs_is_held(
    scene: Scene, proxy: FaultyProxy, tmp_path: Path
) -> None:
    worker = Worker(scene, proxy)
    for job_type in BOTH.types:
        scene.job("a", type=job_type)
    first, second = worker.feed.settle([], limit=2).claimed

    worker.ends(Released(second))

    assert worker.has_document_of(first, "a", tmp_path)
    # The address that came with the claim was used up.
    assert worker.has_document_of(first, "a", tmp_path)


def test_a_lease_that_was_renewed_is_forgotten_with_its_job(scene: Scene, proxy: FaultyProxy, tmp_path: Path) -> None:
    """Else its document would be asked for by the lease that is over, once the job is claimed again unheard."""
    worker = Worker(scene, proxy)
    scene.job("a")
    (job,) = worker.claimed()
    scene.clock.advance(seconds=60)
    (renewed,) = worker.queue.renew([job])
    assert isinstance(renewed, Job)

    worker.ends(Released(renewed))

    assert worker.leases.for_hash(SourceHash(hash_of("a"))) is None
    assert worker.leases.ids_of(ME) == []


@pytest.mark.parametrize("kind", [Completed, Released], ids=["completed", "released"])
def test_an_ending_whose_answer_was_lost_is_told_again_and_is_no_loss(
    scene: Scene, proxy: FaultyProxy, kind: type[Completed] | type[Released]
) -> None:
    worker = Worker(scene, proxy)
    scene.job("a")
    (job,) = worker.claimed()
    ending = Completed(job, "{}") if kind is Completed else Released(job)
    with proxy.fault(Fault.LOST_REPLY, path=paths.SETTLE), pytest.raises(StoreUnavailable):
        worker.ends(ending)
    assert worker.leases.was_sent(job)

    (outcome,) = worker.queue.end([ending])

    assert isinstance(outcome, Job)
    assert outcome.id == job.id
    assert not worker.leases.was_sent(job)
    # What was never sent is no ending of ours.
    (refused,) = worker.queue.end([ending])
    assert isinstance(refused, LeaseLost)


def test_a_claim_that_a_proxy_repeats_leases_one_job(scene: Scene, proxy: FaultyProxy) -> None:
    worker = Worker(scene, proxy)
    for name in "abc":
        scene.job(name)
    with proxy.fault(Fault.SENT_TWICE, path=paths.SETTLE, times=1):
        (first,) = worker.claimed()

    assert held(scene) == [first.id]
    (second,) = worker.claimed()
    assert held(scene) == sorted([first.id, second.id])


def test_a_claim_that_is_repeated_when_its_job_has_ended_gives_the_next(scene: Scene, proxy: FaultyProxy) -> None:
    """What the server remembers of a lease may be over by then."""
    worker = Worker(scene, proxy)
    first, second = scene.job("a"), scene.job("b")
    assert worker.claimed()[0].id == first.id
    scene.queue.cancel(first.id)
    worker.leases.forget([scene.queue.get(first.id)._replace(lease_number=1)])

    assert [job.id for job in worker.claimed()] == [second.id]
