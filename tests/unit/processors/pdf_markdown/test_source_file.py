"""Sources that open, and the errors of those that do not."""

import os
import re
from dataclasses import replace
from pathlib import Path

import pikepdf
import pypdfium2
import pytest
from tests.unit.processors import damaged_pdfs as damaged
from tests.unit.processors import pdfs

from blobforge.domain.errors import (
    BlobForgeError,
    DamagedSource,
    EmptySource,
    EncryptedSource,
    NoPages,
    NotAPdf,
    SourceMissing,
    SourceUnreadable,
)
from blobforge.ports.processor import Task
from blobforge.processors.pdf_markdown.content_check import ContentCheck
from blobforge.processors.pdf_markdown.source_file import SourceFile, open_source


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"), pdfs.prose("Two"), title="A book")


def task_of(path: Path, tmp_path: Path) -> Task:
    return pdfs.a_task(path, tmp_path / "work", name="my book.pdf")


def with_password(task: Task, password: str) -> Task:
    return replace(task, secrets={"password": password})


def test_a_sound_file_is_used_where_it_lies(book: Path, tmp_path: Path) -> None:
    task = task_of(book, tmp_path)

    source = open_source(task)

    assert source == SourceFile(copy="", pages=2, title="A book")
    assert source.path(task) == book
    assert list(task.workspace.iterdir()) == []


def test_a_large_file_is_opened_without_reading_it_whole(tmp_path: Path) -> None:
    noise = pdfs.shades(400, 400, step=97)
    drawings = [pdfs.with_picture("Big", noise, box=(72, 300, 200, 200))]
    path = pdfs.make_pdf(tmp_path / "big.pdf", *drawings)
    with path.open("ab") as file:
        file.write(b"\n%" + b"x" * 300_000 + b"\n")

    assert open_source(task_of(path, tmp_path)).pages == 1


def test_a_title_that_says_nothing_is_none(tmp_path: Path) -> None:
    path = pdfs.make_pdf(tmp_path / "book.pdf", pdfs.prose("One"))

    assert open_source(task_of(path, tmp_path)).title == ""


@pytest.mark.parametrize("name", ["blob", "BOOK.PDF", "book.docx"])
def test_a_file_by_another_name_is_linked_as_a_pdf(book: Path, tmp_path: Path, name: str) -> None:
    path = book.rename(tmp_path / name)
    task = task_of(path, tmp_path)

    source = open_source(task)

    assert source.path(task).suffix == ".pdf"
    assert source.path(task).read_bytes() == path.read_bytes()


def test_a_file_whose_name_is_no_text_is_linked_too(book: Path, tmp_path: Path) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/b\xff\xfe.pdf"))
    book.rename(path)
    task = task_of(path, tmp_path)

    source = open_source(task)

    assert str(source.path(task)).isprintable()
    assert source.pages == 2


def test_planning_twice_links_anew(book: Path, tmp_path: Path) -> None:
    task = task_of(book.rename(tmp_path / "blob"), tmp_path)

    assert open_source(task) == open_source(task)


def test_a_file_with_a_little_before_its_header_is_a_pdf(book: Path, tmp_path: Path) -> None:
    book.write_bytes(b"\n" * 500 + book.read_bytes())

    assert open_source(task_of(book, tmp_path)).pages == 2


def test_a_truncated_file_is_repaired_into_the_workspace(book: Path, tmp_path: Path) -> None:
    content = book.read_bytes()
    book.write_bytes(content[: content.rindex(b"\nxref\n")])
    task = task_of(book, tmp_path)

    source = open_source(task)

    assert source.repaired
    assert source.pages == 2
    assert source.path(task).is_relative_to(task.workspace)


@pytest.mark.parametrize("damage", ["end", "shifted", "table"])
def test_a_torn_file_that_opens_nevertheless_is_called_repaired(book: Path, tmp_path: Path, damage: str) -> None:
    content = book.read_bytes()
    table = content.rindex(b"\nxref\n")
    match damage:
        case "end":
            content = content[: content.rindex(b"startxref")]
        case "shifted":
            content = content[:40].replace(b"\n", b"", 1) + content[40:]
        case "table":
            content = content[: table + 1] + bytes(20) + content[table + 21 :]
    book.write_bytes(content)
    with pypdfium2.PdfDocument(book) as opened:
        assert len(opened) == 2, "PDFium says nothing of it"

    source = open_source(task_of(book, tmp_path))

    assert (source.pages, source.repaired) == (2, True)


