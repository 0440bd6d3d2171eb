"""Outputs that another document was converted into, in an earlier run."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.pdfs import picture_pdf, text_pdf


@pytest.fixture
def library(blobforge: Blobforge, tmp_path: Path) -> Path:
    """Two folders with a document of the same name; the first, which has a picture, was converted into `out`."""
    picture_pdf(tmp_path / "first" / "x.pdf")
    text_pdf(tmp_path / "second" / "x.pdf", "Second")
    assert blobforge.convert("first", "-o", "out").code == 0
    return tmp_path


def contents_below(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in files_below(folder)}


def test_a_document_is_not_written_over_that_of_an_earlier_run(blobforge: Blobforge, library: Path, out: Path) -> None:
    before = contents_below(out)

    run = blobforge.convert("second", "-o", "out")

    assert (run.code, run.codes) == (1, {"x.pdf": "output_collision"})
    message = run.entry("x.pdf")["message"]
    assert str(library / "first" / "x.pdf") in message
    assert str(library / "second" / "x.pdf") in message
    assert "-o" in message
    assert "--force" in message
    assert contents_below(out) == before
    assert blobforge.convert("first", "-o", "out").outcomes == {"x.pdf": "cached"}


def test_the_others_of_a_run_are_converted_all_the_same(blobforge: Blobforge, library: Path, out: Path) -> None:
    text_pdf(library / "second" / "y.pdf")

    run = blobforge.convert("second", "-o", "out")

    assert (run.code, run.codes) == (3, {"x.pdf": "output_collision", "y.pdf": None})
    assert (out / "y.md").is_file()


@pytest.mark.parametrize(
    "command",
    [("second/x.pdf", "-o", "out/x.md"), ("second/x.pdf", "-o", "out"), ("second", "-o", "first/../out/")],
)
def test_however_the_output_is_named(blobforge: Blobforge, library: Path, out: Path, command: tuple[str, ...]) -> None:
    before = contents_below(out)

    assert blobforge.convert(*command).codes == {"x.pdf": "output_collision"}
    assert contents_below(out) == before


def test_what_was_written_to_a_file_is_kept_from_a_folder_too(blobforge: Blobforge, library: Path, out: Path) -> None:
    text_pdf(library / "k.pdf", "Other")
    blobforge.convert("k.pdf", "-o", "out/y.md")
    text_pdf(library / "third" / "y.pdf", "Third")

    assert blobforge.convert("third", "-o", "out").codes == {"y.pdf": "output_collision"}
    assert "Other" in (out / "y.md").read_text()


def test_a_dry_run_says_the_same(blobforge: Blobforge, library: Path) -> None:
    assert blobforge.convert("second", "-o", "out", "--dry-run").codes == {"x.pdf": "output_collision"}


def test_force_writes_over_it_and_it_is_the_others_then(blobforge: Blobforge, library: Path, out: Path) -> None:
    forced = blobforge.convert("second", "-o", "out", "--force")

    assert (forced.code, files_below(out)) == (0, ["x.md"])
    assert blobforge.convert("second", "-o", "out").outcomes == {"x.pdf": "cached"}
    assert blobforge.convert("first", "-o", "out").codes == {"x.pdf": "output_collision"}


def test_where_the_first_has_changed_since_it_is_still_its_output(blobforge: Blobforge, library: Path) -> None:
    text_pdf(library / "first" / "x.pdf", "Changed")

    assert blobforge.convert("second", "-o", "out").codes == {"x.pdf": "output_collision"}
    assert blobforge.convert("first", "-o", "out").outcomes == {"x.pdf": "converted"}


def test_of_two_in_one_run_the_one_that_was_there_before_has_it(blobforge: Blobforge, library: Path, out: Path) -> None:
    """Whichever comes first by its name."""
    text_pdf(library / "before" / "x.pdf", "Before")

    run = blobforge.convert("before", "first", "-o", "out")

    outcomes = {Path(entry["path"]).parent.name: entry["outcome"] for entry in run.account["results"]}
    assert (run.code, outcomes) == (3, {"before": "failed", "first": "cached"})


def test_where_the_first_is_gone_its_output_is_replaced(blobforge: Blobforge, library: Path, out: Path) -> None:
    (library / "first" / "x.pdf").unlink()

    run = blobforge.convert("second", "-o", "out")

    assert (run.code, files_below(out)) == (0, ["x.md"])
    assert "Second" in (out / "x.md").read_text()


@pytest.mark.parametrize("moved", [os.rename, lambda old, new: new.write_bytes(old.read_bytes()) and old.unlink()])
def test_a_document_takes_its_output_with_it_when_it_is_moved(
    blobforge: Blobforge, library: Path, moved: Callable[[Path, Path], None]
) -> None:
    (library / "moved").mkdir()
    moved(library / "first" / "x.pdf", library / "moved" / "x.pdf")

    assert blobforge.convert("moved", "-o", "out").outcomes == {"x.pdf": "cached"}
    assert blobforge.convert("second", "-o", "out").codes == {"x.pdf": "output_collision"}


def test_the_output_of_a_document_that_was_moved_is_not_pruned_by_a_run_on_others(
    blobforge: Blobforge, library: Path, out: Path
) -> None:
    (library / "first").rename(library / "moved")
    blobforge.convert("moved", "-o", "out")
    text_pdf(library / "other" / "y.pdf")

    run = blobforge.convert("other", "-o", "out", "--prune", "--yes")

    assert (run.code, run.account["left_behind"]) == (0, [])
    assert (out / "x.md").is_file()


def test_nor_is_that_of_a_copy_whose_first_is_deleted(blobforge: Blobforge, library: Path, out: Path) -> None:
    copy = library / "copy" / "x.pdf"
    copy.parent.mkdir()
    copy.write_bytes((library / "first" / "x.pdf").read_bytes())
    text_pdf(library / "other" / "y.pdf")
    blobforge.convert("copy", "-o", "out")
    (library / "first" / "x.pdf").unlink()
    blobforge.convert("copy", "-o", "out")

    run = blobforge.convert("other", "-o", "out", "--prune", "--yes")

    assert run.account["left_behind"] == []
    assert blobforge.convert("second", "-o", "out").codes == {"x.pdf": "output_collision"}


def test_a_copy_of_the_same_content_is_cached_and_the_output_stays_that_of_the_first(
    blobforge: Blobforge, library: Path
) -> None:
    (library / "copy").mkdir()
    copy = library / "copy" / "x.pdf"
    copy.write_bytes((library / "first" / "x.pdf").read_bytes())

    assert blobforge.convert("copy", "-o", "out").outcomes == {"x.pdf": "cached"}
    text_pdf(copy, "Changed")
    assert blobforge.convert("copy", "-o", "out").codes == {"x.pdf": "output_collision"}
    assert blobforge.convert("first", "-o", "out").outcomes == {"x.pdf": "cached"}


def test_a_document_by_another_of_its_names_is_the_same(blobforge: Blobforge, library: Path) -> None:
    (library / "link").symlink_to("first")
    text_pdf(library / "first" / "x.pdf", "Changed")

    assert blobforge.convert("link", "-o", "out").outcomes == {"x.pdf": "converted"}
    text_pdf(library / "first" / "x.pdf", "Changed again")
    assert blobforge.convert("second/../first/x.pdf", "-o", "out").outcomes == {"x.pdf": "converted"}


def test_a_result_is_not_written_beside_a_document_over_that_of_another(blobforge: Blobforge, library: Path) -> None:
    blobforge.convert("first/x.pdf", "-o", "second/x.md")
    text_pdf(library / "second" / "y.pdf")
    before = (library / "second" / "x.md").read_bytes()
    blobforge.convert("second", "-o", "elsewhere")

    done = blobforge.call("hydrate", "second")

    assert (done.exit_code, (library / "second" / "x.md").read_bytes()) == (3, before)
    assert "output_collision" in done.stderr
