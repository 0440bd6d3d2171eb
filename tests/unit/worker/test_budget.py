"""What one document may cost in all."""

import pytest

from blobforge.domain.errors import ChildTimedOut, DocumentCpuLimit
from blobforge.worker.budget import DocumentBudget
from blobforge.worker.limits import ChildLimits


class Watch:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def budget(watch: Watch) -> DocumentBudget:
    return DocumentBudget(ChildLimits(timeout_seconds=100, document_cpu_seconds=50), monotonic=watch)


def test_time_counts_once_however_many_slots_are_at_work(budget: DocumentBudget, watch: Watch) -> None:
    budget.step_begins()
    budget.step_begins()
    watch.now = 30

    assert budget.seconds_left() == 70


def test_time_in_the_line_does_not_count(budget: DocumentBudget, watch: Watch) -> None:
    budget.step_begins()
    watch.now = 30
    budget.step_ends()
    watch.now = 5000
    budget.step_begins()

    assert budget.seconds_left() == 70


def test_when_it_is_spent_the_limit_is_named(budget: DocumentBudget, watch: Watch) -> None:
    budget.step_begins()
    watch.now = 100

    with pytest.raises(ChildTimedOut, match="longer than 100 s, which is what conversion_timeout_seconds allows"):
        budget.seconds_left()


def test_processor_time_is_added_up_over_all_steps(budget: DocumentBudget) -> None:
    budget.step_begins()
    budget.charge(30)
    assert budget.seconds_left() == 100

    budget.charge(30)

    with pytest.raises(
        DocumentCpuLimit, match="60 s of processor time and is not done; conversion_cpu_seconds allows 50"
    ):
        budget.seconds_left()
