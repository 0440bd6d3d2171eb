"""Names in the output folder."""

import os
from pathlib import Path, PurePath

import pytest

from blobforge.conversion.document import DocumentReport, InputDocument
from blobforge.conversion.tree import LONGEST_NAME, assets_folder, assign, assign_beside
from blobforge.domain.errors import SourceUnreadable
from blobforge.ingest.scan import FoundFile, Seen, Unreadable
from blobforge.ports.hash_cache import FileStat


def found(relative: str, *, path: str = "") -> FoundFile:
    return FoundFile(FileStat(path or f"/docs/{relative}", 7, 1), relative)


def placed(*seen: Seen) -> list[InputDocument | DocumentReport]:
    return list(assign(seen, "/out", refusal=lambda _stat, _output: None))


def output_of(relative: str) -> str:
    (document,) = placed(found(relative))
    assert isinstance(document, InputDocument)
    return document.output


@pytest.mark.parametrize(
    ("relative", "output"),
    [
        ("one.pdf", "/out/one.md"),
        ("One.PDF", "/out/One.md"),
        ("a/b/one.pDf", "/out/a/b/one.md"),
        ("no suffix", "/out/no suffix.md"),
        ("report.v2.pdf", "/out/report.v2.md"),
        ("report.txt", "/out/report.txt.md"),
        ("one.pdf.pdf", "/out/one.pdf.md"),
        (".pdf", "/out/.pdf.md"),
        ("a.pdf/b.pdf", "/out/a.pdf/b.md"),
    ],
)
def test_a_document_keeps_its_path_and_changes_its_suffix(relative: str, output: str) -> None:
    assert output_of(relative) == output


def test_pictures_lie_in_a_folder_beside_the_text() -> None:
    assert assets_folder("/out/a/one.md") == "/out/a/one.assets"


@pytest.mark.parametrize("letter", ["n", "ü", "語", "🐎"])
def test_a_long_name_is_cut_between_letters_to_what_fits(letter: str) -> None:
    count = 251 // len(letter.encode())

    output = output_of(f"{letter * count}.pdf")

    name, folder = PurePath(output).name, PurePath(assets_folder(output)).name
    assert max(len(os.fsencode(name)), len(os.fsencode(folder))) <= LONGEST_NAME
    assert name.startswith(letter * (count - 20))
    assert os.fsencode(name).decode() == name


def test_a_name_that_just_fits_is_not_cut() -> None:
    stem = "n" * (LONGEST_NAME - len(".assets"))

    assert output_of(f"{stem}.pdf") == f"/out/{stem}.md"
    assert output_of(f"{stem}n.pdf") != f"/out/{stem}n.md"


def test_long_names_that_begin_alike_stay_apart() -> None:
    assert output_of(f"{'n' * 250}1.pdf") != output_of(f"{'n' * 250}2.pdf")


def test_a_long_name_of_any_bytes_can_be_cut() -> None:
    output = output_of(os.fsdecode(b"\xff" * 251) + ".pdf")

    assert len(os.fsencode(PurePath(output).name)) <= LONGEST_NAME


def test_of_two_that_want_one_place_the_second_is_refused() -> None:
    first, second = placed(found("one.PDF"), found("one.pdf"))

    assert isinstance(first, InputDocument)
    assert isinstance(second, DocumentReport)
    assert (second.path, second.code) == ("/docs/one.pdf", "output_collision")
    assert second.message is not None
    assert "/docs/one.PDF" in second.message


def test_one_document_that_was_found_twice_has_one_place() -> None:
    assert len(placed(found("one.pdf"), found("one.pdf"))) == 1


@pytest.mark.parametrize("names", [["one.PDF", "one.pdf"], ["one.pdf", "one.PDF"], ["one.pdf"]])
def test_beside_itself_the_first_by_name_has_the_place_whoever_is_asked_for(tmp_path: Path, names: list[str]) -> None:
    for name in ("one.PDF", "one.pdf", "other.pdf"):
        (tmp_path / name).touch()

    entries = list(assign_beside(found(name, path=f"{tmp_path}/{name}") for name in names))

    outputs = {entry.stat.path: entry.output for entry in entries if isinstance(entry, InputDocument)}
    refused = {entry.path: entry.code for entry in entries if isinstance(entry, DocumentReport)}
    assert outputs == ({f"{tmp_path}/one.PDF": f"{tmp_path}/one.md"} if "one.PDF" in names else {})
    assert refused == {f"{tmp_path}/one.pdf": "output_collision"}


def test_beside_itself_a_document_in_a_folder_that_cannot_be_listed_has_its_place() -> None:
    (entry,) = assign_beside([found("one.pdf", path="/nowhere/one.pdf")])

    assert isinstance(entry, InputDocument)
    assert entry.output == "/nowhere/one.md"


def test_what_could_not_be_read_is_reported_as_failed() -> None:
    (report,) = placed(Unreadable("/docs/one.pdf", SourceUnreadable("it is locked")))

    assert report == DocumentReport(
        path="/docs/one.pdf",
        outcome=report.outcome,  # type: ignore[union-attr]
        code="source_unreadable",
        message="it is locked",
    )
