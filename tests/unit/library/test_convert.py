"""The library call, as far as it comes without a child."""

import io
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import blobforge
from blobforge import Converter, InvalidOptions, SourceMissing, SourceUnreadable, convert, convert_many
from blobforge.domain.error_codes import all_errors
from blobforge.domain.errors import BlobForgeError
from blobforge.library.sources import name_of, processor_options


def test_a_file_that_is_not_there_is_named_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(SourceMissing, match=r"gone\.pdf is not there"):
        convert(tmp_path / "gone.pdf")


def test_what_cannot_be_read_is_named_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(SourceUnreadable, match="cannot be read: Is a directory"):
        convert(tmp_path)


def test_every_error_is_exported() -> None:
    every: list[type[BlobForgeError]] = [BlobForgeError, *all_errors().values()]
    errors = {error.__name__: error for error in every}

    assert sorted(set(errors) - set(blobforge.__all__)) == [], "add these to src/blobforge/__init__.py, in both lists"
    assert all(getattr(blobforge, name) is error for name, error in errors.items())


def test_every_exported_name_is_there() -> None:
    assert all(getattr(blobforge, name) is not None for name in blobforge.__all__)
    assert set(blobforge.__all__) <= set(dir(blobforge))


def test_importing_it_loads_nothing_that_works() -> None:
    code = (
        "import sys, blobforge; sys.exit(str([name for name in sys.modules if 'library' in name or 'worker' in name]))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert done.stderr == "[]\n"


@pytest.mark.parametrize(
    ("pages", "told"),
    [("1-20", "1-20"), ([1, 2], "1,2"), (range(3, 6), "3,4,5"), ({7}, "7")],
)
def test_pages_are_a_text_or_numbers(pages: Any, told: str) -> None:
    assert processor_options({"pages": pages})["pages"] == told


@pytest.mark.parametrize("pages", [[], [0], [-1], [True], ["2"], [1.5]])
def test_pages_that_are_none_are_refused_before_any_work(pages: Any) -> None:
    with pytest.raises(InvalidOptions, match="pages"):
        convert(b"%PDF", pages=pages)


@pytest.mark.parametrize(("languages", "told"), [("deu+eng", "deu+eng"), (["deu", "eng"], "deu+eng")])
def test_languages_are_a_text_or_names(languages: Any, told: str) -> None:
    assert processor_options({"ocr_languages": languages})["ocr_languages"] == told


def test_an_option_that_is_none_is_named_with_those_that_are() -> None:
    wrong: Any = {"enigne": "liteparse"}

    with pytest.raises(TypeError, match=r"'enigne' is no option; there are engine, pages"):
        convert(b"%PDF", **wrong)


@pytest.mark.parametrize("source", [None, 7, ["a.pdf"]])
def test_what_is_no_document_is_refused(source: Any) -> None:
    with pytest.raises(TypeError, match="a path, bytes or a stream of bytes, and not"):
        convert(source)


def test_a_stream_of_text_is_refused_with_what_to_do(tmp_path: Path) -> None:
    wrong: Any = io.StringIO("%PDF")

    with pytest.raises(TypeError, match="binary mode"):
        convert(wrong)


@pytest.mark.parametrize("sources", ["book.pdf", b"%PDF", Path("book.pdf"), io.BytesIO()])
def test_one_document_is_not_many(sources: Any) -> None:
    with pytest.raises(TypeError, match="for one there is convert"):
        convert_many(sources)


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_children_do_no_work(jobs: int) -> None:
    with pytest.raises(InvalidOptions, match="there can be 1 to 1000 children"):
        convert(b"%PDF", jobs=jobs)


def test_documents_are_called_by_their_names() -> None:
    stream = io.BytesIO(b"%PDF")
    named: Any = io.BytesIO(b"%PDF")
    named.name = "/there/scan.pdf"

    assert name_of(stream, None) == name_of(b"%PDF", None) == "document.pdf"
    assert name_of(named, None) == "scan.pdf"
    assert name_of(stream, "report.pdf") == "report.pdf"
    assert name_of(Path("there/book.pdf"), None) == "book.pdf"


@pytest.mark.parametrize("name", ["", "..", "a/b.pdf", "a\0b", "x" * 300])
def test_a_name_that_no_file_can_have_is_refused(name: str) -> None:
    with pytest.raises(InvalidOptions, match="no name of a file"):
        convert(b"%PDF", name=name)


def test_a_converter_that_is_closed_takes_nothing_more() -> None:
    converter = Converter()
    converter.close()
    converter.close()

    with pytest.raises(RuntimeError, match="closed"):
        converter.submit(b"%PDF")
