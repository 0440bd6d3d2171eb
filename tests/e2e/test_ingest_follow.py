"""`blobforge ingest --follow`: a folder is watched until somebody ends it."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge, ended, until
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf

from blobforge.ports.job_store import JobFilter


def names_in_queue(blobforge: Blobforge) -> list[str]:
    with blobforge.queue() as queue:
        return sorted(Path(str(job.source_path)).name for job in queue.page(JobFilter()))


def lines_of(process: "subprocess.Popen[str]") -> tuple[int, list[dict[str, Any]]]:
    done = ended(process)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=lambda number: number.name)
def test_what_comes_later_is_queued_and_a_signal_ends_it_with_the_summary(
    blobforge: Blobforge, docs: Path, number: signal.Signals
) -> None:
    text_pdf(docs / "one.pdf")
    process = blobforge.start("ingest", "docs", "--follow", "--json")
    until(lambda: names_in_queue(blobforge) == ["one.pdf"])
    text_pdf(docs / "later" / "two.pdf")
    until(lambda: names_in_queue(blobforge) == ["one.pdf", "two.pdf"])

    process.send_signal(number)
    code, lines = lines_of(process)

    assert code == 0
    assert [line["event"] for line in lines] == ["document", "document", "summary"]
    assert [Path(line["path"]).name for line in lines[:2]] == ["one.pdf", "two.pdf"]
    assert (lines[-1]["found"], lines[-1]["uploaded"], lines[-1]["queued"]) == (2, 2, 2)
    entries = json.loads((blobforge.home / "blobs" / "registry" / "manifest.json").read_text())["entries"]
    assert sorted(entry["paths"][0] for entry in entries.values()) == ["later/two.pdf", "one.pdf"]


def test_a_file_that_is_still_written_to_is_taken_when_it_is_whole(
    blobforge: Blobforge, docs: Path, tmp_path: Path
) -> None:
    content = text_pdf(tmp_path / "whole.pdf", "Whole").read_bytes()
    text_pdf(docs / "first.pdf")
    process = blobforge.start("ingest", "docs", "--follow", "--json")
    until(lambda: names_in_queue(blobforge) == ["first.pdf"])
    with (docs / "slow.pdf").open("wb") as file:
        file.write(content[:900])
        file.flush()
        text_pdf(docs / "second.pdf")
        until(lambda: names_in_queue(blobforge) == ["first.pdf", "second.pdf"] or _touch(docs / "slow.pdf"))
        file.write(content[900:])
    until(lambda: len(names_in_queue(blobforge)) == 3)

    process.send_signal(signal.SIGTERM)
    _, lines = lines_of(process)

    assert lines[-1]["found"] == 3
    assert lines[-1]["failed"] == {}
    assert any(path.read_bytes() == content for path in (blobforge.home / "blobs" / "sources").iterdir())


def _touch(path: Path) -> bool:
    """As whoever writes to it does."""
    os.utime(path)
    return False


def test_people_are_told_of_each_document(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    process = blobforge.start("ingest", "docs", "--follow")
    until(lambda: names_in_queue(blobforge) == ["one.pdf"])

    process.send_signal(signal.SIGTERM)
    done = ended(process)

    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        f"queued {docs}/one.pdf",
        "1 document found: 1 uploaded, 1 queued, 0 skipped, 0 failed",
    ]


def test_a_folder_that_is_away_for_a_while_is_told_once_and_then_gone_on_with(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    process = blobforge.start("ingest", "docs", "--follow")
    assert process.stderr is not None
    assert process.stderr.readline() == f"queued {docs}/one.pdf\n"
    away = docs.rename(docs.with_name("away"))
    assert process.stderr.readline() == "warning: docs is not there [source_missing]\n"
    away.rename(docs)
    text_pdf(docs / "two.pdf")

    until(lambda: names_in_queue(blobforge) == ["one.pdf", "two.pdf"])
    process.send_signal(signal.SIGTERM)

    assert ended(process).returncode == 0


def test_q_ends_what_follows_a_folder_on_a_terminal(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    following = Terminal(blobforge, "ingest", "docs", "--follow", env={})
    # The line may be broken before the path: how long that is, is the affair of the machine.
    following.wait_for(r".*one\.pdf")

    following.type("q")

    assert following.wait_for_end() == 0
    assert following.lines[-1].startswith("1 document found: 1 uploaded, 1 queued")
