"""`blobforge lab-worker`: reads the lab reports that another application has queued in its own database."""

import click

from blobforge.cli import context
from blobforge.cli.output import json_option
from blobforge.cli.worker_ending import ending_for
from blobforge.cli.working import LogOnly, until_when, work


@click.command()
@click.option("--run-once", is_flag=True, help="Do one job, if there is one, and end.")
@click.option("--drain", is_flag=True, help="End when no job is pending or processing.")
@click.option("--grace-seconds", type=float, help="How long a running job may take to end after SIGTERM.")
@json_option
def command(*, run_once: bool, drain: bool, as_json: bool, **flags: object) -> int:
    """Run a worker on the table pdf_jobs of another application's PostgreSQL.

    Claims the pending jobs of that table one by one, reads each report, and writes its two results and the job's end
    in one transaction. It writes the documented columns alone and changes no schema.

    Its settings are the variables DB_HOST, DB_PORT, DB_NAME, DB_USER, DB_PASSWORD, POLL_INTERVAL_SECONDS, MAX_ATTEMPTS,
    STALE_LOCK_SECONDS, STORAGE_BASE_PATH, STORAGE_PATH_TEMPLATE, MAX_FILE_MB and SPACY_MODEL_NAME.

    The first SIGTERM or Ctrl-C lets the running job end, for up to --grace-seconds; a second one hands it back.

    With --json, at the end: completed, failed, released, lost, cancelled, gaps.
    """
    if run_once and drain:
        raise click.UsageError("--run-once and --drain exclude each other")
    from blobforge import wiring
    from blobforge.config.lab import load_lab

    settings, lab = context.settings(**flags), load_lab()
    context.start_logging(settings)
    until = until_when(run_once=run_once, drain=drain)
    opened = wiring.open_lab_worker(settings, lab, until=until, watcher=LogOnly())
    # What failed is told by the application whose jobs these are.
    return work(opened, ending=ending_for(settings), ends_by_itself=False, as_json=as_json)
