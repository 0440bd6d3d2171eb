"""A process that works off a queue: `drain.py URL WORKER LIMIT`. It begins when it is told to on its standard input.

With a limit it claims so many jobs and then waits to be killed; with 0 it drains. It prints what it did as JSON.
"""

import json
import sys
from datetime import timedelta

from blobforge.clock import SystemClock
from blobforge.coordination.service import CoordinationService
from blobforge.coordination.sql.backend import open_queue
from blobforge.domain.endings import Completed, Ending
from blobforge.domain.ids import WorkerId
from blobforge.domain.job import Job
from blobforge.ports.job_store import Queue
from blobforge.ports.queue_backend import QueueOptions

QUEUE = Queue("default", ("pdf",))


def main() -> None:
    url, name, limit = sys.argv[1], WorkerId(sys.argv[2]), int(sys.argv[3])
    service = CoordinationService(
        open_queue(url, QueueOptions(durable=False)).store, clock=SystemClock(), lease_for=timedelta(seconds=180)
    )
    tell("ready")
    sys.stdin.readline()
    if limit:
        tell([job.id for job in service.claim(QUEUE, worker_id=name, limit=limit)])
        sys.stdin.readline()
    tell(drained(service, name))
    service.close()


def drained(service: CoordinationService, name: WorkerId) -> list[int]:
    """Batches of one to five jobs, so that both forms of writing are used."""
    done: list[int] = []
    held: list[Job] = []
    size = 0
    while True:
        size = size % 5 + 1
        endings: list[Ending] = [Completed(job, f'{{"by":"{name}"}}') for job in held]
        ended, held = service.end_and_claim(endings, QUEUE, worker_id=name, limit=size)
        done += [outcome.id for outcome in ended if isinstance(outcome, Job)]
        if not held:
            return done


def tell(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