def test_a_torn_file_is_called_repaired_with_a_password_too(book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")
    content = secret.read_bytes()
    secret.write_bytes(content[: content.rindex(b"startxref")])

    assert open_source(with_password(task_of(secret, tmp_path), "hunter2")).repaired


def test_a_password_that_a_torn_file_does_not_need_does_no_harm(book: Path, tmp_path: Path) -> None:
    locked = pdfs.encrypted(book, tmp_path / "locked.pdf", user="")
    content = locked.read_bytes()
    locked.write_bytes(content[: content.rindex(b"startxref")])

    source = open_source(with_password(task_of(locked, tmp_path), "hunter2"))

    assert (source.pages, source.repaired) == (2, True)


def test_a_file_that_tells_too_short_a_length_is_read_whole_and_called_repaired(tmp_path: Path) -> None:
    text = damaged.text_of_lines("page")
    book = damaged.written(tmp_path / "book.pdf", (damaged.flate(text), ["/FlateDecode"]))

    source = open_source(task_of(damaged.with_half_the_length(book), tmp_path))

    assert source.repaired
    with pikepdf.open(source.path(task_of(book, tmp_path))) as pdf:
        stream = pdf.pages[0].obj.Contents
        assert stream.read_bytes() == text
        assert stream.Length == len(stream.read_raw_bytes())


def test_a_size_in_the_trailer_that_is_wrong_is_no_damage(book: Path, tmp_path: Path) -> None:
    content = book.read_bytes()
    size = re.search(rb"/Size (\d+)", content)
    assert size is not None
    book.write_bytes(content.replace(size[0], b"/Size %d" % (int(size[1]) + 1)))

    assert not open_source(task_of(book, tmp_path)).repaired


def test_a_catalogue_in_the_wrong_place_is_moved(book: Path, tmp_path: Path) -> None:
    content = book.read_bytes()
    catalogue = re.search(rb"/Root (\d+) 0 R", content)
    assert catalogue is not None
    pages = re.search(rb"/Pages (\d+) 0 R", content)
    assert pages is not None
    direct = b"/Root << /Type /Catalog " + pages[0] + b" >>"
    book.write_bytes(content.replace(catalogue[0], direct))

    source = open_source(task_of(book, tmp_path))

    assert (source.pages, source.repaired) == (2, True)


def test_a_file_with_more_pages_than_it_says_is_repaired(book: Path, tmp_path: Path) -> None:
    content = book.read_bytes()
    assert content.count(b"/Count 2") == 1
    book.write_bytes(content.replace(b"/Count 2", b"/Count 1"))

    source = open_source(task_of(book, tmp_path))

    assert (source.pages, source.repaired) == (2, True)


def test_a_password_does_not_hide_that_there_are_more_pages(book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")
    content = secret.read_bytes()
    assert content.count(b"/Count 2") == 1
    secret.write_bytes(content.replace(b"/Count 2", b"/Count 1"))

    assert open_source(with_password(task_of(secret, tmp_path), "hunter2")).pages == 2


def test_a_damaged_stream_is_as_damaged_in_the_copy(tmp_path: Path) -> None:
    cut = damaged.cut_in_half(damaged.lzw(damaged.text_of_lines("page")))
    book = damaged.written(tmp_path / "book.pdf", (cut, ["/LZWDecode"]))
    content = book.read_bytes()
    book.write_bytes(content[: content.rindex(b"\nxref\n")])
    task = task_of(book, tmp_path)

    source = open_source(task)

    assert source.repaired
    assert ContentCheck(source.path(task), pages=1).is_damaged(1)


def test_a_repair_that_does_not_help_is_no_repair(book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = book.read_bytes()
    book.write_bytes(content[: content.rindex(b"\nxref\n")])
    monkeypatch.setattr(pikepdf.Pdf, "save", lambda pdf, path, **_: path.write_bytes(b"%PDF-1.4 still broken"))

    assert "put together anew" in refused(task_of(book, tmp_path), DamagedSource)


def test_a_password_opens_an_encrypted_file_and_goes_no_further(book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")
    task = with_password(task_of(secret, tmp_path), "hunter2")

    source = open_source(task)

    assert (source.pages, source.repaired) == (2, False)
    with pikepdf.open(source.path(task)) as pdf:
        assert not pdf.is_encrypted


def test_a_file_encrypted_without_a_user_password_opens_as_it_is(book: Path, tmp_path: Path) -> None:
    path = pdfs.encrypted(book, tmp_path / "locked.pdf", user="")

    assert open_source(task_of(path, tmp_path)) == SourceFile(copy="", pages=2, title="A book")


def refused(task: Task, error: type[BlobForgeError]) -> str:
    with pytest.raises(error) as caught:
        open_source(task)
    message = str(caught.value)
    assert message.startswith("my book.pdf: ")
    return message


def test_an_encrypted_file_asks_for_its_password(book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")

    assert "needs a password" in refused(task_of(secret, tmp_path), EncryptedSource)


@pytest.mark.parametrize("password", ["", "hunter3"])
def test_who_meets_an_encrypted_file_is_told_how_to_give_its_password(
    book: Path, tmp_path: Path, password: str
) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")

    message = refused(with_password(task_of(secret, tmp_path), password), EncryptedSource)

    for way in ("blobforge convert with --password-file FILE", "password=", "submit it again"):
        assert way in message


def test_a_wrong_password_is_called_wrong(book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")
    task = with_password(task_of(secret, tmp_path), "hunter3")

    message = refused(task, EncryptedSource)

    assert "is wrong" in message
    assert "hunter" not in message


def test_a_file_encrypted_for_a_certificate_says_so(book: Path, tmp_path: Path) -> None:
    trailer = b"trailer\n<<"
    handler = trailer + b"/Encrypt <</Filter /Adobe.PubSec /V 4 /SubFilter /adbe.pkcs7.s5>> "
    book.write_bytes(book.read_bytes().replace(trailer, handler))

    assert "certificate" in refused(task_of(book, tmp_path), EncryptedSource)


def test_an_encrypted_file_that_is_damaged_too_is_damaged(book: Path, tmp_path: Path) -> None:
    secret = pdfs.encrypted(book, tmp_path / "secret.pdf", user="hunter2")
    content = secret.read_bytes()
    secret.write_bytes(content.replace(b"/Type /Pages", b"/Type /Padges").replace(b"/Kids", b"/Kibs"))
    task = with_password(task_of(secret, tmp_path), "hunter2")

    refused(task, DamagedSource)


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.touch()

    assert "0 bytes" in refused(task_of(path, tmp_path), EmptySource)


def test_a_web_page_is_not_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_text("<html>404 not found</html>" + " " * 2000 + "%PDF-1.4")

    assert "not a PDF" in refused(task_of(path, tmp_path), NotAPdf)


def test_a_header_alone_is_damaged_beyond_repair(tmp_path: Path) -> None:
    path = tmp_path / "book.pdf"
    path.write_text("%PDF-1.4\nand then nothing\n")
    task = task_of(path, tmp_path)

    message = refused(task, DamagedSource)

    assert "print it to a new PDF" in message
    assert str(tmp_path) not in message


def test_a_pdf_without_pages_says_so(tmp_path: Path) -> None:
    pikepdf.new().save(tmp_path / "book.pdf")

    assert "no pages" in refused(task_of(tmp_path / "book.pdf", tmp_path), NoPages)


def test_a_missing_file_may_come_later(tmp_path: Path) -> None:
    refused(task_of(tmp_path / "book.pdf", tmp_path), SourceMissing)
    assert SourceMissing.retryable


def test_a_folder_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "book.pdf").mkdir()
    task = replace(task_of(tmp_path / "none", tmp_path), source=tmp_path / "book.pdf")

    refused(task, SourceUnreadable)


@pytest.mark.parametrize("header", [b"%PDF1.4", b"\r\nNews of the day\r\n%PDF-1.4"])
def test_an_odd_header_is_no_hindrance_where_the_file_opens(book: Path, tmp_path: Path, header: bytes) -> None:
    content = book.read_bytes()
    book.write_bytes(content.replace(content[:8], header, 1))

    assert open_source(task_of(book, tmp_path)).pages == 2
