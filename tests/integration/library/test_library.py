"""The library with real children."""

import asyncio
import io
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.pdfs import aged, locked_pdf, picture_pdf, scanned_pdf, text_pdf

from blobforge import (
    AlreadyExists,
    ChildLimits,
    ChildTimedOut,
    ConvertedDocument,
    Converter,
    EncryptedSource,
    InvalidOptions,
    NotAPdf,
    PageOutcome,
    Progress,
    aconvert,
    aconvert_many,
    convert,
    convert_many,
)


@pytest.fixture(scope="module")
def converter() -> Iterator[Converter]:
    with Converter(jobs=2) as converter:
        yield converter


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return text_pdf(tmp_path_factory.mktemp("book") / "book.pdf", "Earth", "Water", "Air")


@pytest.fixture(scope="module")
def read(converter: Converter, book: Path) -> ConvertedDocument:
    return converter.convert(book)


# What a document is


def test_a_document_has_its_markdown_as_a_whole_and_by_page(read: ConvertedDocument) -> None:
    assert [page.number for page in read.pages] == [1, 2, 3]
    assert [page.outcome for page in read.pages] == [PageOutcome.TEXT] * 3
    assert read.pages[1].markdown.startswith("# Water\n\nThe quick brown fox")
    assert "\n\n".join(page.markdown for page in read.pages) + "\n" == read.markdown
    assert (read.source_name, read.title, read.pages_failed) == ("book.pdf", "", ())


def test_blocks_have_roles_places_and_their_markdown(read: ConvertedDocument) -> None:
    heading, paragraph = read.pages[1].blocks

    assert (heading.role, heading.page, heading.level, heading.markdown) == ("heading", 2, 1, "# Water")
    assert heading.box.left == pytest.approx(72, abs=2)
    assert heading.box.bottom < paragraph.box.top
    assert paragraph.markdown == paragraph.text == read.markdown.split("\n")[paragraph.line - 1]
    assert read.blocks[2:4] == (heading, paragraph)


def test_chunks_have_headings_and_pages(read: ConvertedDocument) -> None:
    chunks = read.chunks()

    assert [(chunk.headings, chunk.first_page, chunk.last_page) for chunk in chunks] == [
        (("Earth",), 1, 1),
        (("Water",), 2, 2),
        (("Air",), 3, 3),
    ]
    assert all(len(chunk.text) <= 80 for chunk in read.chunks(max_characters=80))
    with pytest.raises(InvalidOptions, match="max_characters=0"):
        read.chunks(max_characters=0)


def test_a_document_is_saved_as_convert_writes_it(converter: Converter, tmp_path: Path) -> None:
    document = converter.convert(picture_pdf(tmp_path / "in" / "my book.pdf"))

    path = document.save(tmp_path / "out" / "deep")

    assert path == tmp_path / "out" / "deep" / "my book.md"
    assert "](my%20book.assets/p0001-1." in path.read_text(encoding="utf-8")
    (name,) = document.assets
    assert (path.parent / "my book.assets" / name).read_bytes() == document.assets[name]


def test_saving_never_overwrites_unasked(read: ConvertedDocument, tmp_path: Path) -> None:
    path = read.save(tmp_path, name="mine.md")
    read.save(tmp_path, name="mine")
    path.write_text("edited", encoding="utf-8")

    with pytest.raises(AlreadyExists, match=r"mine\.md.*overwrite=True"):
        read.save(tmp_path, name="mine")

    assert path.read_text(encoding="utf-8") == "edited"
    assert read.save(tmp_path, name="mine", overwrite=True).read_text(encoding="utf-8") == read.markdown


@pytest.mark.parametrize("name", ["", "..", "../out"])
def test_nothing_is_saved_outside_the_folder(read: ConvertedDocument, tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidOptions, match="no name of a file"):
        read.save(tmp_path, name=name)


# What may be handed over


