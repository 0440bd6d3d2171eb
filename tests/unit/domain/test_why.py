"""Every state of a job has its explanation, and a command that changes it."""

from datetime import timedelta
from typing import Any

import pytest

from blobforge.domain import lifecycle
from blobforge.domain.error_codes import all_errors
from blobforge.domain.ids import JobId, WorkerId
from blobforge.domain.job import Job, State
from blobforge.domain.json_value import JsonObject
from blobforge.domain.needs import with_needs
from blobforge.domain.pause import Pause
from blobforge.domain.remedies import REMEDIES, meaning_of, remedy_for
from blobforge.domain.why import Explanation, Reason, Surroundings, comes_before, explain, explain_unknown
from blobforge.domain.worker import Worker, WorkerStatus
from blobforge.testing.builders import LEASE, a_job, job_in
from blobforge.testing.clock import START

SOON = START + timedelta(seconds=1)
BUSY: JsonObject = {"slots": 2, "running": 2}
FREE: JsonObject = {"slots": 2, "running": 1}


def worker(name: str = "alice", **facts: Any) -> Worker:
    given = {"type": "echo,pdf", "status": WorkerStatus.ONLINE, "last_heartbeat": START, "metadata": FREE, **facts}
    return Worker(id=WorkerId(name), **given)


def why(job: Job, *workers: Worker, called: str = "#1", **around: Any) -> Explanation:
    return explain(job, Surroundings(**{"now": SOON, "workers": workers, **around}), called=called)


@pytest.mark.parametrize("state", State)
def test_every_state_has_a_sentence(state: State) -> None:
    told = why(job_in(state), worker())

    assert told.text.endswith(".")
    assert all(command.startswith("blobforge ") or "=MORE blobforge" in command for command in told.commands)


def test_a_job_that_nobody_serves_needs_a_worker() -> None:
    told = why(a_job(), worker(type="echo"), worker("bob", type="pdfs"))

    assert told.reason is Reason.NO_WORKER
    assert told.text == "It waits, and no worker serves the type 'pdf'."
    assert told.commands == ("blobforge worker --type pdf",)


@pytest.mark.parametrize(
    "silent",
    [worker(last_heartbeat=SOON - timedelta(minutes=3)), worker(status=WorkerStatus.OFFLINE)],
    ids=["not heard of", "offline"],
)
def test_workers_that_are_gone_are_named_with_their_last_heartbeat(silent: Worker) -> None:
    told = why(a_job(), silent)

    assert told.reason is Reason.WORKERS_SILENT
    assert "the last sign of life was of alice, " in told.text
    assert told.commands == ("blobforge worker --type pdf",)


def test_workers_that_are_ending_take_nothing_more() -> None:
    told = why(a_job(), worker(status=WorkerStatus.DRAINING), worker("bob", status=WorkerStatus.DRAINING))

    assert told.reason is Reason.WORKERS_DRAINING
    assert told.text == "It waits, and all workers of its type are ending: alice, bob."


def test_workers_outside_their_run_windows_are_named_with_the_first_opening() -> None:
    later, first = START + timedelta(hours=5), START + timedelta(hours=2)
    told = why(
        a_job(),
        worker(metadata={"opens_at": later.isoformat()}),
        worker("bob", metadata={"opens_at": first.isoformat()}),
    )

    assert told.reason is Reason.WORKERS_CLOSED
    assert "(alice, bob), which opens at 2026-01-01 14:00:00 UTC (in 1 h)." in told.text


def test_one_worker_that_is_open_is_enough() -> None:
    closed = worker(metadata={"opens_at": (START + timedelta(hours=2)).isoformat()})

    assert why(a_job(), closed, worker("bob")).reason is Reason.NEXT


def test_a_job_behind_others_can_be_put_before_them() -> None:
    told = why(a_job(), worker(), ahead=12, called="abcd")

    assert told.reason is Reason.BEHIND_OTHERS
    assert told.text == "It waits behind 12 jobs that are more urgent or older; its own priority is normal."
    assert told.commands == ("blobforge reprioritize abcd critical", "blobforge worker --type pdf")


