"""Folders that cannot be read or written, and disks that are full."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.e2e.disks import Disk, bound_by_permissions, small_disk
from tests.e2e.program import Blobforge, converted, ended, files_below
from tests.e2e.tesseracts import Gate, Reader
from tests.pdfs import picture_pdf, scanned_pdf, text_pdf


@pytest.fixture
def out_disk(out: Path) -> Iterator[Disk]:
    with small_disk(out, kilobytes=256) as disk:
        yield disk


@pytest.fixture
def home_disk(blobforge: Blobforge) -> Iterator[Disk]:
    with small_disk(blobforge.home, kilobytes=4096) as disk:
        yield disk


@pytest.fixture
def locked() -> Iterator[list[Path]]:
    """What is put here is closed to everyone until the test ends."""
    paths: list[Path] = []
    yield paths
    for path in paths:
        path.chmod(0o755)


def lock(path: Path, locked: list[Path], mode: int = 0) -> None:
    locked.append(path)
    path.chmod(mode)


def test_what_cannot_be_read_is_told_and_the_others_go_on(
    blobforge: Blobforge, docs: Path, out: Path, locked: list[Path]
) -> None:
    text_pdf(docs / "good.pdf")
    lock(text_pdf(docs / "secret.pdf"), locked)
    lock(text_pdf(docs / "closed" / "inner.pdf").parent, locked)
    text_pdf(docs / "half open" / "inner.pdf")
    (docs / "half open" / "folder").mkdir()
    (docs / "half open" / "note.txt").touch()
    lock(docs / "half open", locked, 0o444)  # its names can be read, and nothing behind them

    run = converted(ended(blobforge.start("convert", "docs", "-o", "out", "--json", before=bound_by_permissions())))

    assert run.code == 3
    assert run.codes == {
        "good.pdf": None,
        "secret.pdf": "source_unreadable",
        "closed": "source_unreadable",
        "inner.pdf": "source_unreadable",
        "folder": "source_unreadable",
    }
    assert "Permission denied" in run.entry("closed")["message"]
    assert files_below(out) == ["good.md"]


def test_an_output_folder_without_permission_is_known_before_the_work(
    blobforge: Blobforge, docs: Path, out: Path, locked: list[Path]
) -> None:
    text_pdf(docs / "good.pdf")
    out.mkdir()
    lock(out, locked, 0o555)

    done = ended(blobforge.start("convert", "docs", "-o", "out", before=bound_by_permissions()))

    assert done.returncode == 1
    assert f"error: {out} cannot be written: Permission denied [output_unwritable]\n" in done.stderr
    assert not (blobforge.home / "queue.db").exists()


@pytest.mark.parametrize("place", ["closed/out", "closed/below/out", "closed/out.md"])
def test_an_output_below_a_folder_that_may_not_be_entered_is_known_before_the_work(
    place: str, blobforge: Blobforge, docs: Path, locked: list[Path]
) -> None:
    text_pdf(docs / "good.pdf")
    closed = blobforge.cwd / "closed"
    closed.mkdir()
    lock(closed, locked, 0o000)

    done = ended(blobforge.start("convert", "docs/good.pdf", "-o", place, before=bound_by_permissions()))

    assert done.returncode == 1
    assert done.stderr == f"error: {place} cannot be written: Permission denied [output_unwritable]\n"
    assert not (blobforge.home / "queue.db").exists()


def test_a_part_of_the_output_that_cannot_be_written_fails_its_documents_alone(
    blobforge: Blobforge, docs: Path, out: Path
) -> None:
    text_pdf(docs / "good.pdf")
    text_pdf(docs / "shelf" / "blocked.pdf")
    out.mkdir()
    (out / "shelf").write_text("a file where a folder should be")

    run = blobforge.convert("docs", "-o", "out")

    assert run.codes == {"good.pdf": None, "blocked.pdf": "output_unwritable"}
    assert (out / "shelf").read_text() == "a file where a folder should be"


def test_a_full_disk_fails_what_does_not_fit_and_leaves_nothing_half_written(
    blobforge: Blobforge, docs: Path, out: Path, out_disk: Disk
) -> None:
    picture_pdf(docs / "a large.pdf")
    text_pdf(docs / "b small.pdf")
    out_disk.fill(leave=4096)

    full = blobforge.convert("docs", "-o", "out")
    left = sorted(path.name for path in out.iterdir())
    out_disk.free()
    again = blobforge.convert("docs", "-o", "out")

    assert (full.code, full.codes) == (3, {"a large.pdf": "disk_full", "b small.pdf": None})
    assert left == [".ballast", "b small.md"]
    assert again.outcomes == {"a large.pdf": "cached", "b small.pdf": "cached"}
    assert (out / "a large.assets" / "p0001-1.png").is_file()


def test_a_full_disk_does_not_cost_the_version_that_was_there(
    blobforge: Blobforge, docs: Path, out: Path, out_disk: Disk
) -> None:
    picture_pdf(docs / "one.pdf", step=1)
    blobforge.convert("docs", "-o", "out")
    before = {name: (out / name).read_bytes() for name in files_below(out)}
    picture_pdf(docs / "one.pdf", step=2)
    out_disk.fill()

    full = blobforge.convert("docs", "-o", "out")

    out_disk.free()
    assert full.codes == {"one.pdf": "disk_full"}
    assert {name: (out / name).read_bytes() for name in files_below(out)} == before


def test_a_full_disk_under_the_home_is_an_error_and_not_a_loss(
    blobforge: Blobforge, docs: Path, home_disk: Disk
) -> None:
    text_pdf(docs / "one.pdf")
    home_disk.fill()

    full = blobforge.call("convert", "docs", "-o", "out", "--json")
    home_disk.free()
    again = blobforge.convert("docs", "-o", "out")

    assert (full.exit_code, '"code": "store_unavailable"' in full.stdout) == (1, True)
    assert again.outcomes == {"one.pdf": "converted"}


def test_a_home_that_fills_up_on_the_way_is_waited_for(
    blobforge: Blobforge, docs: Path, home_disk: Disk, gate: Gate, tmp_path: Path
) -> None:
    scanned_pdf(docs / "scan.pdf")
    reader = Reader(tmp_path / "reader")
    process = blobforge.start(
        "convert", "docs", "-o", "out", "--json", "--log-level", "warning", PATH=f"{gate.path}:{reader.path}"
    )
    gate.wait_until_reached()

    home_disk.fill()
    gate.remove()
    assert process.stderr is not None
    waits = next(line for line in process.stderr if "the queue does not answer; waiting" in line)
    home_disk.free()

    run = converted(ended(process))
    assert "disk" in waits
    assert (run.code, run.outcomes) == (0, {"scan.pdf": "converted"})
