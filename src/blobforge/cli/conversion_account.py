"""What `convert` tells of a run, to people and to programs."""

from collections.abc import Sequence

from blobforge.cli import exit_codes, output
from blobforge.cli.flaws import warn_of_flaws
from blobforge.cli.links import tell_not_followed
from blobforge.cli.progress import counted
from blobforge.conversion.document import ConversionAccount, ConversionOutcome, DocumentReport
from blobforge.conversion.leftovers import Pruned
from blobforge.domain.errors import OcrUnavailable
from blobforge.domain.json_value import JsonObject

MOST_SHOWN = 20
"""So many documents of a kind are named one by one; `--json` names them all."""
_WORDS = {ConversionOutcome.TO_CONVERT: "to convert"}


def exit_code(account: ConversionAccount) -> int:
    if account.interrupted:
        return exit_codes.INTERRUPTED
    failed = account.count(ConversionOutcome.FAILED)
    if failed and failed == len(account.documents):
        return exit_codes.ERROR
    return exit_codes.PARTIAL if failed or account.pages_failed else exit_codes.OK


def account_json(account: ConversionAccount, *, dry_run: bool, pruned: Pruned | None) -> JsonObject:
    return {
        "documents": len(account.documents),
        **{outcome.value: account.count(outcome) for outcome in ConversionOutcome},
        "left": account.left,
        "passed_over": len(account.passed_over),
        "links_not_followed": account.links_not_followed,
        "pages": account.pages,
        "pages_failed": account.pages_failed,
        "seconds": round(account.seconds, 3),
        "dry_run": dry_run,
        "interrupted": account.interrupted,
        "left_behind": [path for path in account.left_behind if pruned is None or path not in pruned.removed],
        "emptied": account.emptied,
        "pruned": pruned.removed if pruned is not None else [],
        "results": [_report_json(report) for report in account.documents],
    }


def tell(account: ConversionAccount, out: str) -> None:
    missing = f", {account.pages_failed} missing" if account.pages_failed else ""
    work = f"{counted(account.pages, 'page')}{missing}; {account.seconds:.1f} s"
    output.say(f"{_counts(account)}; {work}; in {out}")
    _tell_what_is_amiss(account)


def tell_plan(account: ConversionAccount, out: str) -> None:
    """What a rehearsal found, a line for each document that is not current."""
    for report in account.documents:
        if report.outcome is ConversionOutcome.TO_CONVERT:
            output.print_line(f"convert    {report.path} -> {report.output}")
    for path in account.passed_over:
        output.print_line(f"pass over  {path}")
    output.say(f"{_counts(account)}; in {out}")
    _tell_what_is_amiss(account)


def tell_left_behind(paths: Sequence[str]) -> None:
    """Outputs whose documents are gone."""
    if not paths:
        return
    gone = "document is gone" if len(paths) == 1 else "documents are gone"
    output.say(f"{counted(len(paths), 'output')} whose {gone}:")
    for path in paths[:MOST_SHOWN]:
        output.say(f"  {path}")
    if len(paths) > MOST_SHOWN:
        output.say(f"  … and {len(paths) - MOST_SHOWN} more; --json names them all")


def warn_of_emptied(folders: Sequence[str]) -> None:
    for folder in folders:
        output.warn(
            f"{folder} has no documents at all, and outputs here come from there: is its disk mounted? "
            "Nothing was removed; --prune with --force does it"
        )


def tell_pruned(pruned: Pruned) -> None:
    output.say(f"removed {counted(len(pruned.removed), 'output')}")
    for path in pruned.kept:
        output.warn(f"{path} was edited, or one of its pictures; it stays as it is")


def _tell_what_is_amiss(account: ConversionAccount) -> None:
    tell_not_followed(account.links_not_followed)
    warn_of_flaws((report.path, report.doubts) for report in account.documents)
    _tell_gaps([report for report in account.documents if report.pages_failed])
    if account.interrupted:
        output.say("Interrupted. Run the same command again to go on.")


def _counts(account: ConversionAccount) -> str:
    counts = [
        f"{account.count(outcome)} {_WORDS.get(outcome, outcome.value)}"
        for outcome in ConversionOutcome
        if account.count(outcome)
    ]
    counts += [f"{account.left} left"] if account.left else []
    passed_over = f"; {len(account.passed_over)} passed over" if account.passed_over else ""
    found = counted(len(account.documents) + account.left, "document")
    return f"{found}: {', '.join(counts) or 'none found'}{passed_over}"


def _tell_gaps(gaps: Sequence[DocumentReport]) -> None:
    warn_of_flaws((report.path, report.gaps) for report in gaps)
    if any(OcrUnavailable.code in report.page_codes for report in gaps):
        output.say(f"Scanned pages wait for {_what_ocr_lacks()} and run the same command again.")


def _what_ocr_lacks() -> str:
    from blobforge import wiring

    there = wiring.ocr_languages()
    if there is None:
        return "tesseract: install it (tesseract-ocr)"
    return f"their language: tesseract has {', '.join(there) or 'none'} here; install its data (tesseract-ocr-LANGUAGE)"


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
        "doubts": report.doubts or None,
    }
