"""`blobforge submit`: documents into the queue, for workers to convert."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.output import json_option
from blobforge.cli.processor_options import parse_options
from blobforge.cli.tiers import TIER
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.priority import Priority
from blobforge.ingest.scan import scan
from blobforge.ingest.submitting import Submission, Submitted


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option("--type", "job_type", default="pdf", show_default=True, help="Job type: which queue, and so processor.")
@click.option(
    "--priority",
    default="3",
    type=TIER,
    metavar="TIER",
    help="1 (critical) to 5 (background), or a name.  [default: 3]",
)
@click.option("--tag", "tags", multiple=True, help="A word to find the documents by; may be given several times.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the processor.")
@json_option
def command(
    paths: tuple[Path, ...],
    *,
    job_type: str,
    priority: Priority,
    tags: tuple[str, ...],
    options: tuple[str, ...],
    as_json: bool,
) -> int:
    """Put documents into the queue.

    Copies each document below PATH into the store and queues it; content that is queued already is not queued twice.

    With --json: documents, queued, known, failed, and results, a list of path, outcome, code, message, job_id,
    source_hash, state.
    """
    from blobforge import wiring

    settings = context.settings()
    order = wiring.order_for(settings, job_type, parse_options(options))
    opened = wiring.open_submit(settings, job_type=job_type, order=order, priority=priority, tags=canonical_json(tags))
    try:
        results = list(opened.service.submit(scan(paths)))
    finally:
        opened.close()
    counts = Counter(entry.outcome for entry in results)
    if as_json:
        totals = {kind.value: counts[kind] for kind in Submission}
        output.print_json({"documents": len(results), **totals, "results": [_entry_json(entry) for entry in results]})
    else:
        _tell(results, counts)
    if not counts[Submission.FAILED]:
        return exit_codes.OK
    return exit_codes.PARTIAL if len(counts) > 1 else exit_codes.ERROR


def _entry_json(entry: Submitted) -> JsonObject:
    return {
        "path": entry.path,
        "outcome": entry.outcome.value,
        "code": entry.code,
        "message": entry.message,
        "job_id": entry.job_id,
        "source_hash": entry.source_hash,
        "state": entry.state,
    }


def _tell(results: Sequence[Submitted], counts: Mapping[Submission, int]) -> None:
    for entry in results:
        if entry.outcome is Submission.FAILED:
            output.warn(f"{entry.message} [{entry.code}]")
    states = Counter(entry.state for entry in results if entry.outcome is Submission.KNOWN)
    known = ", ".join(f"{count} {state}" for state, count in states.most_common())
    output.say(
        f"{counts[Submission.QUEUED]} queued, "
        f"{counts[Submission.KNOWN]} known{f' ({known})' if known else ''}, "
        f"{counts[Submission.FAILED]} failed"
    )
