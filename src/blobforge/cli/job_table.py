"""Jobs as a table for people."""

from collections.abc import Sequence
from pathlib import PurePath

from blobforge.cli import output
from blobforge.cli.jobs import SHORT_HASH, priority_text
from blobforge.cli.output import Column
from blobforge.clock import SystemClock
from blobforge.domain.job import Job


def print_jobs(jobs: Sequence[Job]) -> None:
    now = SystemClock().now()
    columns = [
        *(Column(title, keep=True) for title in ("ID", "HASH", "TYPE", "STATE", "PRIORITY", "CHANGED")),
        Column("DOCUMENT"),
        Column("ERROR"),
    ]
    rows = [
        [
            f"#{job.id}",
            job.source_hash[:SHORT_HASH],
            job.type,
            job.state.value,
            priority_text(job),
            output.age_text(job.updated_at, now=now),
            document_name(job),
            job.error_code or "",
        ]
        for job in jobs
    ]
    output.print_table(columns, rows)


def job_label(job: Job) -> str:
    """How a message names a job: `job #17 (report.pdf)`."""
    name = document_name(job) or f"{job.source_hash[:SHORT_HASH]}…"
    return f"job #{job.id} ({name})"


def document_name(job: Job) -> str:
    return PurePath(job.source_path or "").name
