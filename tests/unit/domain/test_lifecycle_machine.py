"""Any sequence of transitions by any number of workers, at any time: what must hold after each."""

from collections.abc import Callable

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from blobforge.domain import lifecycle
from blobforge.domain.endings import Completed, Ending, Failed, Released, end
from blobforge.domain.errors import BlobForgeError, LeaseLost
from blobforge.domain.events import attempt_of
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Failure, Job, State, lease_of
from blobforge.domain.retry import RetryPolicy
from blobforge.testing.builders import LEASE, a_job
from blobforge.testing.clock import FakeClock

WORKERS = st.sampled_from([WorkerId("alice"), WorkerId("bob"), WorkerId("carol")])
AGES = st.sampled_from([0, 0, 0, 1, 2, 5])
LETTING_GO: st.SearchStrategy[Callable[[Job], Ending]] = st.sampled_from(
    [
        lambda held: Completed(held, "{}"),
        lambda held: Failed(held, Failure("timed_out", "too slow", retryable=True)),
        lambda held: Failed(held, Failure("not_a_pdf", "a web page")),
        Released,
    ]
)


class LifecycleMachine(RuleBasedStateMachine):
    def __init__(self) -> None:
        super().__init__()
        self.clock = FakeClock()
        self.job = a_job()
        self.claims: list[Job] = []
        self.ended: set[int] = set()
        self.highest_lease = 0

    @initialize(max_attempts=st.integers(1, 4))
    def submit(self, max_attempts: int) -> None:
        self.job = a_job(max_attempts=max_attempts)

    # What workers do

    @rule(worker_id=WORKERS)
    def claim(self, worker_id: WorkerId) -> None:
        now = self.clock.now()
        if self.apply(lambda job: lifecycle.claim(job, worker_id=worker_id, now=now, until=now + LEASE)):
            self.claims.append(self.job)

    @precondition(lambda self: self.claims)
    @rule(age=AGES)
    def renew(self, age: int) -> None:
        held, now = self.claim_of(age), self.clock.now()
        self.write(held, lambda job: lifecycle.renew(job, lease_of(held), now=now, until=now + LEASE))

    @precondition(lambda self: self.claims)
    @rule(age=AGES, let_go=LETTING_GO, roll=st.floats(0, 1, exclude_max=True))
    def let_go(self, age: int, let_go: Callable[[Job], Ending], roll: float) -> None:
        held, now = self.claim_of(age), self.clock.now()
        ending = let_go(held)
        self.write(held, lambda job: end(job, ending, policy=RetryPolicy(), roll=roll, now=now))

    # What people and time do

    @rule(reset=st.booleans(), priority=st.none() | st.integers(1, 5))
    def retry(self, reset: bool, priority: int | None) -> None:
        now = self.clock.now()
        self.apply(lambda job: lifecycle.retry(job, now=now, reset_attempts=reset, priority=priority))

    @rule()
    def restore(self) -> None:
        self.apply(lambda job: lifecycle.restore(job, now=self.clock.now()))

    @rule()
    def cancel(self) -> None:
        self.apply(lambda job: lifecycle.cancel(job, now=self.clock.now()))

    @rule()
    def requeue(self) -> None:
        self.apply(lambda job: lifecycle.requeue(job, now=self.clock.now()))

    @rule(worker_id=WORKERS)
    def abandon(self, worker_id: WorkerId) -> None:
        self.apply(lambda job: lifecycle.abandon(job, worker_id=worker_id, now=self.clock.now()))

    @rule(seconds=st.integers(-30, 1_000))
    def time_passes(self, seconds: int) -> None:
        self.clock.advance(seconds=seconds)

    @rule()
    def sweep(self) -> None:
        self.apply(lambda job: lifecycle.reap(job, now=self.clock.now()))

    # What must hold

    @invariant()
    def the_budget_is_kept(self) -> None:
        assert 0 <= self.job.attempts <= self.job.max_attempts

    @invariant()
    def only_a_running_job_has_a_holder(self) -> None:
        held = self.job.state is State.RUNNING
        assert (self.job.worker_id is not None) is held
        assert (self.job.lease_expires_at is not None) is held

    @invariant()
    def at_most_one_claim_is_good(self) -> None:
        good = [held for held in self.claims if self.accepts(held)]
        assert len(good) == (self.job.state is State.RUNNING)
        assert all(held is self.claims[-1] for held in good)

    def claim_of(self, age: int) -> Job:
        """The last claim, or one that is so much older."""
        return self.claims[-1 - min(age, len(self.claims) - 1)]

    def accepts(self, held: Job) -> bool:
        try:
            lifecycle.renew(self.job, lease_of(held), now=self.clock.now(), until=self.clock.now() + LEASE)
        except LeaseLost:
            return False
        return True

    def write(self, held: Job, change: Callable[[Job], Job]) -> None:
        is_old = held is not self.claims[-1]
        changed = self.apply(change)
        assert not (is_old and changed), "an old lease changed the job"

    def apply(self, change: Callable[[Job], Job]) -> bool:
        before = self.job
        try:
            after = change(before)
        except BlobForgeError:
            return False
        assert after.lease_number in (before.lease_number, before.lease_number + 1), "a lease number is never skipped"
        assert after.lease_number >= self.highest_lease, "a lease number never goes back"
        self.highest_lease = after.lease_number
        attempt = attempt_of(before, after)
        if attempt is not None:
            assert attempt.lease_number not in self.ended, "an attempt ends once"
            self.ended.add(attempt.lease_number)
        self.job = after
        return True

    def teardown(self) -> None:
        running = {self.job.lease_number} if self.job.state is State.RUNNING else set()
        assert self.ended | running == set(range(1, self.job.lease_number + 1)), "every claim has its attempt"


TestLifecycle = LifecycleMachine.TestCase
TestLifecycle.settings = settings(max_examples=150, stateful_step_count=40, deadline=None, database=None)
