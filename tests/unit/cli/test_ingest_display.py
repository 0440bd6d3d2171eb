"""How an ingest looks to a person and to a program."""

import json

import pytest

from blobforge.cli.ingest_display import (
    FindingLines,
    FollowDisplay,
    IngestBarDisplay,
    IngestDisplay,
    IngestLineDisplay,
    display_for,
    summary,
)
from blobforge.domain.ids import SourceHash
from blobforge.ingest.service import Ingested, IngestOutcome

HASH = SourceHash("1" * 64)
QUEUED = Ingested("/docs/a.pdf", IngestOutcome.QUEUED, None, HASH, is_uploaded=True)
KNOWN = Ingested("/docs/b.pdf", IngestOutcome.SKIPPED, "completed", HASH)
NO_PDF = Ingested("/docs/c.pdf", IngestOutcome.SKIPPED, "not_a_pdf", message="/docs/c.pdf is no PDF")
FAILED = Ingested("/docs/d.pdf", IngestOutcome.FAILED, "source_missing", message="/docs/d.pdf is not there")


def test_the_summary_counts_by_reason_the_most_frequent_first() -> None:
    """R2-10."""
    shown = IngestDisplay()
    shown.settled([QUEUED, NO_PDF, KNOWN, KNOWN, FAILED])

    assert summary(shown.account) == (
        "5 documents found: 1 uploaded, 1 queued, 3 skipped (2 completed, 1 not a PDF), 1 failed (1 source_missing)"
    )


def test_nothing_is_nothing() -> None:
    assert summary(IngestDisplay().account) == "0 documents found: 0 uploaded, 0 queued, 0 skipped, 0 failed"


def test_a_log_gets_what_is_wrong_at_once_and_a_sign_of_life_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = 0.0
    shown = IngestLineDisplay(clock=lambda: now)
    shown.settled([QUEUED, FAILED])
    now = 10.0
    shown.settled([KNOWN])
    now = 11.0
    shown.settled([KNOWN])

    assert capsys.readouterr().err.splitlines() == [
        "warning: /docs/d.pdf is not there [source_missing]",
        "3 documents found: 1 uploaded, 1 queued, 1 skipped (1 completed), 1 failed (1 source_missing)",
    ]


def test_who_watches_a_folder_is_told_of_what_is_queued(capsys: pytest.CaptureFixture[str]) -> None:
    FollowDisplay().settled([QUEUED, KNOWN])

    assert capsys.readouterr().err == "queued /docs/a.pdf\n"


def test_a_program_that_follows_gets_a_line_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    FindingLines().settled([QUEUED, KNOWN, NO_PDF])

    queued, known, no_pdf = map(json.loads, capsys.readouterr().out.splitlines())
    assert queued == {
        "event": "document",
        "path": "/docs/a.pdf",
        "outcome": "queued",
        "state": None,
        "code": None,
        "message": None,
        "uploaded": True,
        "source_hash": HASH,
    }
    assert (known["outcome"], known["state"], known["code"]) == ("skipped", "completed", None)
    assert (no_pdf["outcome"], no_pdf["state"], no_pdf["code"]) == ("skipped", None, "not_a_pdf")


def test_the_bar_counts_files_and_says_what_takes_time(capsys: pytest.CaptureFixture[str]) -> None:
    """R2-35."""
    with IngestBarDisplay() as shown:
        shown.begin(files=4)
        shown.passed_over()
        shown.hashing("/docs/[red]a.pdf", 2_000_000)
        assert shown._bar.tasks[0].fields["doing"] == r"Computing hash: \[red]a.pdf (2.0 MB)"
        shown.fetching("/docs/b.pdf", 1)
        shown.uploading("/docs/b.pdf", 1)
        shown.transfer_ended("/docs/b.pdf")
        shown.settled([QUEUED, FAILED])

    assert "warning: /docs/d.pdf is not there [source_missing]" in capsys.readouterr().err
    assert shown.account.queued == 1


def test_the_bar_tells_how_many_uploads_are_on_their_way() -> None:
    shown = IngestBarDisplay()

    def doing() -> str:
        return str(shown._bar.tasks[0].fields["doing"])

    shown.uploading("/docs/a.pdf", 1)
    assert doing() == "Uploading: a.pdf (1 B)"
    shown.uploading("/docs/b.pdf", 2)
    assert doing() == "Uploading 2 files: b.pdf (2 B)"
    shown.settled([QUEUED])
    assert doing() == "Uploading 2 files: b.pdf (2 B)"
    shown.transfer_ended("/docs/b.pdf")
    assert doing() == "Uploading: a.pdf (1 B)"
    shown.fetching("/docs/c.pdf", 3)
    shown.transfer_ended("/docs/a.pdf")
    assert doing() == "Fetching by Git LFS: c.pdf (3 B)"
    shown.transfer_ended("/docs/c.pdf")
    assert doing() == ""


@pytest.mark.parametrize(
    ("as_json", "follow", "expected"),
    [
        (True, False, IngestDisplay),
        (True, True, FindingLines),
        (False, True, FollowDisplay),
        (False, False, IngestLineDisplay),
    ],
)
def test_each_listener_has_a_display_of_its_own(*, as_json: bool, follow: bool, expected: type[IngestDisplay]) -> None:
    assert type(display_for(as_json=as_json, follow=follow)) is expected
