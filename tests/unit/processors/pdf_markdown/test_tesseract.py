"""Tesseract as a program: found or not, and what becomes of its answers. A script plays its part."""

import sys
from pathlib import Path

import pytest

from blobforge.documents.grey_image import GreyImage
from blobforge.documents.ocr_program import Segmentation, require
from blobforge.documents.tesseract import Tesseract, find_tesseract
from blobforge.domain.errors import OcrFailed, OcrUnavailable

IMAGE = GreyImage(b"P5 1 1 255\n\xff", 200)


def script(folder: Path, body: str) -> Tesseract:
    """A program named tesseract that runs these lines of Python."""
    folder.mkdir(exist_ok=True)
    program = folder / "tesseract"
    program.write_text(f"#!{sys.executable} -S\nimport os, sys\n{body}\n")
    program.chmod(0o755)
    return Tesseract(program=str(program), version="5.3.0", languages=frozenset({"eng", "osd"}))


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that alone is searched for programs."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def test_without_tesseract_there_is_none(path: Path) -> None:
    assert find_tesseract() is None


def test_what_is_installed_is_known_by_version_and_languages(path: Path) -> None:
    answers = {"--version": "tesseract 5.3.0\n leptonica", "--list-langs": "List of (2):\neng\ndeu"}
    script(path, f"print({answers}[sys.argv[1]])")

    tool = find_tesseract()

    assert tool == Tesseract(program=str(path / "tesseract"), version="5.3.0", languages=frozenset({"eng", "deu"}))


def test_a_version_may_be_told_on_the_other_stream(path: Path) -> None:
    script(path, "print('tesseract v4.1.1', file=sys.stderr)")

    tool = find_tesseract()

    assert tool is not None
    assert tool.version == "4.1.1"


def test_a_program_that_does_not_run_has_no_languages(path: Path) -> None:
    (path / "tesseract").write_text("no program")
    (path / "tesseract").chmod(0o755)

    tool = find_tesseract()

    assert tool is not None
    assert (tool.version, tool.languages) == ("unknown", frozenset())


def test_its_absence_says_how_to_install_it() -> None:
    with pytest.raises(OcrUnavailable, match="apt install tesseract-ocr"):
        require(None, ["eng"])


def test_a_missing_language_is_named() -> None:
    tool = Tesseract(program="t", version="5", languages=frozenset({"eng"}))

    with pytest.raises(OcrUnavailable, match=r"no data for rus, ell; install it .*tesseract-ocr-rus"):
        require(tool, ["rus", "ell"])


@pytest.mark.parametrize("wanted", [["eng", "xyz"], ["deu"], []])
def test_one_language_that_can_be_used_is_enough(wanted: list[str]) -> None:
    tool = Tesseract(program="t", version="5", languages=frozenset({"eng", "osd"}))

    assert require(tool, wanted) is tool


def test_without_any_language_nothing_can_be_read() -> None:
    tool = Tesseract(program="t", version="5", languages=frozenset({"osd"}))

    with pytest.raises(OcrUnavailable, match="no data for eng"):
        require(tool, [])


def test_with_all_languages_it_is_ready() -> None:
    tool = Tesseract(program="t", version="5", languages=frozenset({"eng", "deu"}))

    assert require(tool, ["deu"]) is tool


def test_it_is_given_the_image_its_resolution_and_one_thread(tmp_path: Path) -> None:
    told = "sys.argv[1:], os.environ['OMP_THREAD_LIMIT'], len(sys.stdin.buffer.read())"
    tool = script(tmp_path / "bin", f"print(5, *[1] * 9, 90, ({told}), sep=chr(9))")

    (answer,) = tool.words(IMAGE, ["eng", "deu"])

    command = ["stdin", "stdout", "-l", "eng+deu", "--dpi", "200", "--psm", "3", "tsv"]
    assert answer.text == str((command, "1", len(IMAGE.content)))


def test_it_tells_how_a_page_lies_and_its_script(tmp_path: Path) -> None:
    tool = script(tmp_path / "bin", "print('Page number: 0\\nRotate: 270\\nScript: Cyrillic\\nScript confidence: 4')")

    assert tool.orientation(IMAGE) == (270, "Cyrillic")


def test_words_here_and_there_are_another_way_of_segmentation(tmp_path: Path) -> None:
    tool = script(tmp_path / "bin", "print(5, *[1] * 9, 90, sys.argv[-2], sep=chr(9))")

    assert [word.text for word in tool.words(IMAGE, ["eng"], segmentation=Segmentation.SPARSE)] == ["11"]


def test_a_page_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    tool = script(tmp_path / "bin", "import time; time.sleep(60)")

    with pytest.raises(OcrFailed, match=r"within 0\.2 s"):
        tool.words(IMAGE, ["eng"], seconds=0.2)


def test_its_last_words_are_the_reason_for_a_failure(tmp_path: Path) -> None:
    tool = script(tmp_path / "bin", "sys.exit('Image too small to scale!!')")

    with pytest.raises(OcrFailed, match="Image too small"):
        tool.words(IMAGE, ["eng"])


def test_a_failure_without_words_is_told_as_such(tmp_path: Path) -> None:
    tool = script(tmp_path / "bin", "sys.exit(3)")

    with pytest.raises(OcrFailed, match="said nothing"):
        tool.words(IMAGE, ["eng"])
