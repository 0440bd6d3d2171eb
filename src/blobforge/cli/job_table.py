"""Jobs as a table for people."""

from collections.abc import Sequence
from pathlib import PurePath

from blobforge.cli import output
from blobforge.cli.jobs import SHORT_HASH, priority_text
from blobforge.cli.output import Column
from blobforge.clock import SystemClock
from blobforge.domain.job import Job
from blobforge.domain.result_record import result_record

COLUMNS = (
    Column("HASH"),
    Column("DOCUMENT", cut=True),
    Column("STATE"),
    Column("ERROR", cut=True, rank=1),
    Column("CHANGED", rank=2),
    Column("PRIORITY", rank=3),
    Column("TYPE", rank=4),
    Column("ID", rank=5),
)
"""The hash first, by which every command takes a job; the document is seen however narrow the terminal."""


def print_jobs(jobs: Sequence[Job]) -> None:
    now = SystemClock().now()
    output.print_table(
        COLUMNS,
        [
            [
                job.source_hash[:SHORT_HASH],
                document_name(job) or "unknown",
                job.state.value,
                job.error_code or _flaws(job),
                output.age_text(job.updated_at, now=now),
                priority_text(job),
                job.type,
                f"#{job.id}",
            ]
            for job in jobs
        ],
    )


def _flaws(job: Job) -> str:
    """Of a result with gaps: `6 pages missing`; of one that is whole and not beyond doubt: `repaired`, `doubtful`."""
    record = result_record(job)
    if count := record.pages_failed:
        return f"{count} page{'' if count == 1 else 's'} missing"
    if record.repaired:
        return "repaired"
    return "doubtful" if record.has_doubts else ""


def job_label(job: Job) -> str:
    """How a message names a job: `job #17 (report.pdf)`."""
    name = document_name(job) or f"{job.source_hash[:SHORT_HASH]}…"
    return f"job #{job.id} ({name})"


def document_name(job: Job) -> str:
    return PurePath(job.source_path or "").name
