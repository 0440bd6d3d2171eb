"""`blobforge convert`: a folder of PDFs becomes a folder of Markdown."""

import logging
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.output import json_option
from blobforge.cli.progress import counted, display
from blobforge.cli.signals import stopped_by
from blobforge.conversion.document import Account, DocumentReport, Outcome
from blobforge.conversion.service import ConversionRequest
from blobforge.domain.errors import OcrUnavailable, SourceUnreadable
from blobforge.domain.json_value import JsonObject
from blobforge.worker.order import Order

if TYPE_CHECKING:
    from blobforge.config.settings import Settings

MOST_SHOWN = 20
"""So many documents with gaps are named one by one; `--json` names them all."""


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path), metavar="PATH...")
@click.option("-o", "--out", required=True, type=click.Path(file_okay=False, path_type=Path), help="Output folder.")
@click.option("--engine", help="Engine that reads the PDFs; 'blobforge processors' lists them.")
@click.option("--jobs", type=click.IntRange(min=1), help="Documents at the same time.  [default: all cores]")
@click.option("--pages", help="Only these pages of each document, such as 1-20 or 3,5-7.")
@click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True),
    help="File with the password of encrypted documents.",
)
@click.option("--read-pictures", is_flag=True, help="Read the text in charts and screens by OCR: a second a picture.")
@click.option("--explain", is_flag=True, help="Also write OUT/<path>.explain.html: what the engine saw on each page.")
@click.option("--force", is_flag=True, help="Overwrite output files that were edited.")
@json_option
def command(
    paths: tuple[Path, ...],
    *,
    out: Path,
    engine: str | None,
    jobs: int | None,
    pages: str | None,
    password_file: str | None,
    read_pictures: bool,
    explain: bool,
    force: bool,
    as_json: bool,
) -> int:
    """Convert PDFs and folders of PDFs to Markdown.

    Writes OUT/<path>.md and OUT/<path>.assets/ for every document below each PATH. Run it again to go on after an
    interruption or with new files: what is done is not done twice.

    Exit code: 0 all done, 3 some documents or pages are missing, 1 nothing could be converted, 2 usage,
    130 interrupted.

    With --json: documents, converted, cached, failed, pages, pages_failed, seconds, interrupted, and results, a list
    of path, outcome, code, message, output, pages, pages_failed, page_codes.
    """
    from blobforge import wiring

    settings = context.settings(engine=engine, slots=jobs)
    _log_only_if_asked(settings)
    _require_password(password_file)
    options = {**wiring.pdf_options(settings), **({} if pages is None else {"pages": pages})}
    for name, is_wanted in (("read_pictures", read_pictures), ("explain", explain)):
        if is_wanted:
            options[name] = True
    with display(quiet=as_json) as shown:
        conversion, close = wiring.open_conversion(settings, display=shown)
        try:
            with stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, stop=lambda _: conversion.stop()):
                account = conversion.run(
                    ConversionRequest(paths=paths, out=out, options=options, password_file=password_file, force=force)
                )
        finally:
            close()
    if as_json:
        output.print_json(account_json(account))
    else:
        _tell(account, out)
    return exit_code(account)


def _require_password(password_file: str | None) -> None:
    """A file that holds no text is known before the work, and not once a document."""
    try:
        Order(password_file=password_file).secrets()
    except SourceUnreadable as error:
        raise click.BadParameter(str(error), param_hint="--password-file") from error


def _log_only_if_asked(settings: "Settings") -> None:
    """The bar and the account say what a person needs; the log is for those who ask for it."""
    if context.current().log_level is not None:
        context.start_logging(settings)
    else:
        logging.getLogger("blobforge").setLevel(logging.CRITICAL)


def exit_code(account: Account) -> int:
    if account.interrupted:
        return exit_codes.INTERRUPTED
    failed = account.count(Outcome.FAILED)
    if failed and failed == len(account.documents):
        return exit_codes.ERROR
    return exit_codes.PARTIAL if failed or account.pages_failed else exit_codes.OK


def account_json(account: Account) -> JsonObject:
    return {
        "documents": len(account.documents),
        "converted": account.count(Outcome.CONVERTED),
        "cached": account.count(Outcome.CACHED),
        "failed": account.count(Outcome.FAILED),
        "pages": account.pages,
        "pages_failed": account.pages_failed,
        "seconds": round(account.seconds, 3),
        "interrupted": account.interrupted,
        "results": [_report_json(report) for report in account.documents],
    }


def _report_json(report: DocumentReport) -> JsonObject:
    return {
        "path": report.path,
        "outcome": report.outcome.value,
        "code": report.code,
        "message": report.message,
        "output": report.output,
        "pages": report.pages,
        "pages_failed": report.pages_failed,
        "page_codes": list(report.page_codes),
    }


def _tell(account: Account, out: Path) -> None:
    counts = ", ".join(f"{account.count(outcome)} {outcome.value}" for outcome in Outcome if account.count(outcome))
    missing = f", {account.pages_failed} missing" if account.pages_failed else ""
    output.say(
        f"{counted(len(account.documents), 'document')}: {counts or 'none found'}; "
        f"{counted(account.pages, 'page')}{missing}; {account.seconds:.1f} s; in {out}"
    )
    gaps = [report for report in account.documents if report.pages_failed]
    for report in gaps[:MOST_SHOWN]:
        are = "is" if report.pages_failed == 1 else "are"
        of_pages = f"{report.pages_failed} of {counted(report.pages, 'page')}"
        output.warn(f"{report.path}: {of_pages} {are} missing ({', '.join(report.page_codes)})")
    if len(gaps) > MOST_SHOWN:
        output.warn(f"… and {counted(len(gaps) - MOST_SHOWN, 'more document')}; --json names them all")
    if any(OcrUnavailable.code in report.page_codes for report in gaps):
        output.say("Scanned pages wait for tesseract: install it (tesseract-ocr) and run the same command again.")
    if account.interrupted:
        output.say("Interrupted. Run the same command again to go on.")
