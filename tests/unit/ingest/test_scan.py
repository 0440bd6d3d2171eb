"""The walk through folders; tests/e2e has what people see of it."""

import os
from pathlib import Path

import pytest

from blobforge.ingest.links import Links
from blobforge.ingest.scan import FoundFile, Seen, Unreadable, has_pdf_magic, scan


def relative(seen: list[Seen]) -> list[str]:
    """The documents, by their path below the folder that was named."""
    return [entry.relative for entry in seen if isinstance(entry, FoundFile)]


def problems(seen: list[Seen]) -> dict[str, str]:
    return {Path(entry.path).name: str(entry.error) for entry in seen if isinstance(entry, Unreadable)}


def touch(path: Path, content: bytes = b"") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_documents_come_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b.pdf", "a/z.pdf", "a/b.pdf", "C.pdf"):
        touch(tmp_path / name)

    assert relative(list(scan([tmp_path]))) == ["C.pdf", "a/b.pdf", "a/z.pdf", "b.pdf"]


def test_a_document_comes_with_its_size_and_time(tmp_path: Path) -> None:
    path = touch(tmp_path / "one.pdf", b"12345")
    os.utime(path, ns=(0, 1_234_567_891))

    (found,) = scan([tmp_path])

    assert isinstance(found, FoundFile)
    assert found.stat == (str(path), 5, 1_234_567_891)


@pytest.mark.parametrize(
    ("start", "looks_like_one"),
    [
        (b"%PDF-1.7", True),
        (b"junk\n%PDF-1.4", True),
        (b" " * 1019 + b"%PDF-", True),
        (b" " * 1020 + b"%PDF-", False),
        (b"", False),
        (b"%pdf-1.4", False),
    ],
)
def test_the_first_1024_bytes_tell_a_pdf(tmp_path: Path, start: bytes, looks_like_one: bool) -> None:
    path = touch(tmp_path / "file", start)

    assert has_pdf_magic(str(path)) is looks_like_one
    assert relative(list(scan([tmp_path]))) == (["file"] if looks_like_one else [])


def test_a_relative_path_becomes_absolute_and_keeps_a_links_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    touch(tmp_path / "real" / "one.pdf")
    (tmp_path / "link").symlink_to("real")
    monkeypatch.chdir(tmp_path)

    (found,) = scan([Path("link/../link")])

    assert isinstance(found, FoundFile)
    assert found.stat.path == str(tmp_path / "link" / "one.pdf")


def test_each_folder_is_entered_once_however_it_is_named(tmp_path: Path) -> None:
    touch(tmp_path / "a" / "one.pdf")

    assert relative(list(scan([tmp_path, tmp_path / "a", tmp_path]))) == ["a/one.pdf"]


def test_links_that_lead_in_circles_come_to_an_end(tmp_path: Path) -> None:
    touch(tmp_path / "a" / "one.pdf")
    (tmp_path / "a" / "up").symlink_to(tmp_path)
    (tmp_path / "b").symlink_to(tmp_path / "c")
    (tmp_path / "c").symlink_to(tmp_path / "b")

    assert relative(list(scan([tmp_path]))) == ["a/one.pdf"]


def test_a_link_within_a_linked_folder_is_followed_where_all_are(tmp_path: Path) -> None:
    touch(tmp_path / "far" / "one.pdf")
    touch(tmp_path / "farther" / "two.pdf")
    (tmp_path / "far" / "more").symlink_to(tmp_path / "farther")
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "link").symlink_to(tmp_path / "far")
    links = Links([tmp_path / "here"], follow_all=True)

    assert relative(list(scan([tmp_path / "here"], links=links))) == ["link/one.pdf", "link/more/two.pdf"]


@pytest.fixture
def with_links(tmp_path: Path) -> Path:
    """A folder with links into it, out of it, and to one whose name begins like its own."""
    touch(tmp_path / "books" / ".objects" / "1f" / "one.pdf")
    touch(tmp_path / "books-of-others" / "two.pdf")
    touch(tmp_path / "home" / "tax.pdf")
    books = tmp_path / "books"
    (books / "by name.pdf").symlink_to(".objects/1f/one.pdf")
    (books / "objects").symlink_to(books / ".objects")
    (books / "others").symlink_to("../books-of-others")
    (books / "out.pdf").symlink_to(tmp_path / "home" / "tax.pdf")
    (books / "outdir").symlink_to(tmp_path / "home")
    (books / "round.pdf").symlink_to("outdir/tax.pdf")
    return books


def test_links_that_lead_out_of_what_was_named_are_told_of_and_not_followed(with_links: Path) -> None:
    links = Links([with_links])

    seen = list(scan([with_links], links=links))

    assert relative(seen) == ["by name.pdf", "objects/1f/one.pdf"]
    assert [Path(path).name for path in links.not_followed] == ["others", "out.pdf", "outdir", "round.pdf"]


