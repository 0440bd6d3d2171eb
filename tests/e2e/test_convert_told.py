"""What a run tells: a bar on a terminal, lines in a pipe, an object for programs, and an exit code."""

import json
import re
import time
from pathlib import Path

import pytest
from tests.e2e.program import MEASURED, Blobforge, ended, until
from tests.e2e.terminal import Terminal
from tests.e2e.tesseracts import Gate
from tests.pdfs import pdf_with_a_bad_page, scanned_pdf, text_pdf

BAR = r"{documents} documents [━╸╺]+ {pages} pages, (\d+)/s ETA {left}"
ANY_BAR = BAR.format(documents=r"\d+/\d+", pages=r"\d+", left=r"\S+")


@pytest.mark.parametrize("columns", [80, 200])
def test_a_terminal_shows_a_bar_with_documents_pages_rate_and_time_left(
    blobforge: Blobforge, docs: Path, gate: Gate, columns: int
) -> None:
    text_pdf(docs / "a.pdf", "One", "Two")
    text_pdf(docs / "b.pdf", "One", "Two", "Three")
    (docs / "c.pdf").write_text("<html>")
    scanned_pdf(docs / "d.pdf", text_first=True)

    terminal = Terminal(blobforge, "convert", "docs", "-o", "out", columns=columns, env={"PATH": gate.path})
    gate.wait_until_reached()
    bar = terminal.wait_for(BAR.format(documents="(3)/(4)", pages="(6)", left=r"(\d\S+)"))
    gate.let_through()
    code = terminal.wait_for_end()

    assert (bar[3], int(bar[4]) > 0) == ("6", True)  # one of them belongs to the document that is under way
    assert len(bar[0]) == columns
    assert {len(line) for line in terminal.lines if re.fullmatch(ANY_BAR, line)} == {columns}
    assert code == 3
    said = " ".join(terminal.lines)
    assert f"failed: {docs}/c.pdf: this is not a PDF (there is no %PDF in its first 1024 bytes)" in said
    assert "what the file really is [not_a_pdf]" in said
    assert terminal.lines[-1].startswith("4 documents: 3 converted, 1 failed; 7 pages; ")
    assert terminal.lines[-1].endswith(" s; in out")


def test_ctrl_c_on_a_terminal_ends_the_run_and_its_bar(blobforge: Blobforge, docs: Path, gate: Gate) -> None:
    scanned_pdf(docs / "scan.pdf")
    terminal = Terminal(blobforge, "convert", "docs", "-o", "out", env={"PATH": gate.path, **MEASURED})
    gate.wait_until_reached()
    began = time.monotonic()

    terminal.press_ctrl_c()

    assert terminal.wait_for_end() == 130
    assert time.monotonic() - began < 5
    assert terminal.lines[-1] == "Interrupted. Run the same command again to go on."
    assert terminal.raw.count("\x1b[?25l") == terminal.raw.count("\x1b[?25h")  # the cursor is back


def test_a_pipe_gets_plain_lines_on_stderr_and_nothing_on_stdout(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "a.pdf")
    (docs / "b.pdf").write_text("<html>")
    (docs / "c.pdf").symlink_to("nowhere")
    pdf_with_a_bad_page(docs / "d.pdf")

    done = blobforge.run("convert", "docs", "-o", "out")

    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (3, "")
    assert lines[0].startswith("converting 4 documents (")
    assert f"failed: {docs}/c.pdf cannot be read: No such file or directory [source_unreadable]" in lines
    assert f"failed: {docs}/b.pdf: this is not a PDF" in done.stderr
    (account,) = (line for line in lines if line.startswith("4 documents: "))
    assert account.startswith("4 documents: 2 converted, 2 failed; 4 pages, 1 missing; ")
    assert f"warning: {docs}/d.pdf: the file was damaged and repaired" in lines
    assert lines[-1] == f"warning: {docs}/d.pdf: 1 of 3 pages is missing (engine_failed)"


def test_a_run_with_nothing_to_do_says_so_in_one_line(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "a.pdf")
    blobforge.call("convert", "docs", "-o", "out")

    done = blobforge.call("convert", "docs", "-o", "out")

    assert done.exit_code == 0
    assert done.stderr.startswith("1 document: 1 cached; 1 page; ")
    assert len(done.stderr.splitlines()) == 1


