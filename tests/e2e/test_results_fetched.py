"""download and preview, as a person would use them."""

import shlex
import zipfile
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.results import jobs_by_name, result_file, tampered, told, worked
from tests.e2e.terminal import Terminal
from tests.pdfs import picture_pdf, text_pdf

from blobforge.ingest.hashing import hash_file


@pytest.fixture
def report(blobforge: Blobforge, docs: Path) -> Path:
    """A document of two pages whose result is in the store."""
    path = text_pdf(docs / "report.pdf", "First page", "Second page")
    worked(blobforge)
    return path


def test_a_result_is_fetched_under_the_name_of_its_document(blobforge: Blobforge, report: Path) -> None:
    """R2-24."""
    fetched = told(blobforge, "download", "#1")

    with zipfile.ZipFile(blobforge.cwd / "report.zip") as archive:
        assert "# First page" in archive.read("document.md").decode()
    job = jobs_by_name(blobforge)["report.pdf"]
    assert fetched["path"] == "report.zip"
    assert fetched["size"] == (blobforge.cwd / "report.zip").stat().st_size
    assert (fetched["source_hash"], fetched["key"]) == (job["source_hash"], job["result"]["key"])


def test_the_hint_of_preview_fetches_the_result_of_that_very_job(blobforge: Blobforge, report: Path) -> None:
    assert blobforge.call("submit", "docs", "--type", "echo").exit_code == 0
    blobforge.call("worker", "--drain", "--type", "echo")

    shown = [blobforge.call("preview", "#1", "--lines", "1"), blobforge.call("preview", "#2")]

    hints = [shlex.split(done.stderr.partition("fetches it: ")[2].partition(" [")[0]) for done in shown]
    assert hints == [["blobforge", "download", "#1"], ["blobforge", "download", "#2"]]
    fetched = [told(blobforge, *hint[1:], "-o", f"{number}.zip") for number, hint in enumerate(hints)]
    assert [result["job_id"] for result in fetched] == ["1", "2"]


def test_a_file_that_is_there_is_not_overwritten_unasked(blobforge: Blobforge, report: Path) -> None:
    """R2-24."""
    (blobforge.cwd / "report.zip").write_text("mine")

    refused = blobforge.call("download", "#1")

    assert refused.exit_code == 1
    assert "--force" in refused.stderr
    assert (blobforge.cwd / "report.zip").read_text() == "mine"
    assert blobforge.call("download", "#1", "--force").exit_code == 0
    assert zipfile.is_zipfile(blobforge.cwd / "report.zip")


def test_a_document_without_a_result_says_how_it_is_doing(blobforge: Blobforge, docs: Path) -> None:
    """R2-24, R2-25."""
    (docs / "bad.pdf").write_text("<html>")
    blobforge.call("submit", "docs")
    waiting = blobforge.call("download", "#1")
    blobforge.call("worker", "--drain")
    dead = blobforge.call("preview", "#1")

    assert (waiting.exit_code, dead.exit_code) == (1, 1)
    assert "bad.pdf" in waiting.stderr
    assert "waits for a worker" in waiting.stderr
    assert "not_ready" in waiting.stderr
    assert "dead after 1 of 3 tries" in dead.stderr
    assert "not_a_pdf" in dead.stderr
    assert not list(blobforge.cwd.glob("*.zip"))


def test_a_job_that_was_started_again_still_gives_its_result_and_says_so(blobforge: Blobforge, report: Path) -> None:
    """R2-24, R2-25."""
    with blobforge.queue() as queue:
        queue.retry(queue.find_by_prefix("", project="default")[0].id)

    fetched, shown = blobforge.call("download", "#1"), blobforge.call("preview", "#1")

    assert (fetched.exit_code, shown.exit_code) == (0, 0)
    assert "result from before" in fetched.stderr
    assert "First page" in shown.stdout
    assert "result from before" in shown.stderr


def test_a_result_that_is_gone_from_the_store_is_an_error_that_says_so(blobforge: Blobforge, report: Path) -> None:
    result_file(blobforge, "report.pdf").unlink()

    for command in ("download #1", "preview #1", "hydrate docs", "hydrate --dry-run docs"):
        refused = blobforge.call(*command.split())
        assert refused.exit_code == 1
        assert "job #1 (report.pdf): its result" in refused.stderr
        assert "not in the store any more" in refused.stderr
        assert f"blobforge retry {hash_file(str(report)).source_hash[:12]}" in refused.stderr


@pytest.mark.parametrize("damage", [b"garbage", b"PK\x03\x04", b""])
def test_a_damaged_result_is_told_with_its_document_and_the_command_that_mends_it(
    damage: bytes, blobforge: Blobforge, report: Path
) -> None:
    result_file(blobforge, "report.pdf").write_bytes(damage)

    for command in ("download #1", "preview #1", "hydrate docs"):
        refused = blobforge.call(*command.split())
        assert refused.exit_code == 1, command
        assert f"job #1 (report.pdf): the result {result_file(blobforge, 'report.pdf')} " in refused.stderr
        assert f"run it again: blobforge retry {hash_file(str(report)).source_hash[:12]}" in refused.stderr
        assert refused.stderr.count("again") == 1
        assert "[result_damaged]" in refused.stderr


