"""`blobforge convert`: a folder of PDFs becomes a folder of Markdown."""

import logging
import signal
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from blobforge.cli import context, conversion_account, exit_codes, output
from blobforge.cli.choices import ENGINE
from blobforge.cli.confirming import HINT, agrees, can_ask
from blobforge.cli.existing_path import ExistingPath
from blobforge.cli.links import follow_links_option
from blobforge.cli.output import json_option
from blobforge.cli.progress import counted, display
from blobforge.cli.selecting import selection_options
from blobforge.cli.signals import stopped_by
from blobforge.conversion.document import ConversionAccount
from blobforge.conversion.leftovers import Pruned
from blobforge.conversion.service import ConversionRequest, ConversionService, Display
from blobforge.conversion.tree import MARKDOWN, assets_folder, markdown_name
from blobforge.conversion.writing import writing
from blobforge.domain.errors import SourceUnreadable
from blobforge.domain.worker_report import MOST_SLOTS
from blobforge.ingest.selection import Selection
from blobforge.worker.order import Order

if TYPE_CHECKING:
    from blobforge.config.settings import Settings

STDOUT = "-"
LANGUAGE = "--language"


class _Wish(NamedTuple):
    """What of a run is up to the command alone."""

    dry_run: bool
    prune: bool
    yes: bool
    as_json: bool
    remote: bool


