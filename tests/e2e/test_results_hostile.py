"""A result that means harm: nothing of it is written where it does not belong."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.program import Blobforge, files_below
from tests.e2e.results import finished, jobs_by_name, result_file, tampered, told
from tests.pdfs import text_pdf

Change = Callable[[zipfile.ZipFile], None]


def a_file(name: str) -> Change:
    return lambda archive: archive.writestr(name, "evil")


def a_link(name: str, target: str) -> Change:
    entry = zipfile.ZipInfo(name)
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    return lambda archive: archive.writestr(entry, target)


REFUSED: dict[str, Change] = {
    "up": a_file("assets/../evil.png"),
    "far up": a_file("assets/../../../evil.png"),
    "absolute": a_file("assets//tmp/evil.png"),
    "a folder of its own": a_file("assets/sub/evil.png"),
    "a backslash": a_file("assets/..\\evil.png"),
    "a drive": a_file("assets/C:evil.png"),
    "a link": a_link("assets/evil.png", "../one.pdf"),
    "a name too long": a_file(f"assets/{'n' * 300}.png"),
    "a line break": a_file("assets/evil\n.png"),
}


@pytest.fixture
def one(blobforge: Blobforge, docs: Path) -> Path:
    path = text_pdf(docs / "one.pdf")
    finished(blobforge)
    return path


@pytest.mark.parametrize("change", REFUSED.values(), ids=REFUSED)
def test_a_result_with_an_unsafe_name_is_refused_whole(blobforge: Blobforge, one: Path, change: Change) -> None:
    tampered(result_file(blobforge, "one.pdf"), change, markdown="![](assets/evil.png)")
    before = files_below(blobforge.cwd)

    done = told(blobforge, "hydrate", "docs", "--force")

    (entry,) = done["results"]
    assert (entry["outcome"], entry["code"]) == ("failed", "result_damaged")
    assert files_below(blobforge.cwd) == before


@pytest.mark.parametrize("name", ["../evil", "/tmp/evil"])
def test_an_archive_with_a_name_that_leads_elsewhere_is_refused(blobforge: Blobforge, one: Path, name: str) -> None:
    tampered(result_file(blobforge, "one.pdf"), a_file(name))
    before = files_below(blobforge.cwd)

    done = told(blobforge, "hydrate", "docs")
    fetched = blobforge.call("download", "#1")

    (entry,) = done["results"]
    assert (entry["outcome"], entry["code"]) == ("failed", "result_damaged")
    assert (fetched.exit_code, "[result_damaged]" in fetched.stderr) == (1, True), fetched.output
    assert files_below(blobforge.cwd) == before


@pytest.mark.parametrize("name", ["evil.pdf", "assets", "one.pdf"])
def test_what_else_an_archive_holds_never_leaves_the_folder_of_assets(
    blobforge: Blobforge, one: Path, name: str
) -> None:
    tampered(result_file(blobforge, "one.pdf"), a_file(name))
    before = files_below(blobforge.cwd)

    done = told(blobforge, "hydrate", "docs")

    assert done["written"] == 1
    assert files_below(blobforge.cwd) == sorted([*before, "docs/one.md", f"docs/one.assets/{name}"])


def test_a_link_beside_the_document_leads_nothing_out(blobforge: Blobforge, one: Path, tmp_path: Path) -> None:
    tampered(result_file(blobforge, "one.pdf"), a_file("assets/evil.png"), markdown="![](assets/evil.png)")
    (tmp_path / "private").mkdir()
    (one.parent / "one.assets").symlink_to(tmp_path / "private")

    done = told(blobforge, "hydrate", "docs", "--force")

    assert done["results"][0]["code"] == "output_unwritable"
    assert files_below(tmp_path / "private") == []


def test_a_text_that_is_a_link_is_replaced_and_not_followed(blobforge: Blobforge, one: Path, tmp_path: Path) -> None:
    (tmp_path / "private.txt").write_text("mine")
    (one.parent / "one.md").symlink_to(tmp_path / "private.txt")

    refused = told(blobforge, "hydrate", "docs")
    forced = told(blobforge, "hydrate", "docs", "--force")

    assert (refused["failed"], forced["written"]) == (1, 1)
    assert (tmp_path / "private.txt").read_text() == "mine"
    assert not (one.parent / "one.md").is_symlink()


def test_only_links_are_rewritten(blobforge: Blobforge, one: Path) -> None:
    text = (
        "See ![](assets/p1.png) and [it](assets/p1.png).\n\nProse about assets/p1.png and `assets/p1.png`.\n\n"
        "    ![](assets/p1.png)\n\n![](assets/absent.png) \\![x\\](assets/p1.png)\n"
    )
    tampered(result_file(blobforge, "one.pdf"), a_file("assets/p1.png"), markdown=text)

    told(blobforge, "hydrate", "docs")

    assert (one.parent / "one.md").read_text() == (
        "See ![](one.assets/p1.png) and [it](one.assets/p1.png).\n\nProse about assets/p1.png and `assets/p1.png`.\n\n"
        "    ![](assets/p1.png)\n\n![](assets/absent.png) \\![x\\](assets/p1.png)\n"
    )


def test_a_result_that_is_no_archive_is_damaged_to_every_command(blobforge: Blobforge, one: Path) -> None:
    result_file(blobforge, "one.pdf").write_bytes(b"no zip file")

    codes = [
        told(blobforge, "hydrate", "docs")["results"][0]["code"],
        told(blobforge, "preview", "#1")["error"]["code"],
        told(blobforge, "download", "#1")["error"]["code"],
    ]

    assert codes == ["result_damaged"] * 3
    assert jobs_by_name(blobforge)["one.pdf"]["state"] == "completed"


@pytest.mark.timeout(60)
@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")], ids=["pipe", "device"])
def test_a_pipe_or_a_device_in_the_place_of_a_result_is_never_waited_for(
    blobforge: Blobforge, one: Path, make: Callable[[Path], None]
) -> None:
    stored = result_file(blobforge, "one.pdf")
    stored.unlink()
    make(stored)

    codes = [
        told(blobforge, "hydrate", "docs")["results"][0]["code"],
        told(blobforge, "preview", "#1")["error"]["code"],
        told(blobforge, "download", "#1")["error"]["code"],
    ]

    assert codes == ["result_damaged"] * 3
    assert blobforge.convert("docs", "-o", "out").outcomes == {"one.pdf": "converted"}


@pytest.mark.parametrize("name", ["document.md", "document.json"])
def test_a_text_that_is_too_large_is_not_read_into_memory(blobforge: Blobforge, one: Path, name: str) -> None:
    archive = result_file(blobforge, "one.pdf")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("document.md", "text") if name != "document.md" else None
        with bomb.open(name, "w") as content:
            for _ in range(257):
                content.write(bytes(1 << 20))

    assert told(blobforge, "preview", "#1")["error"]["code"] == "result_damaged"


@pytest.mark.parametrize("sizes", [(40, 40, 40), (20, 1)], ids=["many files", "one file"])
def test_a_result_that_would_fill_the_disk_is_refused_by_every_command(
    blobforge: Blobforge, one: Path, sizes: tuple[int, ...]
) -> None:
    archive = result_file(blobforge, "one.pdf")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("document.md", "text")
        bomb.writestr("info.json", "{}")
        for number, megabytes in enumerate(sizes):
            bomb.writestr(f"assets/p{number}.png", bytes(megabytes << 20))
    before = files_below(blobforge.cwd)

    codes = [
        told(blobforge, "hydrate", "docs")["results"][0]["code"],
        told(blobforge, "preview", "#1")["error"]["code"],
        told(blobforge, "download", "#1")["error"]["code"],
    ]

    assert codes == ["result_damaged"] * 3
    assert files_below(blobforge.cwd) == before
    assert archive.stat().st_size < 200_000


def test_convert_makes_a_result_that_would_fill_the_disk_again(blobforge: Blobforge, one: Path) -> None:
    with zipfile.ZipFile(result_file(blobforge, "one.pdf"), "a", zipfile.ZIP_DEFLATED) as bomb:
        bomb.writestr("assets/p0.png", bytes(80 << 20))

    done = blobforge.convert("docs", "-o", "out")

    assert (done.code, done.outcomes) == (0, {"one.pdf": "converted"})
    assert files_below(blobforge.cwd / "out") == ["one.md"]