def test_a_job_that_no_worker_is_equipped_for_says_what_is_missing_and_where() -> None:
    needy = a_job(metadata=with_needs("{}", ["engine:marker", "ocr:deu"]))
    german = worker("anna", metadata={**FREE, "has": ["engine:blobforge", "ocr:deu"]})

    told = why(needy, worker(metadata={**FREE, "has": ["engine:blobforge"]}), german, ahead=3)

    assert told.reason is Reason.NEEDS_UNMET
    assert told.text == (
        "It waits for a worker that has the engine marker and the language deu of tesseract, and none of those that "
        "run has: anna has not the engine marker; alice has not the engine marker and the language deu of tesseract. "
        "Install it where one of them runs and start that worker again, or start one on a machine that has it."
    )
    assert told.commands == ("pip install 'blobforge[marker]'", "blobforge worker --type pdf")


def test_a_job_that_one_worker_is_equipped_for_waits_for_that_one() -> None:
    needy = a_job(metadata=with_needs("{}", ["engine:marker"]))
    able = worker("anna", metadata={**BUSY, "has": ["engine:marker"]})

    assert why(needy, worker(metadata=FREE), able).reason is Reason.SLOTS_BUSY
    assert why(needy, worker(metadata=FREE), able, ahead=1).reason is Reason.BEHIND_OTHERS


def test_the_advice_to_start_a_worker_names_what_it_must_have() -> None:
    told = why(a_job(metadata=with_needs("{}", ["engine:marker"])))

    assert told.reason is Reason.NO_WORKER
    assert told.text.endswith("It needs one that has the engine marker.")
    assert told.commands == ("pip install 'blobforge[marker]'", "blobforge worker --type pdf")


def test_what_this_machine_has_is_not_to_be_installed() -> None:
    needy = a_job(metadata=with_needs("{}", ["engine:marker", "ocr:deu"]))
    all_here, some_here = frozenset({"engine:marker", "ocr:deu"}), frozenset({"engine:marker"})

    told = why(needy, has_here=all_here)
    assert told.text.endswith("the language deu of tesseract, as this machine does.")
    assert told.commands == ("blobforge worker --type pdf",)
    assert why(needy, has_here=some_here).commands == ("apt install tesseract-ocr-deu", "blobforge worker --type pdf")

    told = why(needy, worker(metadata=FREE), has_here=all_here)
    assert told.reason is Reason.NEEDS_UNMET
    assert told.text.endswith("This machine has it: start a worker here, or start the one that runs here again.")
    assert told.commands == ("blobforge worker --type pdf",)


def test_a_job_that_cannot_be_more_urgent_needs_more_workers() -> None:
    assert why(a_job(priority=1), worker(), ahead=1).commands == ("blobforge worker --type pdf",)


def test_one_job_ahead_is_one_and_a_long_queue_is_not_counted_to_its_end() -> None:
    assert "behind 1 job that is" in why(a_job(), worker(), ahead=1).text
    assert "behind at least 10000 jobs" in why(a_job(), worker(), ahead=10_000, ahead_is_all=False).text


def test_the_next_job_waits_for_a_slot_or_for_a_moment() -> None:
    busy, free = why(a_job(), worker(metadata=BUSY)), why(a_job(), worker(metadata=BUSY), worker("bob"))

    assert (busy.reason, busy.text) == (
        Reason.SLOTS_BUSY,
        "It is the next in line; all 2 slots of its workers are busy.",
    )
    assert (free.reason, free.commands) == (Reason.NEXT, ())


def test_a_failed_job_waits_until_its_time() -> None:
    told = why(job_in(State.FAILED), worker())

    assert told.reason is Reason.BACK_OFF
    assert told.text == (
        "Attempt 1 of 3 failed, and it is tried again at 2026-01-01 12:00:10 UTC (in 9 s). "
        "it took too long [timed_out]. The document took longer than conversion_timeout_seconds."
    )
    assert told.commands == ("blobforge retry '#1'", "blobforge logs '#1'")


def test_a_failed_job_whose_time_has_come_waits_as_a_pending_one_does() -> None:
    told = why(job_in(State.FAILED), now=START + timedelta(minutes=1))

    assert told.reason is Reason.NO_WORKER
    assert told.text == (
        "It waits, and no worker serves the type 'pdf'. Attempt 1 of 3 failed: it took too long [timed_out]. "
        "The document took longer than conversion_timeout_seconds."
    )
    assert told.commands == ("blobforge worker --type pdf", "blobforge logs '#1'")


def test_a_running_job_tells_its_worker_and_its_lease() -> None:
    told = why(job_in(State.RUNNING), worker())

    assert told.reason is Reason.RUNNING
    assert told.text == (
        "Worker alice has it since 2026-01-01 12:00:00 UTC, as attempt 1 of 3. "
        "Its lease ends at 2026-01-01 12:03:00 UTC (in 2 min) unless it is renewed."
    )
    assert told.commands == ("blobforge cancel --requeue '#1'", "blobforge cancel '#1'")