@click.command()
@click.argument("paths", nargs=-1, required=True, type=ExistingPath(), metavar="PATH...")
@click.option("-o", "--out", required=True, metavar="OUT", help="Output folder; for one document also FILE.md, or - .")
@click.option("--engine", type=ENGINE, help="Engine that reads the PDFs; 'blobforge processors' lists them.")
@click.option("--jobs", type=click.IntRange(1, MOST_SLOTS), help="Documents at the same time.  [default: all cores]")
@click.option("--pages", help="Only these pages of each document, such as 1-20, 3,5-7, 120- or -5.")
@click.option(LANGUAGE, "languages", multiple=True, help="Language of scans, as tesseract calls it: deu, or deu+eng.")
@selection_options
@follow_links_option
@click.option(
    "--password-file",
    type=click.Path(exists=True, dir_okay=False, resolve_path=True),
    help="File with the password of encrypted documents.",
)
@click.option("--read-pictures", is_flag=True, help="Read the text in charts and screens by OCR: a second a picture.")
@click.option("--explain", is_flag=True, help="Also write OUT/<path>.explain.html: what the engine saw on each page.")
@click.option("--remote", is_flag=True, help="By the workers of the server of BLOBFORGE_SERVER_URL.")
@click.option("--force", is_flag=True, help="Overwrite outputs that were edited, or are of another document.")
@click.option("--prune", is_flag=True, help="Remove outputs whose documents are gone; asks first.")
@click.option("--yes", is_flag=True, help="Prune without asking; needed where there is no terminal.")
@click.option("--dry-run", is_flag=True, help="Say what would be done, and change nothing.")
@json_option
def command(
    paths: tuple[Path, ...],
    *,
    out: str,
    engine: str | None,
    jobs: int | None,
    pages: str | None,
    languages: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    max_size: int | None,
    follow_links: bool,
    password_file: str | None,
    read_pictures: bool,
    explain: bool,
    remote: bool,
    force: bool,
    prune: bool,
    yes: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Convert PDFs and folders of PDFs to Markdown.

    Writes OUT/<path>.md and OUT/<path>.assets/ for every document below each PATH. Run it again to go on after an
    interruption or with new files: what is done is not done twice. For one document OUT may also be a file, as
    book.md, or - for the Markdown alone on stdout. A PATH that is not there is most often a typo: the command ends
    before anything is converted.

    A PATTERN without a slash is a name at any depth, as '*-draft.pdf' or 'old'; one with a slash is a path below PATH,
    as 'osr/**/*.pdf'. That of a folder stands for all that is in it.

    This machine does the work, also where BLOBFORGE_SERVER_URL names a server; with --remote the workers of that server
    do it, and the files are the same.

    Exit code: 0 all done, 3 some documents or pages are missing, 1 nothing could be converted, 2 usage,
    130 interrupted.

    With --json: documents, converted, cached, failed, to_convert (with --dry-run), left (found, and not come to
    before it was interrupted), passed_over, links_not_followed, pages, pages_failed, seconds, dry_run, interrupted,
    left_behind and pruned (outputs whose documents are gone, and those of them that were removed), emptied (each PATH
    without any document from which some of these come; --prune needs --force then), and results, a list of path,
    outcome, code, message, output, pages, pages_failed, page_codes, doubts (null, or how far it can be trusted).
    """
    from blobforge import wiring

    wish = _Wish(dry_run, prune, yes, as_json, remote)
    if remote and password_file is not None:
        raise click.UsageError("--remote sends no password: leave out --password-file, or convert it here")
    to_file = _is_file(paths, out, wish)
    settings = context.settings(engine=engine, slots=jobs, ocr_languages="+".join(languages) or None)
    _log_only_if_asked(settings)
    _require_password(password_file)
    _require_languages(settings, languages)
    options: dict[str, str | bool | None] = {"pages": pages, "read_pictures": read_pictures, "explain": explain}
    request = ConversionRequest(
        paths=paths,
        out=Path(out),
        options={**wiring.pdf_options(settings), **{name: value for name, value in options.items() if value}},
        to_file=to_file,
        selection=Selection(include=include, exclude=exclude, max_size=max_size),
        password_file=password_file,
        force=force,
        follow_links=follow_links,
    )
    return _to_stdout(settings, request, wish) if out == STDOUT else _to_files(settings, request, wish)


def _is_file(paths: tuple[Path, ...], out: str, wish: _Wish) -> bool:
    """Whether OUT is the file, or the stream, that one document becomes. Raises UsageError, OutputUnwritable."""
    if not out:
        raise click.BadParameter("it is empty; name a folder, or '.' for this one", param_hint="-o")
    path = Path(out)
    # A folder above it may not even let us look.
    with writing(path):
        is_folder, is_there = path.is_dir(), path.exists()
        above = next((folder for folder in path.parents if folder.exists()), Path())
        if not above.is_dir():
            raise click.BadParameter(f"{above} is a file, and nothing can be written below it", param_hint="-o")
    if out != STDOUT and (path.suffix != MARKDOWN or is_folder):
        if is_there and not is_folder:
            raise click.BadParameter(
                f"{out} is a file; name a folder, or a file that ends in {MARKDOWN}", param_hint="-o"
            )
        return False
    if len(paths) != 1 or paths[0].is_dir():
        raise click.UsageError(f"-o {out} takes one document; name one file, or a folder for the output")
    if out == STDOUT and (wish.as_json or wish.dry_run):
        raise click.UsageError("-o - has the Markdown alone on stdout; it goes neither with --json nor with --dry-run")
    if wish.prune:
        raise click.UsageError("--prune is for an output folder")
    return True


def _to_files(settings: "Settings", request: ConversionRequest, wish: _Wish) -> int:
    pruned = None
    with ExitStack() as stack:
        shown = stack.enter_context(display(quiet=wish.as_json))
        conversion, close = _opened(settings, wish, shown)
        stack.callback(close)
        account = _stoppable(conversion, request, dry_run=wish.dry_run)
        if not wish.as_json:
            shown.close()
            tell = conversion_account.tell_plan if wish.dry_run else conversion_account.tell
            tell(account, str(request.out))
        if not account.interrupted:
            pruned = _pruned(conversion, request, account, wish)
    if wish.as_json:
        output.print_json(conversion_account.account_json(account, dry_run=wish.dry_run, pruned=pruned))
    code = conversion_account.exit_code(account)
    return exit_codes.USAGE if code == exit_codes.OK and _is_unanswered(request, account, wish, pruned) else code


def _is_unanswered(request: ConversionRequest, account: ConversionAccount, wish: _Wish, pruned: Pruned | None) -> bool:
    """Whether outputs stayed because nobody could be asked, or said that their documents are gone for good."""
    if not wish.prune or wish.dry_run or not account.left_behind or pruned is not None:
        return False
    return _is_doubtful(request, account) or (not wish.yes and (wish.as_json or not can_ask()))


def _is_doubtful(request: ConversionRequest, account: ConversionAccount) -> bool:
    return bool(account.emptied) and not request.force


def _opened(
    settings: "Settings", wish: _Wish, display: Display, *, forgets_outputs: bool = False
) -> tuple[ConversionService, Callable[[], None]]:
    from blobforge import wiring

    opens = wiring.open_remote_conversion if wish.remote else wiring.open_conversion
    return opens(settings, display=display, forgets_outputs=forgets_outputs)


def _to_stdout(settings: "Settings", request: ConversionRequest, wish: _Wish) -> int:
    """Its file lies in a folder that nobody sees, and is not written down anywhere."""
    with tempfile.TemporaryDirectory(prefix="blobforge-") as folder:
        file = Path(folder) / markdown_name(request.paths[0].name)
        with display(quiet=False) as shown:
            conversion, close = _opened(settings, wish, shown, forgets_outputs=True)
            try:
                account = _stoppable(conversion, replace(request, out=file), dry_run=False)
            finally:
                close()
        if file.exists():
            click.echo(file.read_bytes(), nl=False)
        conversion_account.tell(account, "stdout")
        pictures = len(list(Path(assets_folder(str(file))).glob("*")))
        if pictures:
            output.say(f"{counted(pictures, 'picture')} not written; -o {file.name} has them beside it")
    return conversion_account.exit_code(account)


def _stoppable(conversion: ConversionService, request: ConversionRequest, *, dry_run: bool) -> ConversionAccount:
    with stopped_by(signal.SIGINT, signal.SIGTERM, signal.SIGHUP, stop=lambda _: conversion.stop()):
        return conversion.dry_run(request) if dry_run else conversion.run(request)


def _pruned(
    conversion: ConversionService, request: ConversionRequest, account: ConversionAccount, wish: _Wish
) -> Pruned | None:
    """Names what was left behind, and removes it if that is wanted."""
    paths = account.left_behind
    if not wish.as_json:
        conversion_account.tell_left_behind(paths)
    if wish.prune and _is_doubtful(request, account):
        conversion_account.warn_of_emptied(account.emptied)
        return None
    if not paths or wish.dry_run:
        return None
    if not wish.prune:
        if not wish.as_json:
            output.say("Run it again with --prune to remove them.")
        return None
    if not wish.yes and (wish.as_json or not agrees(f"Remove {counted(len(paths), 'output')}?")):
        output.say("nothing was deleted" + ("" if can_ask() and not wish.as_json else HINT))
        return None
    pruned = conversion.prune(request, paths)
    if not wish.as_json:
        conversion_account.tell_pruned(pruned)
    return pruned


def _require_password(password_file: str | None) -> None:
    """A file that holds no text is known before the work, and not once a document."""
    try:
        Order(password_file=password_file).secrets()
    except SourceUnreadable as error:
        raise click.BadParameter(str(error), param_hint="--password-file") from error


def _require_languages(settings: "Settings", languages: tuple[str, ...]) -> None:
    """One that nobody can have is refused before the work; that nothing here can use it is said before it, too."""
    from blobforge import wiring

    if not languages:
        wiring.require_known_languages(settings)
    elif not wiring.require_known_languages(settings, option=LANGUAGE):
        output.warn(f"{LANGUAGE}: tesseract is not installed here, so scanned pages are not read in any language")


def _log_only_if_asked(settings: "Settings") -> None:
    """The bar and the account say what a person needs; the log is for those who ask for it."""
    if context.current().log_level is not None:
        context.start_logging(settings)
    else:
        logging.getLogger("blobforge").setLevel(logging.CRITICAL)
