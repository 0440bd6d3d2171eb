"""The same command once more: nothing is done twice, and what changed is done."""

import json
import os
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.pdfs import picture_pdf, text_pdf


def times_below(folder: Path) -> dict[str, int]:
    return {name: (folder / name).stat().st_mtime_ns for name in files_below(folder)}


@pytest.fixture
def library(blobforge: Blobforge, docs: Path) -> Path:
    """A folder that was converted into `out` once."""
    text_pdf(docs / "one.pdf", "One", "Two", "Three")
    picture_pdf(docs / "shelf" / "two.pdf")
    assert blobforge.convert("docs", "-o", "out").account["converted"] == 2
    return docs


def test_nothing_is_converted_or_written_twice(blobforge: Blobforge, library: Path, out: Path) -> None:
    written, stored = times_below(out), times_below(blobforge.home / "blobs")

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.account["cached"], run.account["converted"]) == (0, 2, 0)
    assert run.entry("one.pdf")["pages"] == 3
    assert (times_below(out), times_below(blobforge.home / "blobs")) == (written, stored)


def test_a_run_with_nothing_to_do_does_not_open_the_queue(blobforge: Blobforge, library: Path) -> None:
    (blobforge.home / "queue.db").unlink()

    run = blobforge.convert("docs", "-o", "out")

    assert run.account["cached"] == 2
    assert not (blobforge.home / "queue.db").exists()


def test_only_the_new_document_is_converted(blobforge: Blobforge, library: Path) -> None:
    text_pdf(library / "three.pdf")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "cached", "two.pdf": "cached", "three.pdf": "converted"}


def test_a_moved_document_is_found_by_its_content(blobforge: Blobforge, library: Path, out: Path) -> None:
    (library / "elsewhere").mkdir()
    (library / "shelf" / "two.pdf").rename(library / "elsewhere" / "moved.pdf")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "cached", "moved.pdf": "cached"}
    assert (out / "elsewhere" / "moved.md").is_file()
    assert "moved.assets/" in (out / "elsewhere" / "moved.md").read_text()


def test_a_renamed_output_folder_is_taken_as_it_is(blobforge: Blobforge, library: Path, out: Path) -> None:
    written = times_below(out)
    renamed = out.rename(out.with_name("renamed"))

    run = blobforge.convert("docs", "-o", "renamed")

    assert run.account["cached"] == 2
    assert times_below(renamed) == written


def test_another_spelling_of_the_output_folder_is_the_same_folder(blobforge: Blobforge, library: Path) -> None:
    (blobforge.home / "queue.db").unlink()

    run = blobforge.convert("docs", "-o", "docs/../out/")

    assert run.account["cached"] == 2
    assert not (blobforge.home / "queue.db").exists()


def test_the_same_content_at_two_paths_is_converted_once(blobforge: Blobforge, docs: Path, out: Path) -> None:
    content = text_pdf(docs / "a.pdf").read_bytes()
    (docs / "b.pdf").write_bytes(content)

    run = blobforge.convert("docs", "-o", "out")

    assert run.code == 0
    assert sorted(run.outcomes.values()) == ["cached", "converted"]
    assert (out / "a.md").read_text() == (out / "b.md").read_text()


def test_a_second_path_of_known_content_counts_as_cached(blobforge: Blobforge, library: Path, out: Path) -> None:
    (library / "copy.pdf").write_bytes((library / "one.pdf").read_bytes())

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "cached", "two.pdf": "cached", "copy.pdf": "cached"}
    assert (out / "copy.md").read_text() == (out / "one.md").read_text()


def test_changed_content_is_converted_anew(blobforge: Blobforge, library: Path, out: Path) -> None:
    text_pdf(library / "one.pdf", "Quite another text")

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "converted", "two.pdf": "cached"}
    assert "Quite another text" in (out / "one.md").read_text()


def test_a_document_that_was_only_touched_is_not_converted_again(blobforge: Blobforge, library: Path) -> None:
    os.utime(library / "one.pdf", (1, 1))

    run = blobforge.convert("docs", "-o", "out")

    assert run.outcomes == {"one.pdf": "cached", "two.pdf": "cached"}