def test_bytes_and_streams_give_the_same_as_the_file(converter: Converter, book: Path, read: ConvertedDocument) -> None:
    content = book.read_bytes()

    from_bytes = converter.convert(content, name="book.pdf")
    with book.open("rb") as stream:
        from_file = converter.convert(stream)
    from_stream = converter.convert(io.BytesIO(content))

    assert from_bytes == from_file == read
    assert (from_stream.markdown, from_stream.source_name) == (read.markdown, "document.pdf")
    assert [chunk.id for chunk in from_stream.chunks()] == [chunk.id for chunk in read.chunks()]


def test_some_pages_are_as_they_are_in_the_whole(converter: Converter, book: Path, read: ConvertedDocument) -> None:
    for pages in ("2-3", [3, 2], range(2, 4)):
        document = converter.convert(book, pages=pages)

        assert [page.markdown for page in document.pages] == [page.markdown for page in read.pages[1:]]


def test_another_engine_has_pages_and_chunks_too(converter: Converter, book: Path) -> None:
    document = converter.convert(book, engine="liteparse")

    assert document.blocks == ()
    assert ["Water" in page.markdown for page in document.pages] == [False, True, False]
    assert [chunk.first_page for chunk in document.chunks(max_characters=250)] == [1, 2, 3]


def test_a_page_that_failed_says_why(converter: Converter, tmp_path: Path) -> None:
    document = converter.convert(scanned_pdf(tmp_path / "scan.pdf", text_first=True), ocr=False)

    (gap,) = document.pages_failed
    assert (gap.number, gap.code, gap.markdown) == (2, "ocr_unavailable", "<!-- page 2 failed: ocr_unavailable -->")
    assert "OCR is off" in (gap.message or "")
    assert {chunk.last_page for chunk in document.chunks()} == {1}


def test_errors_have_their_own_types(converter: Converter, tmp_path: Path) -> None:
    locked = locked_pdf(tmp_path / "locked.pdf", password="secret")

    with pytest.raises(EncryptedSource, match=r"locked\.pdf"):
        converter.convert(locked)
    with pytest.raises(NotAPdf, match="this is not a PDF"):
        converter.convert(b"no PDF", name="letter.pdf")
    assert converter.convert(locked, password="secret").markdown.startswith("# Behind the lock")


def test_a_document_over_its_limit_is_an_error_and_not_a_hang(book: Path) -> None:
    with pytest.raises(ChildTimedOut):
        convert(book, limits=ChildLimits(timeout_seconds=0.001))


# Progress, and whoever does not want it any more


def test_progress_is_told(book: Path) -> None:
    told: list[Progress] = []

    convert(book, on_progress=told.append, jobs=2)

    pages = [progress.current for progress in told if progress.stage == "converting"]
    assert (pages, pages[-1]) == (sorted(pages), 3)


def test_an_error_of_the_listener_is_raised_and_ends_the_work(converter: Converter, book: Path) -> None:
    def listen(progress: Progress) -> None:
        raise KeyError(progress.stage)

    with pytest.raises(KeyError, match="converting"):
        converter.convert(book, on_progress=listen)

    assert converter.convert(book).pages