def test_a_damaged_result_is_not_handed_out_and_another_run_mends_it(blobforge: Blobforge, report: Path) -> None:
    stored = result_file(blobforge, "report.pdf")
    stored.write_bytes(stored.read_bytes().replace(b"# First page", b"# Wrong page"))

    refused = blobforge.call("download", "#1")
    with blobforge.queue() as queue:
        queue.retry(queue.find_by_prefix("", project="default")[0].id)
    blobforge.call("worker", "--drain")

    assert refused.exit_code == 1
    assert "result_damaged" in refused.stderr
    assert not (blobforge.cwd / "report.zip").exists()
    assert blobforge.call("preview", "#1").stdout.startswith("First page\n")


def test_into_a_pipe_goes_plain_text_and_all_of_it(blobforge: Blobforge, report: Path) -> None:
    """R2-25."""
    shown = blobforge.run("preview", "#1")

    lines = shown.stdout.splitlines()
    assert lines[:2] == ["First page", "══════════"]
    assert "Second page" in lines
    assert "\x1b" not in shown.stdout
    assert max(map(len, lines)) <= 100
    assert shown.stderr == ""


def test_only_so_many_pages_or_lines_are_shown_and_that_there_is_more_is_said(
    blobforge: Blobforge, report: Path
) -> None:
    """R2-25."""
    page = blobforge.call("preview", "#1", "--pages", "1")
    line = blobforge.call("preview", "#1", "--lines", "1")

    assert "First page" in page.stdout
    assert "Second page" not in page.stdout
    assert line.stdout == "First page\n"
    assert "there is more" in page.stderr
    assert "there is more" in line.stderr
    # With as many lines as there are, the pages are as few.
    assert "--lines" not in page.stderr
    assert "--lines 0 shows all" in line.stderr


def test_the_raw_text_is_what_is_stored(blobforge: Blobforge, report: Path) -> None:
    """R2-25."""
    with zipfile.ZipFile(result_file(blobforge, "report.pdf")) as archive:
        stored = archive.read("document.md").decode()

    assert blobforge.run("preview", "#1", "--raw").stdout == stored
    assert told(blobforge, "preview", "#1")["markdown"] == stored
    assert told(blobforge, "preview", "#1", "--lines", "1")["cut"] is True


def test_a_picture_is_told_by_its_name(blobforge: Blobforge, docs: Path) -> None:
    """R2-25."""
    picture_pdf(docs / "one.pdf")
    worked(blobforge)

    assert "[picture: p0001-1.png]" in blobforge.call("preview", "#1").stdout


EVERYTHING = """# Title

Prose that is long enough to be broken over more than one line on a terminal with eighty columns, and a bit more.

## Chapter

- first
- second
  - nested

1. one
2. two

> a quotation

| Quay | Planned | Cost |
|---|---|---|
| North Quay | 84 | 23,180 |

<table>
<tr><th colspan="2">Wide</th></tr>
<tr><td>left</td><td>right</td></tr>
</table>

### Smaller

![A chart of tides](assets/p1.png)

<!-- page 3 failed: ocr_failed -->

Evil: \x1b]0;owned\x07 end.
"""


@pytest.mark.parametrize("columns", [80, 200])
def test_on_a_terminal_everything_is_shown_within_its_width(blobforge: Blobforge, report: Path, columns: int) -> None:
    """R2-25."""
    tampered(result_file(blobforge, "report.pdf"), lambda _: None, markdown=EVERYTHING)

    terminal = Terminal(blobforge, "preview", "#1", env={}, columns=columns)
    code = terminal.wait_for_end()

    lines = terminal.lines
    assert code == 0
    assert max(map(len, lines)) <= min(columns, 100)
    for expected in ("Title", "═════", "Chapter", "───────", " • first", " 1 one", "▌ a quotation", "### Smaller"):
        assert expected in lines
    assert "North Quay   84        23,180" in lines
    assert any(line.split() == ["left", "right"] for line in lines)
    assert "[picture: A chart of tides]" in lines
    assert "[page 3 failed: ocr failed]" in lines
    assert "\x1b]0;" not in terminal.raw


def test_a_long_document_is_cut_on_a_terminal_only(blobforge: Blobforge, report: Path) -> None:
    """R2-25."""
    text = "\n\n".join(f"Paragraph {number}." for number in range(300)) + "\n"
    tampered(result_file(blobforge, "report.pdf"), lambda _: None, markdown=text)

    terminal = Terminal(blobforge, "preview", "#1", env={})
    terminal.wait_for_end()
    piped = blobforge.run("preview", "#1")

    assert "Paragraph 40." in terminal.lines
    assert "Paragraph 60." not in terminal.lines
    assert any("--lines 0 shows all" in line for line in terminal.lines)
    assert "Paragraph 299." in piped.stdout


def test_a_result_without_markdown_is_told_by_what_it_has(blobforge: Blobforge, docs: Path) -> None:
    (docs / "note.pdf").write_text("a note")
    blobforge.call("submit", "docs", "--type", "echo")
    blobforge.call("worker", "--drain", "--type", "echo")
    (job,) = told(blobforge, "list")["jobs"]

    shown = blobforge.call("preview", job["source_hash"])

    assert shown.exit_code == 1
    assert "its result has no Markdown to show; it holds document.bin, info.json" in shown.stderr
    assert f"blobforge download {job['source_hash'][:12]}" in shown.stderr
