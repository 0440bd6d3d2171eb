"""`blobforge ingest` as people use it, on SQLite and a folder."""

import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.program import Blobforge, ended, files_below, until
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf

from blobforge.catalog.xattrs import OURS
from blobforge.ports.job_store import JobFilter


def told(blobforge: Blobforge, *args: str, **variables: str) -> dict[str, Any]:
    """What a command says to programs."""
    document: dict[str, Any] = json.loads(blobforge.call(*args, "--json", **variables).stdout)
    return document


def manifest(blobforge: Blobforge) -> dict[str, dict[str, Any]]:
    """The entries, by the first of their paths."""
    document = json.loads((blobforge.home / "blobs" / "registry" / "manifest.json").read_text())
    return {entry["paths"][0]: entry for entry in document["entries"].values()}


@pytest.fixture
def library(docs: Path) -> Path:
    """Three documents with four names, and what is none."""
    text_pdf(docs / "one.pdf")
    text_pdf(docs / "shelf" / "two.pdf")
    text_pdf(docs / "shelf" / "without a name", "Three")
    (docs / "shelf" / "copy.pdf").write_bytes((docs / "one.pdf").read_bytes())
    (docs / "page.pdf").write_text("<html>")
    (docs / "notes.txt").write_text("nothing")
    return docs


def test_a_folder_becomes_jobs_that_a_worker_does(blobforge: Blobforge, library: Path) -> None:
    """R0-39, R0-67, R2-10."""
    account = told(blobforge, "ingest", "docs", "--priority", "1_critical", "--tag", "rules")
    worked = blobforge.run("worker", "--drain", "--json")

    assert {name: account[name] for name in ("found", "uploaded", "queued", "skipped", "failed")} == {
        "found": 5,
        "uploaded": 3,
        "queued": 3,
        "skipped": {"not_a_pdf": 1, "pending": 1},
        "failed": {},
    }
    assert json.loads(worked.stdout)["completed"] == 3
    jobs = told(blobforge, "list")["jobs"]
    assert {(job["priority"], tuple(job["tags"])) for job in jobs} == {(1, ("rules",))}


def test_a_document_that_convert_has_met_is_stored_all_the_same(
    blobforge: Blobforge, docs: Path, place: dict[str, str]
) -> None:
    """`convert` works on the user's own files; what is ingested must outlive them."""
    text_pdf(docs / "one.pdf", "One")
    blobforge.convert("docs", "-o", "out", **place)

    rehearsed = told(blobforge, "ingest", "docs", "--dry-run", **place)
    account = told(blobforge, "ingest", "docs", **place)
    again = told(blobforge, "ingest", "docs", **place)
    (docs / "one.pdf").unlink()
    blobforge.call("reprocess", "--all", "--option", "read_pictures=true", **place)
    worked = blobforge.run("worker", "--drain", "--json", **place)

    assert (account["uploaded"], account["queued"], account["skipped"]) == (1, 0, {"completed": 1})
    assert (rehearsed["uploaded"], again["uploaded"]) == (1, 0)
    assert (worked.returncode, json.loads(worked.stdout)["completed"]) == (0, 1)


def test_a_second_run_uploads_and_queues_nothing_and_merges_tags(blobforge: Blobforge, library: Path) -> None:
    """R0-23, R0-31, R0-36."""
    told(blobforge, "ingest", "docs", "--tag", "old")
    blobforge.call("worker", "--drain")

    account = told(blobforge, "ingest", "docs", "--tag", "new")

    assert (account["uploaded"], account["queued"], account["skipped"]) == (0, 0, {"not_a_pdf": 1, "completed": 4})
    one = manifest(blobforge)["one.pdf"]
    assert (one["paths"], one["tags"], one["source"]) == (["one.pdf", "shelf/copy.pdf"], ["old", "new"], "docs")


def test_each_result_says_what_became_of_a_file(blobforge: Blobforge, library: Path) -> None:
    account = told(blobforge, "ingest", "docs/one.pdf", "docs/page.pdf")

    one, page = sorted(account["results"], key=lambda entry: str(entry["path"]))
    assert (one["path"], one["outcome"], one["uploaded"], one["code"]) == (
        str(library / "one.pdf"),
        "queued",
        True,
        None,
    )
    assert len(one["source_hash"]) == 64
    assert (page["outcome"], page["code"], page["uploaded"]) == ("skipped", "not_a_pdf", False)
    assert page["message"] == f"{library}/page.pdf is no PDF: it does not begin as one"


def test_a_rehearsal_says_the_same_and_changes_nothing(blobforge: Blobforge, library: Path) -> None:
    account = told(blobforge, "ingest", "docs", "--dry-run")

    assert (account["dry_run"], account["found"], account["uploaded"], account["queued"]) == (True, 5, 3, 3)
    assert account["skipped"] == {"not_a_pdf": 1, "pending": 1}
    with blobforge.queue() as queue:
        assert queue.page(JobFilter()) == []
    assert [name for name in files_below(blobforge.home) if name.startswith("blobs")] == []
    if hasattr(os, "listxattr"):
        assert OURS not in os.listxattr(library / "one.pdf")
    assert told(blobforge, "ingest", "docs")["uploaded"] == 3


