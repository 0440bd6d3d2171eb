"""Why a job waits whose workers take nothing more."""

import pytest
from tests.unit.domain.test_why import BUSY, FREE, why, worker

from blobforge.domain.json_value import JsonObject
from blobforge.domain.why import Reason
from blobforge.domain.worker import WorkerStatus
from blobforge.testing.builders import a_job


def test_workers_whose_account_drains_are_told_with_what_resumes_them() -> None:
    drained: JsonObject = {**FREE, "drained": "rack4"}
    told = why(
        a_job(),
        worker("rack4.1.00000001", status=WorkerStatus.DRAINING, metadata=drained),
        worker("rack4.2.00000002", status=WorkerStatus.DRAINING, metadata=drained),
        worker("bob", status=WorkerStatus.DRAINING),
    )

    assert told.reason is Reason.WORKERS_DRAINING
    assert told.text == (
        "It waits, and all workers of its type are ending: bob; or are draining: rack4.1.00000001, rack4.2.00000002."
    )
    assert told.commands == ("blobforge workers resume rack4", "blobforge worker --type pdf")


@pytest.mark.parametrize("name", ["{job}", "{", "; rm -rf /", ""])
def test_what_is_no_name_of_an_account_is_put_into_no_command(name: str) -> None:
    told = why(a_job(), worker(status=WorkerStatus.DRAINING, metadata={"drained": name}))

    assert told.commands == ("blobforge worker --type pdf",)


def test_the_slots_of_a_worker_that_drains_count_for_nothing() -> None:
    told = why(a_job(), worker(metadata=BUSY), worker("bob", status=WorkerStatus.DRAINING))

    assert told.text == "It is the next in line; all 2 slots of its workers are busy."