def test_a_link_from_one_named_folder_into_another_is_followed(with_links: Path) -> None:
    paths = [with_links, with_links.parent / "home"]
    links = Links(paths)

    seen = list(scan(paths, links=links))

    assert relative(seen) == ["by name.pdf", "out.pdf", "round.pdf", "tax.pdf", "objects/1f/one.pdf"]
    assert [Path(path).name for path in links.not_followed] == ["others"]


def test_a_link_that_is_named_itself_is_followed_wherever_it_leads(with_links: Path) -> None:
    assert relative(list(scan([with_links / "out.pdf", with_links / "others"]))) == ["out.pdf", "two.pdf"]


def test_a_link_that_a_pattern_found_is_not_named_itself(with_links: Path) -> None:
    found = sorted(with_links.glob("*.pdf"))
    links = Links([with_links])

    seen = list(scan(found, links=links, by_pattern=True))

    assert relative(seen) == ["by name.pdf"]
    assert [Path(path).name for path in links.not_followed] == ["out.pdf", "round.pdf"]


def test_a_named_folder_is_found_by_its_own_name_and_not_by_a_link_before_it(tmp_path: Path) -> None:
    touch(tmp_path / "b" / "one.pdf")
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "link").symlink_to(tmp_path / "b")

    assert relative(list(scan([tmp_path / "a", tmp_path / "b"]))) == ["one.pdf"]


def test_the_folder_to_skip_is_not_entered_by_its_name_nor_by_a_link(tmp_path: Path) -> None:
    touch(tmp_path / "one.pdf")
    touch(tmp_path / "out" / "two.pdf")
    (tmp_path / "link").symlink_to("out")

    assert relative(list(scan([tmp_path], skip=tmp_path / "out"))) == ["one.pdf"]
    assert relative(list(scan([tmp_path], skip=tmp_path / "link"))) == ["one.pdf"]


def test_the_folder_to_skip_is_entered_when_it_is_named(tmp_path: Path) -> None:
    touch(tmp_path / "one.pdf")

    assert relative(list(scan([tmp_path], skip=tmp_path))) == ["one.pdf"]


def test_folders_may_be_nested_deeper_than_calls_may(deep_folder: Path, tmp_path: Path) -> None:
    touch(deep_folder / "one.pdf")

    (found,) = scan([tmp_path])

    assert isinstance(found, FoundFile)
    assert found.relative.count("/") >= 1200


def test_a_link_to_nowhere_is_told_of_only_when_it_would_be_a_document(tmp_path: Path) -> None:
    (tmp_path / "one.pdf").symlink_to("nowhere")
    (tmp_path / "notes").symlink_to("nowhere")

    seen = list(scan([tmp_path]))

    assert problems(seen) == {"one.pdf": f"{tmp_path}/one.pdf cannot be read: No such file or directory"}


def test_a_path_that_is_gone_is_told_of_and_the_others_are_scanned(tmp_path: Path) -> None:
    touch(tmp_path / "one.pdf")

    seen = list(scan([tmp_path / "gone", tmp_path]))

    assert (list(problems(seen)), relative(seen)) == (["gone"], ["one.pdf"])


def test_a_folder_that_vanishes_on_the_way_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a link").symlink_to(tmp_path / "far")
    touch(tmp_path / "docs" / "one.pdf")
    walk = scan([tmp_path / "docs"], links=Links([tmp_path]))

    first = next(walk)
    (tmp_path / "far").rmdir()
    rest = list(walk)

    assert (relative([first]), list(problems(rest))) == (["one.pdf"], ["a link"])


@pytest.mark.timeout(20)
def test_a_pipe_is_never_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.pdf")
    os.mkfifo(tmp_path / "pipe")

    assert problems(list(scan([tmp_path]))) == {"pipe.pdf": f"{tmp_path}/pipe.pdf is neither a file nor a folder"}
    assert problems(list(scan([tmp_path / "pipe"]))) == {"pipe": f"{tmp_path}/pipe is neither a file nor a folder"}


def test_a_walk_can_be_stopped_on_its_way(tmp_path: Path) -> None:
    for number in range(10):
        touch(tmp_path / f"{number}.pdf")
    seen: list[Seen] = []

    for entry in scan([tmp_path], stopped=lambda: len(seen) == 3):
        seen.append(entry)  # noqa: PERF402 - the walk looks at the list while it grows

    assert relative(seen) == ["0.pdf", "1.pdf", "2.pdf"]


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that opens and cannot be read")
def test_a_file_that_is_not_named_as_one_and_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "memory").symlink_to("/proc/self/mem")

    assert list(scan([tmp_path], links=Links([tmp_path], follow_all=True))) == []
