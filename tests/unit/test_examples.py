"""The example library: made the same each time, and committed as it is made."""

import difflib
import hashlib
import importlib.metadata
import io
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from examples.make_examples import LIBRARY, make_library
from examples.typesetting import letter

ROOT = LIBRARY.parents[1]
PAGES = {"rulebook.pdf": 4, "report.pdf": 4, "scans/old-letter.pdf": 2, "handbook.pdf": 127, "atlas.pdf": 5}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("library")
    make_library(folder)
    return folder


def test_two_runs_make_the_same_bytes(library: Path, tmp_path: Path) -> None:
    make_library(tmp_path)

    assert digests(tmp_path) == digests(library)


@pytest.mark.parametrize(("name", "pages"), PAGES.items())
def test_each_document_is_a_pdf_with_its_pages(library: Path, name: str, pages: int) -> None:
    with pikepdf.open(library / name) as document:
        assert len(document.pages) == pages

    assert (library / name).read_bytes().startswith(b"%PDF-")


def test_the_library_holds_these_documents_and_no_others() -> None:
    assert {path.relative_to(LIBRARY).as_posix() for path in LIBRARY.rglob("*") if path.is_file()} == set(PAGES)


def test_the_library_stays_small() -> None:
    assert sum((LIBRARY / name).stat().st_size for name in PAGES) < 1_500_000


@pytest.mark.parametrize("name", PAGES)
def test_the_committed_documents_are_what_the_script_makes(library: Path, name: str) -> None:
    for package in ("reportlab", "pillow"):
        if importlib.metadata.version(package) != locked_version(package):
            pytest.skip(f"{package} is not the locked version")
    if platform.machine() != "x86_64":
        pytest.skip("pictures are rounded differently on other processors")

    assert digest_of_content(LIBRARY / name) == digest_of_content(library / name), "run make examples"


def test_the_handbook_has_an_outline_of_chapters_and_sections() -> None:
    with pikepdf.open(LIBRARY / "handbook.pdf") as document, document.open_outline() as outline:
        titles = [chapter.title for chapter in outline.root]

        assert titles[:3] == ["Preface", "1 Moorings", "2 Ropes"]
        assert len(titles) == 22
        assert all(len(chapter.children) == 7 for chapter in outline.root[1:-1])


def test_the_handbook_does_not_repeat_its_paragraphs() -> None:
    document = pypdfium2.PdfDocument(LIBRARY / "handbook.pdf")
    pages = [document[number].get_textpage().get_text_range() for number in range(len(document))]
    document.close()

    lines = [line for page in pages for line in page.splitlines() if len(line) > 40]

    assert len(set(lines)) > 0.9 * len(lines)


def test_the_scan_has_no_text_layer() -> None:
    document = pypdfium2.PdfDocument(LIBRARY / "scans/old-letter.pdf")
    texts = [document[number].get_textpage().get_text_range() for number in range(len(document))]
    document.close()

    assert texts == ["", ""]


@pytest.mark.needs("tesseract")
def test_tesseract_reads_nearly_every_word_of_the_scan(tmp_path: Path) -> None:
    document = pypdfium2.PdfDocument(LIBRARY / "scans/old-letter.pdf")
    for number in range(len(document)):
        document[number].render(scale=150 / 72).to_pil().save(tmp_path / f"{number}.png")
    document.close()

    read = [word for number in range(2) for word in words(recognised(tmp_path / f"{number}.png"))]

    assert share_of_words_found(words(letter.text()), read) > 0.97


@pytest.mark.parametrize(("code", "phrase"), [(0, "All five documents"), (3, "wait for tesseract")])
def test_the_demo_takes_complete_and_partial_conversions_as_success(tmp_path: Path, code: int, phrase: str) -> None:
    done = run_demo(tmp_path, exit_code=code)

    assert done.returncode == 0
    assert phrase in done.stdout
    assert "out/rulebook.md" in done.stdout
    assert ("read with tesseract" in done.stdout) is (code == 0)


def test_the_demo_passes_a_failure_on(tmp_path: Path) -> None:
    done = run_demo(tmp_path, exit_code=1)

    assert done.returncode == 1
    assert "out/rulebook.md" not in done.stdout


def test_the_demo_converts_the_library_at_the_root_and_keeps_its_state_in_out(tmp_path: Path) -> None:
    run_demo(tmp_path, exit_code=0)

    call = (tmp_path / "call").read_text().splitlines()

    assert call == ["convert examples/library -o out", str(ROOT), str(ROOT / "out/.blobforge")]


def digests(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in PAGES}


def digest_of_content(path: Path) -> str:
    """Of the document with its streams unpacked: zlib may pack the same content differently on another machine."""
    buffer = io.BytesIO()
    with pikepdf.open(path) as document:
        del document.trailer["/ID"]
        document.save(
            buffer,
            compress_streams=False,
            stream_decode_level=pikepdf.StreamDecodeLevel.generalized,
            deterministic_id=True,
        )
    return hashlib.sha256(buffer.getvalue()).hexdigest()


def locked_version(package: str) -> str:
    lock = (ROOT / "requirements/dev.txt").read_text()
    found = re.search(rf"^{package}==(\S+)", lock, flags=re.MULTILINE)
    assert found is not None
    return found[1]


def recognised(picture: Path) -> str:
    command = ["tesseract", str(picture), "-", "-l", "eng"]
    environment = {**os.environ, "OMP_THREAD_LIMIT": "1"}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment, timeout=60).stdout


def words(text: str) -> list[str]:
    return re.findall(r"[A-Za-z0-9']+", text)


def share_of_words_found(expected: list[str], read: list[str]) -> float:
    blocks = difflib.SequenceMatcher(None, expected, read, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(expected)


def run_demo(folder: Path, *, exit_code: int) -> subprocess.CompletedProcess[str]:
    """Runs the demo from another folder with a program that only notes how it was called; tesseract is not found."""
    program = folder / "blobforge"
    program.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" "$PWD" "$BLOBFORGE_HOME" >"{folder}/call"\nexit {exit_code}\n')
    program.chmod(0o755)
    tools = folder / "bin"
    tools.mkdir()
    for tool in ("sh", "dirname"):
        (tools / tool).symlink_to(shutil.which(tool) or tool)
    command = ["sh", str(ROOT / "examples/demo.sh"), "./blobforge"]
    return subprocess.run(command, cwd=folder, env={"PATH": str(tools)}, capture_output=True, text=True, timeout=30)
