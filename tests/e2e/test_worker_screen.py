"""A worker in a terminal, as a person sees it."""

import re
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge
from tests.e2e.terminal import Terminal
from tests.pdfs import text_pdf


@pytest.mark.parametrize("columns", [80, 140])
def test_a_person_sees_who_the_worker_is_and_a_line_a_document(
    blobforge: Blobforge, tmp_path: Path, columns: int
) -> None:
    docs = tmp_path / "docs"
    text_pdf(docs / "Annual report of the harbour board 2022.pdf", "One", "Two")
    (docs / "broken.pdf").write_text("none")
    blobforge.run("submit", str(docs))

    screen = Terminal(blobforge, "worker", "--drain", env={"NO_COLOR": "1"}, columns=columns)

    assert screen.wait_for_end() == 3
    lines = [line for line in screen.lines if line.endswith(("completed", "dead"))]
    assert len(lines) == 2
    assert all(re.match(r"\d\d:\d\d:\d\d [0-9a-f]{8}  (Annual report|broken\.pdf)", line) for line in lines)
    assert re.match(r"\d\d:\d\d:\d\d worker ", screen.lines[0])
    assert screen.lines[-1] == "1 completed, 1 failed, 0 released, 0 lost"
    # A path may be longer than a line; all else fits.
    assert all(len(line) <= columns for line in screen.lines if "://" not in line)
    assert "blobforge." not in "".join(line for line in screen.lines if "://" not in line)