def test_a_cancelled_document_leaves_its_child_free_for_others(book: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold(_progress: Progress) -> None:
        begun.set()
        go_on.wait(30)

    with Converter() as converter:
        first = converter.submit(book, on_progress=hold)
        assert begun.wait(30)
        assert first.cancel()
        go_on.set()

        assert converter.convert(book).pages


def test_closing_cancels_what_is_under_way(book: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def hold(_progress: Progress) -> None:
        begun.set()
        go_on.wait(30)

    converter = Converter()
    futures = [converter.submit(book, on_progress=hold) for _ in range(3)]
    assert begun.wait(30)
    closing = threading.Thread(target=converter.close)
    closing.start()
    go_on.set()
    closing.join(30)

    assert not closing.is_alive()
    assert all(future.cancelled() for future in futures)


# Many


def test_many_documents_give_results_and_errors(tmp_path: Path) -> None:
    good = [text_pdf(tmp_path / f"{number}.pdf", f"Number {number}") for number in range(5)]
    bad = aged(tmp_path / "bad.pdf") if (tmp_path / "bad.pdf").write_bytes(b"none") else Path()
    told: set[object] = set()

    found = list(convert_many([*good, bad], jobs=2, on_progress=lambda source, _: told.add(source)))

    assert sorted(result.index for result in found) == list(range(6))
    assert {result.source: result.document.markdown.split("\n")[0] for result in found if result.error is None} == {
        path: f"# Number {number}" for number, path in enumerate(good)
    }
    (failed,) = [result for result in found if result.error is not None]
    assert (failed.source, type(failed.error)) == (bad, NotAPdf)
    with pytest.raises(NotAPdf):
        _ = failed.document
    assert told == set(good)


def test_sources_are_taken_as_work_goes_on(converter: Converter, book: Path) -> None:
    taken: list[int] = []

    def endless() -> Iterator[Path]:
        for number in range(1_000_000):
            taken.append(number)
            yield book

    for place, result in enumerate(converter.convert_many(endless())):
        assert result.document.pages
        if place == 2:
            break

    assert len(taken) <= 3 + 2 * converter.jobs


def _children() -> set[int]:
    """Processes that this one has started and that still run."""
    tasks = Path("/proc/self/task").glob("*/children")
    return {int(pid) for task in tasks for pid in task.read_text(encoding="ascii").split()}


def test_children_stay_warm_from_one_document_to_the_next(book: Path) -> None:
    children: set[int] = set()
    of_others = _children()

    def look(_source: object, _progress: Progress) -> None:
        children.update(_children() - of_others)

    with Converter() as converter:
        assert all(result.document.pages for result in converter.convert_many([book] * 3, on_progress=look))
        before = set(children)
        assert all(result.document.pages for result in converter.convert_many([book] * 3, on_progress=look))

    assert len(before) == 1
    assert children == before
    assert not Path(f"/proc/{before.pop()}").exists()


def test_a_fault_in_the_sources_is_the_callers(converter: Converter, book: Path) -> None:
    def broken() -> Iterator[Path]:
        yield book
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(converter.convert_many(broken()))


# Async


def test_the_async_form_does_not_hold_up_the_loop(book: Path) -> None:
    looped = threading.Event()

    class Slow(io.BytesIO):
        def read(self, size: int | None = -1, /) -> bytes:
            assert looped.wait(30), "the loop did not come round while the stream was read"
            return super().read(size)

    async def main() -> ConvertedDocument:
        converting = asyncio.ensure_future(aconvert(Slow(book.read_bytes())))
        await asyncio.sleep(0)
        looped.set()
        return await converting

    assert len(asyncio.run(main()).pages) == 3


def test_progress_comes_in_the_loop(converter: Converter, book: Path) -> None:
    threads: set[int] = set()

    async def main() -> None:
        await converter.aconvert(book, on_progress=lambda _: threads.add(threading.get_ident()))

    asyncio.run(main())

    assert threads == {threading.get_ident()}


def test_a_cancelled_task_ends_the_work(book: Path) -> None:
    async def main(converter: Converter) -> None:
        begun = asyncio.Event()
        task = asyncio.ensure_future(converter.aconvert(book, on_progress=lambda _: begun.set()))
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await converter.aconvert(book)).pages

    with Converter() as converter:
        asyncio.run(main(converter))


def test_many_documents_come_in_the_async_form(tmp_path: Path, book: Path) -> None:
    missing = tmp_path / "missing.pdf"

    async def main() -> dict[object, str]:
        found = aconvert_many([book, missing], jobs=1)
        return {result.source: result.error.code if result.error else "done" async for result in found}

    assert asyncio.run(main()) == {book: "done", missing: "source_missing"}
