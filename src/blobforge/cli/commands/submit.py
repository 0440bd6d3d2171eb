"""`blobforge submit`: documents into the queue, for workers to convert."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.choices import JOB_TYPE
from blobforge.cli.existing_path import ExistingPath
from blobforge.cli.ingest_display import IngestDisplay, display_for
from blobforge.cli.jobs import id_json
from blobforge.cli.links import follow_links_option, tell_not_followed
from blobforge.cli.output import json_option
from blobforge.cli.processor_options import parse_options
from blobforge.cli.progress import counted
from blobforge.cli.tiers import TIER
from blobforge.domain.job import State
from blobforge.domain.json_value import JsonObject, canonical_json
from blobforge.domain.priority import Priority
from blobforge.ingest.links import Links
from blobforge.ingest.scan import DocumentFilter, FoundFile, Seen, scan
from blobforge.ingest.service import Ingested, IngestOutcome
from blobforge.ingest.submitting import Submission, SubmittedFile

if TYPE_CHECKING:
    from blobforge.wiring import OpenedSubmit

_OUTCOMES = {
    Submission.QUEUED: IngestOutcome.QUEUED,
    Submission.KNOWN: IngestOutcome.SKIPPED,
    Submission.FAILED: IngestOutcome.FAILED,
}
MOST_NAMED = 5


@click.command()
@click.argument("paths", nargs=-1, required=True, type=ExistingPath(), metavar="PATH...")
@click.option(
    "--type",
    "job_type",
    default="pdf",
    show_default=True,
    type=JOB_TYPE,
    help="Job type: which queue, and so processor.",
)
@click.option(
    "--priority",
    default="3",
    type=TIER,
    metavar="TIER",
    help="1 (critical) to 5 (background), or a name.  [default: 3]",
)
@click.option("--tag", "tags", multiple=True, help="A word to find the documents by; may be given several times.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="An option of the processor.")
@follow_links_option
@json_option
def command(
    paths: tuple[Path, ...],
    *,
    job_type: str,
    priority: Priority,
    tags: tuple[str, ...],
    options: tuple[str, ...],
    follow_links: bool,
    as_json: bool,
) -> int:
    """Put documents into the queue.

    Copies each document below PATH into the store and queues it; content that is queued already is not queued twice. In
    folders, documents are PDFs, by their names or first bytes; a file that is named itself is taken whatever it is. A
    PATH that is not there is most often a typo: the command ends before anything is queued.

    Exit code: 0 all is there, 3 some documents failed, 1 all failed, 2 usage.

    With --json: documents, queued, known, failed, passed_over (files in folders that are no PDFs), links_not_followed,
    and results, a list of path, outcome, code,
    message, job_id, source_hash, state, ordered_otherwise (it is known, and its job has other options), has_gaps (it is
    known and completed, and pages are missing).
    """
    from blobforge import wiring

    settings = context.settings_of_queue()
    links, documents = Links(paths, follow_all=follow_links), DocumentFilter()
    order = wiring.order_for(settings, job_type, parse_options(options))
    with display_for(as_json=as_json, follow=False) as shown:
        opened = wiring.open_submit(
            settings, job_type=job_type, order=order, priority=priority, tags=canonical_json(tags), steps=shown
        )
        try:
            results = list(_submitted(opened, scan(paths, wanted=documents, links=links), shown))
        finally:
            opened.close()
    counts = Counter(entry.outcome for entry in results)
    if as_json:
        totals = {"documents": len(results), **{kind.value: counts[kind] for kind in Submission}}
        entries = [_entry_json(entry) for entry in results]
        passed_over: JsonObject = {"passed_over": documents.passed_over, "links_not_followed": list(links.not_followed)}
        output.print_json({**totals, **passed_over, "results": entries})
    else:
        _tell(results, counts)
        if not results:
            _tell_nothing_found(paths, documents.passed_over, job_type)
        tell_not_followed(links.not_followed)
        _tell_otherwise([entry for entry in results if entry.is_ordered_otherwise], options, job_type)
    if not counts[Submission.FAILED]:
        return exit_codes.OK
    return exit_codes.PARTIAL if len(counts) > 1 else exit_codes.ERROR


def _submitted(opened: "OpenedSubmit", seen: Iterable[Seen], shown: IngestDisplay) -> Iterator[SubmittedFile]:
    """What is wrong is told at the end; until then the display only counts."""
    files = list(seen)
    shown.begin(files=len(files))
    for entry in opened.service.submit(_told(files, shown)):
        shown.settled([Ingested(entry.path, _OUTCOMES[entry.outcome], entry.state or entry.code, entry.source_hash)])
        yield entry


def _told(files: Iterable[Seen], shown: IngestDisplay) -> Iterator[Seen]:
    for file in files:
        if isinstance(file, FoundFile):
            shown.hashing(file.stat.path, file.stat.size)
        yield file


def _entry_json(entry: SubmittedFile) -> JsonObject:
    return {
        "path": entry.path,
        "outcome": entry.outcome.value,
        "code": entry.code,
        "message": entry.message,
        "job_id": None if entry.job_id is None else id_json(entry.job_id),
        "source_hash": entry.source_hash,
        "state": entry.state,
        "ordered_otherwise": entry.is_ordered_otherwise,
        "has_gaps": entry.has_gaps,
    }


def _tell(results: Sequence[SubmittedFile], counts: Mapping[Submission, int]) -> None:
    for entry in results:
        if entry.outcome is Submission.FAILED:
            output.warn(f"{entry.message} [{entry.code}]")
    states = Counter(entry.state for entry in results if entry.outcome is Submission.KNOWN)
    known = ", ".join(f"{count} {state}" for state, count in states.most_common())
    gaps = sum(entry.has_gaps for entry in results)
    known += f", {'' if gaps == states[State.COMPLETED] else f'{gaps} of them '}with gaps" if gaps else ""
    output.say(
        f"{counts[Submission.QUEUED]} queued, "
        f"{counts[Submission.KNOWN]} known{f' ({known})' if known else ''}, "
        f"{counts[Submission.FAILED]} failed"
    )
    if gaps:
        output.say("To try the missing pages again: blobforge retry-all --gaps")


def _tell_nothing_found(folders: Sequence[Path], passed_over: int, job_type: str) -> None:
    """What a processor takes is not known here; who named a folder has to know what was looked for."""
    others = f", {counted(passed_over, 'file')} passed over" if passed_over else ""
    looked_for = "in folders, PDFs are looked for, by their names or first bytes"
    # Of several, one may be empty, and a shell leaves its pattern as it is.
    named = f"{shlex.quote(str(folders[0])) if len(folders) == 1 else 'FOLDER'}/*"
    what_to_do = f"; to submit other files, name them: blobforge submit {named} --type {job_type}"
    output.warn(f"no documents found{others}: {looked_for}{what_to_do if passed_over and job_type != 'pdf' else ''}")


def _tell_otherwise(known: Sequence[SubmittedFile], options: tuple[str, ...], job_type: str) -> None:
    """A job keeps its options: whoever asks for others must know, and how to get them."""
    if not known:
        return
    # By id: the hash of a document may be that of several jobs.
    words = ["blobforge", "reprocess", *(f"'#{entry.job_id}'" for entry in known[:MOST_NAMED])]
    words += ["…"] if len(known) > MOST_NAMED else []
    words += [word for option in options for word in ("--option", option)]
    words += ["--type", job_type] if job_type != "pdf" else []
    known_ones = f"{counted(len(known), 'document')} known with other options, which stay"
    output.warn(f"{known_ones}; to process by these: {' '.join(words)}")
