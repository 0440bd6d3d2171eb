"""The examples of the how-to page, each run as it stands there."""

import re
import shutil
from pathlib import Path

import pytest
from tests.pdfs import locked_pdf, text_pdf
from tests.unit.processors.pdfs import a_task

from blobforge.processors.pdf_markdown.plugin import PdfMarkdownProcessor
from blobforge.testing.processor_contract import converted

PAGE = Path(__file__).parents[3] / "docs" / "howto" / "python-library.md"
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("howto")
    report = text_pdf(folder / "report.pdf", "One", "Two")
    locked_pdf(folder / "vault.pdf", password="secret")
    text_pdf(folder / "library" / "deep" / "one.pdf")
    text_pdf(folder / "library" / "other" / "one.pdf", "Of the same name")
    (folder / "library" / "two.pdf").write_bytes(b"no PDF")
    shutil.copyfile(converted(PdfMarkdownProcessor(), a_task(report, folder / "work")).archive, folder / "result.zip")
    return folder


def test_the_page_has_examples() -> None:
    assert len(EXAMPLES) >= 10


@pytest.mark.parametrize("example", EXAMPLES, ids=range(1, len(EXAMPLES) + 1))
def test_an_example_runs_as_it_stands(
    example: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)

    exec(compile(example, PAGE.name, "exec"), {"__name__": "__main__"})

    assert capsys.readouterr().out or "print" not in example