def test_people_get_one_line_with_reasons(blobforge: Blobforge, library: Path) -> None:
    (library / "broken.pdf").symlink_to("nowhere")

    first = blobforge.call("ingest", "docs")
    rehearsed = blobforge.call("ingest", "docs/one.pdf", "--dry-run")

    assert (first.exit_code, first.stdout) == (3, "")
    assert first.stderr.splitlines()[-1] == (
        "6 documents found: 3 uploaded, 3 queued, 2 skipped (1 not a PDF, 1 pending), 1 failed (1 source_unreadable)"
    )
    assert f"warning: {library}/page.pdf is no PDF: it does not begin as one [not_a_pdf]" in first.stderr
    assert rehearsed.stderr == (
        "1 document found: 0 would be uploaded, 0 would be queued, 1 skipped (1 pending), 0 failed\n"
    )


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nowhere",), "nowhere is not there"),
        (("ext::sh -c id",), "is no address that can be cloned"),
        (("file:///srv/rules.git",), "or the path of a folder on this machine"),
        (("--", "--upload-pack=id"), "is no address that can be cloned"),
        (("docs", "--priority", "urgent"), "'urgent' is no priority"),
        (("docs", "--dry-run", "--follow"), "exclude each other"),
        (("https://example.org/rules", "--follow"), "only files and folders of this machine can be followed"),
    ],
)
def test_a_mistake_exits_2_and_says_why(blobforge: Blobforge, docs: Path, args: tuple[str, ...], said: str) -> None:
    done = blobforge.call("ingest", *args)

    assert (done.exit_code, said in done.stderr) == (2, True)


def test_when_all_fails_the_exit_code_is_1(blobforge: Blobforge, docs: Path) -> None:
    (docs / "broken.pdf").symlink_to("nowhere")

    assert blobforge.call("ingest", "docs").exit_code == 1


def test_a_same_second_rewrite_is_a_new_document(blobforge: Blobforge, docs: Path) -> None:
    """R2-35."""
    path = text_pdf(docs / "one.pdf", "Before")
    second = path.stat().st_mtime_ns // 10**9 * 10**9
    os.utime(path, ns=(second, second))
    told(blobforge, "ingest", "docs")
    text_pdf(path, "Behind")
    os.utime(path, ns=(second, second + 5))

    account = told(blobforge, "ingest", "docs")

    assert (account["uploaded"], account["queued"]) == (1, 1)


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="only Linux has attributes of files in Python")
def test_a_hash_in_the_files_attributes_is_known_to_another_home(blobforge: Blobforge, docs: Path) -> None:
    """R2-34."""
    path = text_pdf(docs / "one.pdf")
    told(blobforge, "ingest", "docs")
    if OURS not in os.listxattr(path):
        pytest.skip("the file system has no attributes")
    facts = path.stat()
    # Another content that the stat does not show: whoever reads the file would see it.
    content = path.read_bytes()
    path.write_bytes(content.replace(b"%PDF-1", b"%PDF-9"))
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    (blobforge.home / "catalog.db").unlink()

    account = told(blobforge, "ingest", "docs")

    assert account["skipped"] == {"pending": 1}


def test_what_ctrl_c_interrupts_the_next_run_finishes(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "a.pdf")
    with (docs / "b.pdf").open("wb") as large:
        large.write(b"%PDF-1.4\n")
        large.truncate(6_000_000_000)  # takes some seconds to hash, and no room
    process = blobforge.start("ingest", "docs", "--json")
    until(lambda: f"{docs}/b.pdf" in _open_files(process.pid))

    process.send_signal(signal.SIGINT)
    done = ended(process)
    (docs / "b.pdf").unlink()
    again = told(blobforge, "ingest", "docs")

    account = json.loads(done.stdout)
    assert (done.returncode, account["interrupted"]) == (130, True)
    assert account["queued"] + again["queued"] == 1
    assert again["found"] == 1


def _open_files(pid: int) -> list[str]:
    folder = Path(f"/proc/{pid}/fd")
    if not folder.exists():
        pytest.skip("only Linux shows its processes as files")
    found = []
    for entry in folder.iterdir():
        try:
            found.append(str(entry.readlink()))
        except OSError:  # it was closed while we looked
            continue
    return found


@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_shows_a_bar_that_fits_and_then_the_summary(
    blobforge: Blobforge, library: Path, columns: int
) -> None:
    """R2-10."""
    terminal = Terminal(blobforge, "ingest", "docs", env={}, columns=columns)

    code = terminal.wait_for_end()

    assert code == 0
    assert max(len(line) for line in terminal.lines if "queued" in line and "found" not in line) <= columns
    assert "5 documents found: 3 uploaded, 3 queued, 2 skipped" in " ".join(terminal.lines)
    assert any(re.search(r"\d+/\d+ files", line) for line in terminal.lines)
