"""What another process does between any two requests of ours: nobody is told of a write that did not happen."""

from collections.abc import Callable
from functools import partial
from itertools import count

from tests.unit.coordination.bucket.interrupted import Interrupted

from blobforge.coordination.bucket import adoption_record
from blobforge.coordination.bucket.job_history import JobHistory
from blobforge.coordination.bucket.store import BucketJobStore
from blobforge.domain import lifecycle
from blobforge.domain.ids import JobId
from blobforge.domain.job import Job, State
from blobforge.domain.priority import Priority
from blobforge.ports.job_store import Change, Transition
from blobforge.testing.builders import ALICE, BOB
from blobforge.testing.clock import START
from blobforge.testing.job_store.steps import added, cancelling, completing, failing, take
from blobforge.testing.simulated_bucket import SimulatedBucket, connected
from blobforge.thread_pool import ThreadPool


class Scene:
    """One job in a bucket, and another process at its desk."""

    def __init__(self) -> None:
        self.bucket = SimulatedBucket()
        self.desk = self.opened()
        (self.job,) = added(self.desk, "a")

    def opened(self) -> BucketJobStore:
        return BucketJobStore(self.bucket.objects(), pool=ThreadPool(1))

    def there(self) -> Job:
        return self.opened().get(self.job.id)


def at_every_request(
    meanwhile: Callable[[Scene], object],
    act: Callable[[Scene, BucketJobStore], None],
    scene: Callable[[], Scene] = Scene,
) -> None:
    """Plays the scene anew for each request that `act` sends, and interrupts it there."""
    for number in count():
        played = scene()
        connection = Interrupted(played.bucket, number, partial(meanwhile, played))
        act(played, BucketJobStore(connected(connection), pool=ThreadPool(1)))
        if len(connection.sent) <= number:
            break
    assert number > 1


def test_of_two_that_claim_a_waiting_job_one_has_it() -> None:
    def claim(scene: Scene) -> None:
        take(scene.desk, worker_id=BOB)

    def act(scene: Scene, store: BucketJobStore) -> None:
        ours = take(store, worker_id=ALICE)

        assert bool(ours) == (scene.there().worker_id == ALICE)

    at_every_request(claim, act)


def test_a_worker_is_not_told_that_its_failure_counts_when_the_job_was_cancelled_first() -> None:
    def cancel(scene: Scene) -> None:
        scene.desk.update(scene.job.id, cancelling)

    def act(scene: Scene, store: BucketJobStore) -> None:
        (held,) = take(scene.desk)
        (outcome,) = store.apply([Transition(held, failing(held))]).outcomes

        assert not isinstance(outcome, Job) or is_past_or_present(outcome, scene.there())

    at_every_request(cancel, act)


def test_of_two_that_change_the_priority_of_a_job_at_once_each_is_told_what_it_wrote() -> None:
    def to(priority: Priority) -> Change:
        return lambda job: lifecycle.reprioritize(job, priority=priority, now=START)

    def demote(scene: Scene) -> None:
        scene.desk.update(scene.job.id, to(Priority.LOW))

    def act(scene: Scene, store: BucketJobStore) -> None:
        assert is_past_or_present(store.update(scene.job.id, to(Priority.CRITICAL)), scene.there())

    at_every_request(demote, act)


def is_past_or_present(told: Job, there: Job) -> bool:
    """Of two jobs of one revision that differ, one was never written."""
    return told == there or told.rev < there.rev


def test_a_job_that_is_claimed_and_completed_while_it_is_read_is_found() -> None:
    """Its marker goes after its record was looked for: the record is read again."""

    def complete(scene: Scene) -> None:
        (held,) = take(scene.desk)
        scene.desk.apply([Transition(held, completing(held))])

    def act(scene: Scene, store: BucketJobStore) -> None:
        assert store.update(scene.job.id, lambda job: job).id == scene.job.id

    at_every_request(complete, act)


def test_who_adopts_a_job_second_gets_the_id_that_the_first_gave_it() -> None:
    """The two have read the same bucket before either wrote: what the first wrote is kept, and the second reads it."""
    scene = Scene()
    job, objects = scene.job, scene.bucket.objects()
    again = job._replace(id=JobId(job.id + 1), source_path="/docs/second.pdf")

    first = adoption_record.keep(objects, JobHistory(job))
    second = adoption_record.keep(objects, JobHistory(again))

    known = adoption_record.read(objects, job.key)
    assert known is not None
    assert first.id == second.id == known.job.id == job.id
    assert second.source_path == job.source_path


def test_a_job_that_is_completed_again_is_never_seen_with_its_earlier_result() -> None:
    """Its records are listed before its result is read: the other way round, a result of the run before and no record
    any more would look like the end of it."""

    def run_again() -> Scene:
        scene = Scene()
        (held,) = take(scene.desk)
        scene.desk.update(scene.job.id, completing(held, result='"first"'))
        scene.desk.update(scene.job.id, lambda job: lifecycle.retry(job, now=START))
        take(scene.desk, worker_id=BOB)
        return scene

    def complete(scene: Scene) -> None:
        scene.desk.update(scene.job.id, completing(scene.there(), result='"second"'))

    def act(scene: Scene, store: BucketJobStore) -> None:
        seen = store.get(scene.job.id)

        assert (seen.state, seen.result) in {(State.RUNNING, '"first"'), (State.COMPLETED, '"second"')}

    at_every_request(complete, act, run_again)
