"""`blobforge preview`: the Markdown of a job, in the terminal."""

import shlex
import sys
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, output
from blobforge.cli.commands.download import warn_of_a_new_run
from blobforge.cli.jobs import find_job, id_json
from blobforge.cli.output import json_option
from blobforge.cli.queue import opened_pair
from blobforge.clock import SystemClock
from blobforge.domain.errors import NotFound
from blobforge.domain.job import Job, title
from blobforge.results.excerpt import StoredText, first_pages, read_text, showable, without_controls
from blobforge.results.published_by_job import Published, require_published, with_advice
from blobforge.worker.results import ResultStore

if TYPE_CHECKING:
    from blobforge.config.settings import Settings

LINES = 100


@click.command()
@click.argument("job", metavar="HASH|#ID")
@click.option(
    "--lines",
    type=click.IntRange(min=0),
    metavar="N",
    help=f"At most so many; 0 for all.  [default: {LINES} on a terminal]",
)
@click.option("--pages", type=click.IntRange(min=1), metavar="N", help="The first pages instead, to their end.")
@click.option("--raw", is_flag=True, help="The Markdown itself, as it is stored.")
@json_option
def command(job: str, *, lines: int | None, pages: int | None, raw: bool, as_json: bool) -> None:
    """Show the Markdown of a job in the terminal.

    Into a pipe or file goes the same text without colours. Pictures are told by their description or name.

    With --json: job_id, source_hash, state, pages, markdown, cut (whether there is more).
    """
    settings = context.settings_of_queue()
    found, published, text = _read(settings, job)
    markdown = text.markdown if pages is None else _first_pages(text, pages, found)
    is_source = raw or as_json
    is_for_eyes = output.is_terminal(sys.stdout) and not is_source and pages is None
    most = lines if lines is not None else LINES if is_for_eyes else 0
    if not is_source:
        from blobforge.cli.markdown import rendered

        # As many lines of Markdown give at least as many to show: a long document need not be laid out to its end.
        shown = rendered(showable(_first_lines(markdown, most)))
    else:
        shown = (markdown if as_json else _for_stdout(markdown)).removesuffix("\n").split("\n")
    kept = shown[:most] if most else shown
    is_cut = len(kept) < len(shown) or _first_lines(markdown, most) != text.markdown
    if as_json:
        output.print_json(
            {
                "job_id": id_json(found.id),
                "source_hash": found.source_hash,
                "state": found.state.value,
                "pages": published.pages,
                "markdown": "\n".join(kept) + "\n",
                "cut": is_cut,
            }
        )
        return
    warn_of_a_new_run(found)
    click.echo("\n".join(kept))
    if is_cut:
        whole = "--lines 0 shows all, and this" if pages is None else "this"
        output.say(f"… there is more of {title(found)}; {whole} fetches it: {_fetching(job)}")


def _read(settings: "Settings", job: str) -> tuple[Job, Published, StoredText]:
    from blobforge import wiring

    with opened_pair(settings) as queue:
        found = find_job(queue, job, project=settings.project)
    published = require_published(found, now=SystemClock().now())
    results = ResultStore(wiring.open_blobs(settings))
    with with_advice(found, published.key, results):
        text = read_text(results, published.key)
    if text.others:
        raise NotFound(
            f"{title(found)}: its result has no Markdown to show; it holds {', '.join(text.others)}. "
            f"This fetches it: {_fetching(job)}"
        )
    return found, published, text


def _fetching(called: str) -> str:
    """By the name by which it was found: the hash of a document may be that of several jobs."""
    return f"blobforge download {shlex.quote(called)}"


def _first_pages(text: StoredText, pages: int, job: Job) -> str:
    excerpt = first_pages(text, pages)
    if excerpt is None:
        output.warn(f"nothing tells where the pages of {title(job)} begin; this is all of it")
        return text.markdown
    return excerpt


def _first_lines(markdown: str, most: int) -> str:
    return markdown if not most else "".join(markdown.splitlines(keepends=True)[: most + 1])


def _for_stdout(markdown: str) -> str:
    """Bytes as they are into a pipe; nothing that steers a terminal into one."""
    return without_controls(markdown) if output.is_terminal(sys.stdout) else markdown
