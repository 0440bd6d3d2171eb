"""Which documents are done already."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.conversion.results import RECIPE, document, output

from blobforge.catalog.sqlite import SqliteCatalog
from blobforge.conversion.current import Sorted, ToDo, sort_out
from blobforge.conversion.document import ConversionOutcome, DocumentReport, InputDocument
from blobforge.domain.ids import RecipeId
from blobforge.ports.hash_cache import HashedFile
from blobforge.ports.output_ledger import Output, WrittenFile
from blobforge.testing.builders import hash_of


@pytest.fixture
def done(tmp_path: Path, catalog: SqliteCatalog) -> InputDocument:
    """A document with a result that is on the disk and in the catalogue."""
    page = tmp_path / "one.md"
    page.write_text("text")
    catalog.remember([HashedFile(document(page).stat, hash_of("one"))])
    catalog.write([result(page)])
    return document(page)


def result(page: Path, **facts: object) -> Output:
    return output(page, [WrittenFile(page.name, 4, 1, "0")], **facts)


def nothing_mended() -> frozenset[str]:
    return frozenset()


def sort(
    catalog: SqliteCatalog,
    *documents: InputDocument,
    recipe_id: RecipeId = RECIPE,
    mended: Callable[[], frozenset[str]] = nothing_mended,
    force: bool = False,
) -> Sorted:
    return sort_out(documents, hashes=catalog, ledger=catalog, recipe_id=recipe_id, mended=mended, force=force)


def test_a_document_is_current_when_nothing_has_changed(catalog: SqliteCatalog, done: InputDocument) -> None:
    current, to_do = sort(catalog, done)

    assert current == [
        DocumentReport(path=done.stat.path, outcome=ConversionOutcome.CACHED, output=done.output, pages=1)
    ]
    assert to_do == []


def test_a_document_that_nobody_has_seen_is_to_do(catalog: SqliteCatalog, tmp_path: Path) -> None:
    new = document(tmp_path / "new.md")

    assert sort(catalog, new) == ([], [ToDo(new, None)])


def test_a_document_with_another_time_is_to_do_and_must_be_read(catalog: SqliteCatalog, done: InputDocument) -> None:
    touched = InputDocument(stat=done.stat._replace(mtime_ns=2), output=done.output)

    assert sort(catalog, touched) == ([], [ToDo(touched, None)])


def test_known_content_at_another_place_need_not_be_read(catalog: SqliteCatalog, done: InputDocument) -> None:
    elsewhere = InputDocument(stat=done.stat, output="/elsewhere/one.md")

    assert sort(catalog, elsewhere) == ([], [ToDo(elsewhere, hash_of("one"))])


def test_another_recipe_is_to_do(catalog: SqliteCatalog, done: InputDocument) -> None:
    assert sort(catalog, done, recipe_id=RecipeId("another")).to_do == [ToDo(done, hash_of("one"))]


def test_a_result_of_other_content_is_to_do(catalog: SqliteCatalog, done: InputDocument) -> None:
    catalog.write([result(Path(done.output), source_hash=hash_of("two"))])

    assert sort(catalog, done).to_do == [ToDo(done, hash_of("one"))]


def test_a_result_that_was_deleted_is_to_do(catalog: SqliteCatalog, done: InputDocument) -> None:
    Path(done.output).unlink()

    assert sort(catalog, done).to_do == [ToDo(done, hash_of("one"))]


def test_with_force_everything_is_to_do(catalog: SqliteCatalog, done: InputDocument) -> None:
    assert sort(catalog, done, force=True).to_do == [ToDo(done, hash_of("one"))]


@pytest.mark.parametrize(("mended", "is_current"), [(frozenset({"ocr_unavailable"}), False), (frozenset[str](), True)])
def test_a_result_with_gaps_is_to_do_once_they_can_be_filled(
    catalog: SqliteCatalog, done: InputDocument, mended: frozenset[str], is_current: bool
) -> None:
    catalog.write([result(Path(done.output), pages_failed=1, codes=("ocr_unavailable",))])

    current, to_do = sort(catalog, done, mended=lambda: mended)

    assert (len(current), len(to_do)) == ((1, 0) if is_current else (0, 1))


@pytest.mark.parametrize(("mended", "is_current"), [(frozenset({"bad_ocr"}), False), (frozenset({"other"}), True)])
def test_a_doubtful_result_is_to_do_once_its_doubt_can_be_mended(
    catalog: SqliteCatalog, done: InputDocument, mended: frozenset[str], is_current: bool
) -> None:
    catalog.write([result(Path(done.output))._replace(warnings=("bad_ocr",))])

    current, to_do = sort(catalog, done, mended=lambda: mended)

    assert (len(current), len(to_do)) == ((1, 0) if is_current else (0, 1))


def test_what_can_be_filled_is_not_asked_for_without_gaps(catalog: SqliteCatalog, done: InputDocument) -> None:
    def expensive() -> frozenset[str]:
        pytest.fail("nobody needs to know")

    assert len(sort(catalog, done, mended=expensive).current) == 1