def test_a_running_job_of_a_lost_worker_says_so_and_when_it_is_free_again() -> None:
    silent = worker(metadata={**FREE, "heartbeat_seconds": 5})
    told = why(job_in(State.RUNNING), silent, now=START + timedelta(seconds=20))

    assert told.reason is Reason.WORKER_LOST
    assert told.text.endswith(
        "That worker is lost: there was no heartbeat since 2026-01-01 12:00:00 UTC (20 s ago). "
        "The job is free again when its lease ends, at 2026-01-01 12:03:00 UTC (in 2 min)."
    )


def test_a_running_job_of_a_worker_that_has_left_the_list_says_so() -> None:
    told = why(job_in(State.RUNNING), worker("bob"))

    assert told.reason is Reason.WORKER_LOST
    assert "it is not among those that are signed in" in told.text


def test_a_lease_that_is_over_frees_the_job_at_the_next_claim() -> None:
    told = why(job_in(State.RUNNING), now=START + LEASE)

    assert told.reason is Reason.LEASE_OVER
    assert "Its lease ended at 2026-01-01 12:03:00 UTC (now)" in told.text


def test_a_lease_that_is_over_says_that_its_worker_is_lost() -> None:
    silent = worker(metadata={**FREE, "heartbeat_seconds": 5})
    told = why(job_in(State.RUNNING), silent, now=START + LEASE)

    assert told.reason is Reason.LEASE_OVER
    assert "That worker is lost: there was no heartbeat since 2026-01-01 12:00:00 UTC (3 min ago). Its lease ended" in (
        told.text
    )


def test_a_job_whose_attempts_are_spent_says_what_its_error_means_and_what_to_do() -> None:
    told = why(job_in(State.DEAD)._replace(attempts=3, max_attempts=3), called="abcd")

    assert told.reason is Reason.BUDGET_SPENT
    assert told.text == (
        "It was given up, because all 3 attempts are spent. it took too long [timed_out]. "
        "The document took longer than conversion_timeout_seconds. "
        "If the document is worth it, give it more on the machines of the workers, and retry it."
    )
    assert told.commands == (
        "BLOBFORGE_CONVERSION_TIMEOUT_SECONDS=MORE blobforge worker",
        "blobforge retry abcd",
    )


def test_a_job_that_was_refused_for_good_can_be_cleared_away_by_its_code() -> None:
    told = why(job_in(State.DEAD)._replace(error_code="not_a_pdf", last_error="it is a web page"))

    assert told.reason is Reason.REFUSED
    assert told.commands == ("blobforge submit PATH", "blobforge clear-dead --code not_a_pdf")


def test_an_error_of_somebody_elses_processor_has_its_message_and_the_ordinary_advice() -> None:
    told = why(job_in(State.DEAD)._replace(error_code="my own; code", last_error=None))

    assert "No message was kept [my own; code]. See what happened" in told.text
    assert told.commands == ("blobforge logs '#1'", "blobforge retry '#1'")


def test_a_job_that_lost_its_workers_says_so() -> None:
    told = why(job_in(State.DEAD)._replace(error_code="lease_expired", attempts=3))

    assert "The worker that had it was not heard of any more." in told.text


def test_what_is_over_tells_since_when_and_how_to_do_it_again() -> None:
    done, cancelled = why(job_in(State.COMPLETED)), why(job_in(State.CANCELLED))

    assert (done.reason, done.text) == (Reason.COMPLETED, "It was completed at 2026-01-01 12:00:00 UTC (1 s ago).")
    assert done.commands == ("blobforge download '#1'", "blobforge reprocess '#1' --engine ENGINE")
    assert cancelled.reason is Reason.CANCELLED
    assert cancelled.text == "Somebody cancelled it at 2026-01-01 12:00:00 UTC (1 s ago)."
    assert cancelled.commands == ("blobforge retry '#1'",)


def test_a_cancelled_job_tells_of_the_result_of_an_earlier_run() -> None:
    told = why(job_in(State.CANCELLED)._replace(result='{"key":"k","pages":3,"pages_failed":1}'))

    assert told.text.endswith("The result of an earlier run is there all the same, but 1 of 3 pages is missing.")
    assert told.commands == ("blobforge download '#1'", "blobforge retry '#1'")


