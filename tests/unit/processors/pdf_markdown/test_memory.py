"""Memory stays flat over a long document."""

import subprocess
import sys
from pathlib import Path

from tests.unit.processors import pdfs

SCRIPT = """
import sys
from pathlib import Path
from blobforge.ports.processor import Task
from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.worker.limits import MEGABYTE, peak_memory


source, workspace = map(Path, sys.argv[1:])
task = Task(source=source, source_name="book.pdf", source_hash="0", workspace=workspace)
processor = PdfMarkdownProcessor(find_ocr=lambda: None)
plan = processor.plan(task)
for part in plan.slices:
    processor.run(task, plan, part, lambda progress: None)
    if part.last in (100, 500):
        print(peak_memory() // MEGABYTE)
processor.join(task, plan, [], lambda progress: None)
print(peak_memory() // MEGABYTE)
"""


def test_five_hundred_pages_take_no_more_memory_than_a_hundred(tmp_path: Path) -> None:
    names = (f"Chapter of the {number * 7919}th beast" for number in range(500))
    book = pdfs.make_pdf(tmp_path / "book.pdf", *map(pdfs.prose, names))
    workspace = tmp_path / "work"
    workspace.mkdir()

    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(book), str(workspace)], capture_output=True, text=True, check=True
    )

    early, late, joined = map(int, done.stdout.split())
    assert late - early <= 16
    assert joined <= 400