def test_a_folder_without_documents_is_no_error(blobforge: Blobforge, docs: Path, out: Path) -> None:
    done = blobforge.call("convert", "docs", "-o", "out")

    assert done.exit_code == 0
    assert done.stderr.startswith("0 documents: none found; ")
    assert not out.exists()


def test_what_cannot_be_read_is_told_even_when_nothing_is_to_be_done(blobforge: Blobforge, docs: Path) -> None:
    (docs / "c.pdf").symlink_to("nowhere")

    done = blobforge.call("convert", "docs", "-o", "out")

    assert done.exit_code == 1
    assert done.stderr.startswith(f"failed: {docs}/c.pdf cannot be read: ")


def test_documents_with_gaps_are_named_up_to_a_number(blobforge: Blobforge, docs: Path) -> None:
    content = pdf_with_a_bad_page(docs / "bad.pdf").read_bytes()
    for number in range(22):
        (docs / f"copy {number}.pdf").write_bytes(content)

    done = blobforge.call("convert", "docs", "-o", "out")

    assert done.stderr.count("is missing (engine_failed)") == 20
    assert done.stderr.endswith("warning: … and 3 more documents; --json names them all\n")


def test_programs_get_one_object_with_the_documented_fields(blobforge: Blobforge, docs: Path, out: Path) -> None:
    text_pdf(docs / "a.pdf", "One", "Two")
    (docs / "b.pdf").write_text("<html>")

    done = blobforge.run("convert", "docs", "-o", "out", "--json")

    account = json.loads(done.stdout)
    assert done.stderr == ""
    assert list(account) == [
        *("documents", "converted", "cached", "failed", "to_convert", "left", "passed_over"),
        *(
            "links_not_followed",
            "pages",
            "pages_failed",
            "seconds",
            "dry_run",
            "interrupted",
            "left_behind",
            "emptied",
            "pruned",
            "results",
        ),
    ]
    assert account["seconds"] > 0
    assert account["results"][0] == {
        "path": str(docs / "a.pdf"),
        "outcome": "converted",
        "code": None,
        "message": None,
        "output": str(out / "a.md"),
        "pages": 2,
        "pages_failed": 0,
        "page_codes": [],
        "doubts": None,
    }
    assert account["results"][1]["code"] == "not_a_pdf"


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ((), "Missing argument 'PATH...'"),
        (("docs",), "Missing option '-o'"),
        (("nowhere", "-o", "out"), "Path 'nowhere' does not exist"),
        (("docs", "-o", "out", "--pages", "5-2"), "the range 5-2 is empty"),
        (("docs", "-o", "out", "--pages", "all"), "is no list of pages"),
        (("docs", "-o", "out", "--jobs", "0"), "0 is not in the range"),
        (("docs", "-o", "out", "--engine", "liteprase"), "did you mean 'liteparse'?"),
        (("docs", "-o", "docs/one.pdf"), "is a file"),
    ],
)
def test_a_usage_error_exits_2_before_any_work(
    blobforge: Blobforge, docs: Path, out: Path, args: tuple[str, ...], said: str
) -> None:
    text_pdf(docs / "one.pdf")

    done = blobforge.call("convert", *args)

    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr
    assert not out.exists()
    assert not (blobforge.home / "queue.db").exists()


def test_jobs_says_how_many_documents_are_converted_at_once(
    blobforge: Blobforge, docs: Path, out: Path, gate: Gate
) -> None:
    scanned_pdf(docs / "a scan.pdf")
    text_pdf(docs / "b text.pdf")
    process = blobforge.start("convert", "docs", "-o", "out", "--jobs", "2", PATH=gate.path)
    gate.wait_until_reached()

    # One waits at the gate; so it is another that has converted the text.
    until((out / "b text.md").exists)
    gate.let_through()

    assert ended(process).returncode == 0


def test_a_log_is_written_for_those_who_ask(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")

    done = blobforge.run("convert", "docs", "-o", "out", "--log-level", "info", **MEASURED)

    events = [json.loads(line)["event"] for line in done.stderr.splitlines() if line.startswith("{")]
    assert "job claimed" in events