def test_a_result_with_gaps_says_what_is_missing_and_what_helps() -> None:
    result = '{"pages":3,"pages_failed":2,"codes":{"ocr_unavailable":2},"repaired":true}'

    told = why(job_in(State.COMPLETED)._replace(result=result))

    assert told.reason is Reason.COMPLETED_WITH_GAPS
    assert "but 2 of 3 pages are missing (ocr_unavailable)." in told.text
    assert "Look at it with care: the file was damaged and repaired." in told.text
    assert "Install tesseract" in told.text
    assert told.commands == ("blobforge doctor", "blobforge retry '#1'", "blobforge download '#1'")


def test_a_completed_job_with_damaged_pages_is_not_told_to_be_cleared_away() -> None:
    result = '{"pages":3,"pages_failed":1,"codes":{"damaged_pdf":1}}'

    told = why(job_in(State.COMPLETED)._replace(result=result))

    assert "Only another file helps: mend or replace it and submit that one." in told.text
    assert "cleared away" not in told.text
    assert told.commands == ("blobforge submit PATH", "blobforge retry '#1'", "blobforge download '#1'")


def test_a_hash_that_is_not_known_can_be_submitted() -> None:
    told = explain_unknown("abcd")

    assert told.reason is Reason.UNKNOWN
    assert "no job abcd" in told.text
    assert told.commands[0] == "blobforge submit PATH"


def test_jobs_are_claimed_by_priority_then_age_then_number() -> None:
    job = a_job(job_id=5)

    assert comes_before(job._replace(priority=2, id=JobId(9)), job)
    assert comes_before(job._replace(created_at=START - timedelta(seconds=1), id=JobId(9)), job)
    assert comes_before(job._replace(id=JobId(4)), job)
    assert not comes_before(job, job)


def test_remedies_are_for_codes_that_there_are() -> None:
    assert set(REMEDIES) - {"lease_expired", "source_never_came"} <= set(all_errors())


@pytest.mark.parametrize("code", sorted(all_errors()))
def test_every_code_has_a_meaning_and_advice(code: str) -> None:
    assert (meaning_of(code) or "").endswith((".", ","))
    assert remedy_for(code).commands


def test_a_running_job_whose_lease_nobody_told_says_nothing_of_it() -> None:
    told = why(job_in(State.RUNNING)._replace(lease_expires_at=None))

    assert told.reason is Reason.RUNNING
    assert not [line for line in told.sentences if "lease" in line]


def test_a_missing_source_is_told_by_what_is_missing() -> None:
    assert meaning_of("source_missing") == "The document is neither where it was nor in the store."


def test_a_job_that_was_announced_waits_for_its_source() -> None:
    told = why(a_job(available_at=SOON + timedelta(minutes=9)), worker())

    assert told.reason is Reason.AWAITS_SOURCE
    assert told.text.startswith("It waits for its source, which must come by 2026-01-01 12:0")
    assert told.text.endswith("(in 9 min); then a worker can take it.")
    assert told.commands == ("blobforge submit PATH", "blobforge cancel '#1'")


def test_a_source_that_should_be_there_by_now_is_told() -> None:
    told = why(a_job(available_at=SOON - timedelta(minutes=3)), worker())

    assert told.reason is Reason.AWAITS_SOURCE
    assert "(3 min ago)) and did not come: the next sweep gives it up." in told.text


def test_a_job_whose_source_never_came_is_brought_its_document() -> None:
    told = why(lifecycle.reap(a_job(available_at=SOON), now=SOON))

    assert told.reason is Reason.SOURCE_NEVER_CAME
    assert told.text.startswith("It was given up, because its source did not come. its source was expected by")
    assert "[source_never_came]" in told.text
    assert told.commands == ("blobforge submit PATH",)


def test_nobody_waits_behind_a_job_without_its_source() -> None:
    job = a_job("b", now=SOON)

    assert comes_before(a_job("a"), job)
    assert not comes_before(a_job("a", available_at=SOON), job)


def test_a_paused_type_says_since_when_by_whom_and_how_it_is_resumed() -> None:
    told = why(job_in(State.PENDING), pause=Pause("default", "pdf", since=START, by="local:ada"))

    assert told.reason is Reason.PAUSED
    assert told.text.startswith("It waits: jobs of type 'pdf' are paused since 2026-01-01 12:00:00 UTC")
    assert told.text.endswith("by local:ada.")
    assert told.commands == ("blobforge resume pdf",)