def test_pictures_that_the_new_content_has_not_are_taken_away(blobforge: Blobforge, library: Path, out: Path) -> None:
    text_pdf(library / "shelf" / "two.pdf", "Without a picture")

    blobforge.convert("docs", "-o", "out")

    assert files_below(out) == ["one.md", "shelf/two.md"]
    assert not (out / "shelf" / "two.assets").exists()


def test_other_pages_replace_the_output_and_going_back_costs_nothing(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    text_pdf(docs / "one.pdf", "First", "Second", "Third")
    whole = blobforge.convert("docs", "-o", "out")
    everything = (out / "one.md").read_text()

    part = blobforge.convert("docs", "-o", "out", "--pages", "1-2")
    part_text = (out / "one.md").read_text()
    back = blobforge.convert("docs", "-o", "out")

    assert [run.outcomes["one.pdf"] for run in (whole, part, back)] == ["converted", "converted", "cached"]
    assert [run.account["pages"] for run in (whole, part, back)] == [3, 2, 3]
    assert "Second" in part_text
    assert "Third" not in part_text
    assert (out / "one.md").read_text() == everything


def test_a_failed_document_is_tried_again(blobforge: Blobforge, docs: Path) -> None:
    (docs / "late.pdf").write_bytes(b"")
    text_pdf(docs / "good.pdf")

    first = blobforge.convert("docs", "-o", "out")
    second = blobforge.convert("docs", "-o", "out")
    text_pdf(docs / "late.pdf")
    third = blobforge.convert("docs", "-o", "out")

    assert first.codes == {"late.pdf": "empty_file", "good.pdf": None}
    assert second.outcomes == {"late.pdf": "failed", "good.pdf": "cached"}
    assert third.outcomes == {"late.pdf": "converted", "good.pdf": "cached"}
    assert [run.code for run in (first, second, third)] == [3, 3, 0]


def test_a_document_that_cannot_be_converted_is_really_tried_again(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "good.pdf")
    (docs / "bad.pdf").write_text("this is no PDF")
    blobforge.convert("docs", "-o", "out")

    blobforge.convert("docs", "-o", "out")

    (dead,) = json.loads(blobforge.run("list", "--state", "dead", "--json").stdout)["jobs"]
    history = json.loads(blobforge.run("status", f"#{dead['id']}", "--json").stdout)
    assert [attempt["error_code"] for attempt in history["attempts"]] == ["not_a_pdf", "not_a_pdf"]


def test_deleted_results_are_written_again_without_converting(blobforge: Blobforge, library: Path, out: Path) -> None:
    before = {name: (out / name).read_bytes() for name in files_below(out)}
    blobs = blobforge.home / "blobs"
    stored = {name: (blobs / name).read_bytes() for name in files_below(blobs)}
    (out / "one.md").unlink()
    (out / "shelf" / "two.assets" / "p0001-1.png").unlink()

    run = blobforge.convert("docs", "-o", "out")

    assert run.account["cached"] == 2
    assert {name: (out / name).read_bytes() for name in files_below(out)} == before
    # The same results, though as young as if they were new: so `gc` leaves them alone while they are used.
    assert {name: (blobs / name).read_bytes() for name in files_below(blobs)} == stored


def test_a_lost_home_costs_time_and_no_document(blobforge: Blobforge, library: Path, out: Path) -> None:
    written = times_below(out)
    blobforge.home.rename(blobforge.home.with_name("lost"))

    run = blobforge.convert("docs", "-o", "out")

    assert (run.code, run.account["converted"]) == (0, 2)
    assert times_below(out) == written


def test_a_damaged_result_is_made_anew(blobforge: Blobforge, library: Path, out: Path) -> None:
    before = (out / "one.md").read_bytes()
    for stored in (blobforge.home / "blobs" / "outputs").rglob("*.zip"):
        stored.write_bytes(stored.read_bytes().replace(b"quick brown fox", b"quick brawn fax"))
    (out / "one.md").unlink()

    second = blobforge.convert("docs", "-o", "out")

    assert second.outcomes == {"one.pdf": "converted", "two.pdf": "cached"}
    assert (out / "one.md").read_bytes() == before
