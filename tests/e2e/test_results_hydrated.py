"""hydrate: finished results beside their sources."""

import hashlib
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.e2e.results import told, worked
from tests.pdfs import picture_pdf, text_pdf


def outcomes(account: dict[str, object]) -> dict[str, str]:
    results = account["results"]
    assert isinstance(results, list)
    return {Path(entry["path"]).name: entry["outcome"] for entry in results}


@pytest.fixture
def library(blobforge: Blobforge, docs: Path) -> Path:
    """Two documents in two folders, whose results are in the store."""
    text_pdf(docs / "one.pdf")
    picture_pdf(docs / "below" / "two.pdf")
    worked(blobforge)
    return docs


def test_every_document_gets_its_text_and_pictures_beside_it(blobforge: Blobforge, library: Path) -> None:
    done = told(blobforge, "hydrate", "docs")

    assert (done["documents"], done["written"], done["unfinished"], done["failed"]) == (2, 2, 0, 0)
    assert files_below(library) == [
        *("below/two.assets/p0001-1.png", "below/two.md", "below/two.pdf"),
        *("one.md", "one.pdf"),
    ]
    assert "](two.assets/p0001-1.png)" in (library / "below" / "two.md").read_text()


def test_a_second_time_nothing_is_written(blobforge: Blobforge, library: Path) -> None:
    told(blobforge, "hydrate", "docs")
    before = (library / "one.md").stat().st_mtime_ns

    assert outcomes(told(blobforge, "hydrate", "docs")) == {"one.pdf": "current", "two.pdf": "current"}
    assert (library / "one.md").stat().st_mtime_ns == before


def test_a_rehearsal_writes_nothing(blobforge: Blobforge, library: Path) -> None:
    before = files_below(library)

    done = told(blobforge, "hydrate", "docs", "--dry-run")

    assert (done["written"], done["dry_run"]) == (2, True)
    assert files_below(library) == before


def test_what_a_person_has_edited_stays_unless_it_is_forced(blobforge: Blobforge, library: Path) -> None:
    told(blobforge, "hydrate", "docs")
    (library / "one.md").write_text("my own words")

    told(blobforge, "hydrate", "docs")
    assert (library / "one.md").read_text() == "my own words"

    told(blobforge, "hydrate", "docs", "--force")
    assert "# one" in (library / "one.md").read_text()


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_file_that_somebody_else_wrote_is_not_overwritten(
    blobforge: Blobforge, library: Path, more: list[str]
) -> None:
    (library / "one.md").write_text("notes on one")

    done = blobforge.call("hydrate", "docs", *more)

    assert done.exit_code == 3
    assert "output_edited" in done.stderr
    assert (library / "one.md").read_text() == "notes on one"


def test_two_of_one_name_in_a_folder_do_not_overwrite_each_other(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.PDF", "Upper")
    text_pdf(docs / "one.pdf", "Lower")
    worked(blobforge)

    together = told(blobforge, "hydrate", "docs")
    alone = told(blobforge, "hydrate", "docs/one.pdf", "--force")

    assert outcomes(together) == {"one.PDF": "written", "one.pdf": "failed"}
    assert outcomes(alone) == {"one.pdf": "failed"}
    assert alone["results"][0]["code"] == "output_collision"
    assert "# Upper" in (docs / "one.md").read_text()


def test_documents_without_a_result_are_listed_by_their_state(blobforge: Blobforge, library: Path) -> None:
    (library / "dead.pdf").write_text("<html>")
    worked(blobforge)
    text_pdf(library / "waiting.pdf")
    blobforge.call("submit", "docs")
    text_pdf(library / "new.pdf")

    done = told(blobforge, "hydrate", "docs")
    shown = blobforge.call("hydrate", "docs")

    assert done["states"] == {"dead": 1, "pending": 1, "unknown": 1}
    assert (done["written"], done["unfinished"]) == (2, 3)
    assert shown.exit_code == 3
    assert "5 documents: 0 written, 2 written before, 1 dead, 1 not in this queue, 1 pending" in shown.stderr
    assert "waiting.pdf: it waits for a worker" in shown.stderr
    assert blobforge.call("hydrate", "docs/new.pdf").exit_code == 1


def test_a_document_that_changed_is_another_one(blobforge: Blobforge, library: Path) -> None:
    told(blobforge, "hydrate", "docs")
    text_pdf(library / "one.pdf", "Another text")
    assert told(blobforge, "hydrate", "docs/one.pdf")["states"] == {"unknown": 1}
    worked(blobforge)

    assert outcomes(told(blobforge, "hydrate", "docs/one.pdf")) == {"one.pdf": "written"}
    assert "# Another text" in (library / "one.md").read_text()


def test_a_git_lfs_pointer_is_known_by_the_hash_in_it(blobforge: Blobforge, library: Path) -> None:
    content = (library / "one.pdf").read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{digest}\nsize {len(content)}\n"
    (library / "one.pdf").write_text(pointer)

    assert outcomes(told(blobforge, "hydrate", "docs/one.pdf")) == {"one.pdf": "written"}
    assert "# one" in (library / "one.md").read_text()
    assert (library / "one.pdf").read_text() == pointer


def test_what_convert_has_made_is_hydrated_too(blobforge: Blobforge, docs: Path) -> None:
    text_pdf(docs / "one.pdf")
    blobforge.convert("docs", "-o", "out")

    assert outcomes(told(blobforge, "hydrate", "docs")) == {"one.pdf": "written"}


def test_a_result_that_is_gone_from_the_store_is_a_failure_of_its_document_alone(
    blobforge: Blobforge, library: Path
) -> None:
    job = told(blobforge, "list", "--limit", "1")["jobs"][0]
    (blobforge.home / "blobs" / job["result"]["key"]).unlink()

    done = blobforge.call("hydrate", "docs")

    assert done.exit_code == 3
    assert "not_found" in done.stderr
