"""Results become files, whole or not at all."""

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.unit.conversion.results import archive, output

from blobforge.conversion import archive_members
from blobforge.conversion.writing import (
    NewFile,
    is_present,
    read_result,
    require_writable,
    require_writing,
    write_files,
)
from blobforge.domain.errors import OutputEdited, OutputUnwritable, ResultDamaged
from blobforge.ports.output_ledger import Output, WrittenFile


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "out" / "one.md"


@pytest.fixture
def picture(page: Path) -> Path:
    return page.with_name("one.assets") / "p1.png"


def write(page: Path, result: zipfile.ZipFile, before: Output | None = None, *, force: bool = False) -> Output:
    with result:
        written = write_files(str(page), read_result(result, str(page)), before, force=force)
    return output(page, written)


def everything_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_text_and_pictures_are_written_and_noted(page: Path, picture: Path) -> None:
    written = write(page, archive("![](assets/p1.png)\n", {"p1.png": b"a picture"}))

    assert everything_in(page.parent) == {"one.md": b"![](one.assets/p1.png)\n", "one.assets/p1.png": b"a picture"}
    assert [(file.name, file.size) for file in written.files] == [("one.md", 23), ("one.assets/p1.png", 9)]
    assert [file.mtime_ns for file in written.files] == [path.stat().st_mtime_ns for path in (page, picture)]


def test_what_only_programs_read_is_not_written(page: Path) -> None:
    write(page, archive(more={"document.json": b"{}", "assets/": b""}))

    assert list(everything_in(page.parent)) == ["one.md"]
    assert not page.with_name("one.assets").exists()


def test_what_is_there_already_is_not_written_again(page: Path, picture: Path) -> None:
    result = archive("text", {"p1.png": b"a picture"})
    first = write(page, result)
    os.utime(page, ns=(5, 5))

    second = write(page, archive("text", {"p1.png": b"a picture"}))

    assert page.stat().st_mtime_ns == 5
    assert [file._replace(mtime_ns=0) for file in second.files] == [file._replace(mtime_ns=0) for file in first.files]


def test_the_same_size_is_not_the_same_content(page: Path) -> None:
    before = write(page, archive("text"))

    write(page, archive("TEXT"), before)

    assert page.read_text() == "TEXT"


def test_a_large_picture_is_compared_and_written_piece_by_piece(page: Path, picture: Path) -> None:
    large = os.urandom(3 << 20)
    before = write(page, archive("text", {"p1.png": large}))
    time = picture.stat().st_mtime_ns

    write(page, archive("other text", {"p1.png": large}), before)

    assert (picture.read_bytes(), picture.stat().st_mtime_ns) == (large, time)


UNSAFE = [
    *("../up.png", "../../up.png", "/etc/passwd", "a/b.png", "a/../../b.png", "..", ".", "a\\b.png", "..\\up.png"),
    *("C:evil.png", "c:\\evil.png", "new\nline.png", "bell\x07.png", "\u202egnp.exe", "n" * 252 + ".png"),
]


@pytest.mark.parametrize("name", UNSAFE)
def test_a_picture_cannot_be_written_anywhere_else(page: Path, name: str) -> None:
    with pytest.raises(ResultDamaged, match="unsafe name"), archive(assets={name: b"x"}) as result:
        read_result(result, str(page))


def test_a_picture_that_is_a_link_is_refused(page: Path) -> None:
    link = zipfile.ZipInfo("assets/p1.png")
    link.create_system, link.external_attr = 3, 0o120777 << 16
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr("document.md", "text")
        writing.writestr(link, "/etc/passwd")

    with pytest.raises(ResultDamaged, match="unsafe name"), zipfile.ZipFile(content) as result:
        read_result(result, str(page))


def test_two_pictures_of_one_name_are_refused(page: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr("assets/p1.png", "one")
        with pytest.warns(UserWarning, match="Duplicate"):
            writing.writestr("assets/p1.png", "two")

    with pytest.raises(ResultDamaged, match="two files"), zipfile.ZipFile(content) as result:
        read_result(result, str(page))


@pytest.mark.parametrize(("name", "said"), [("assets/p1.png", "grows to"), ("document.md", "too large")])
def test_what_is_next_to_nothing_and_would_fill_the_disk_is_refused(
    page: Path, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_members, "LARGEST_TEXT", 1 << 20)
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as writing, writing.open(name, "w") as bomb:
        for _ in range(65):
            bomb.write(bytes(1 << 20))

    with pytest.raises(ResultDamaged, match=said), zipfile.ZipFile(content) as result:
        read_result(result, str(page))


def test_nothing_is_written_through_a_link_in_the_place_of_the_pictures(page: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    page.parent.mkdir()
    page.with_name("one.assets").symlink_to(elsewhere)

    with pytest.raises(OutputUnwritable, match="is a link"):
        write(page, archive("![](assets/p1.png)", {"p1.png": b"x"}), force=True)

    assert list(elsewhere.iterdir()) == []
    assert not page.exists()


def test_a_rehearsal_says_what_writing_would_say_and_writes_nothing(page: Path, picture: Path) -> None:
    before = write(page, archive("text", {"p1.png": b"a picture"}))
    result = archive("other text", {"p1.png": b"another"})
    files = read_result(result, str(page))

    require_writing(str(page), files, before, force=False)
    picture.write_bytes(b"edited")
    with pytest.raises(OutputEdited):
        require_writing(str(page), files, before, force=False)
    require_writing(str(page), files, before, force=True)

    assert everything_in(page.parent) == {"one.md": b"text", "one.assets/p1.png": b"edited"}


def test_a_result_without_a_text_is_damaged(page: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "empty.zip", "w") as empty, pytest.raises(ResultDamaged):
        read_result(empty, str(page))


def test_a_text_that_is_no_text_is_damaged(page: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as bad:
        bad.writestr("document.md", b"\xff\xfe")

    with zipfile.ZipFile(tmp_path / "bad.zip") as result, pytest.raises(ResultDamaged):
        read_result(result, str(page))


def test_a_damaged_picture_leaves_the_document_as_it_was(page: Path, tmp_path: Path) -> None:
    before = write(page, archive("old", {"p1.png": b"old picture"}))
    was = everything_in(page.parent)
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as new:
        new.writestr("document.md", "new")
        new.writestr("assets/p1.png", b"new picture that has some length")
    (tmp_path / "bad.zip").write_bytes((tmp_path / "bad.zip").read_bytes().replace(b"some length", b"SOME LENGTH"))

    with zipfile.ZipFile(tmp_path / "bad.zip") as damaged, pytest.raises(ResultDamaged, match=r"p1\.png"):
        write_files(str(page), read_result(damaged, str(page)), before, force=False)

    assert everything_in(page.parent) == was


def test_a_disk_that_fails_leaves_the_document_as_it_was(page: Path) -> None:
    before = write(page, archive("old", {"p1.png": b"old picture"}))
    was = everything_in(page.parent)

    def breaks_off() -> Iterator[bytes]:
        yield b"half of "
        raise OSError(5, "Input/output error")

    files = [
        NewFile("one.md", 3, lambda: iter([b"new"])),
        NewFile("one.assets/p1.png", 16, breaks_off),
    ]
    with pytest.raises(OutputUnwritable, match=r"one\.md cannot be written: Input/output error"):
        write_files(str(page), files, before, force=False)

    assert everything_in(page.parent) == was


def test_a_first_try_that_fails_leaves_nothing_behind(page: Path) -> None:
    def breaks_off() -> Iterator[bytes]:
        yield b"half of "
        raise OSError(5, "Input/output error")

    with pytest.raises(OutputUnwritable):
        write_files(str(page), [NewFile("one.assets/p1.png", 16, breaks_off)], None, force=False)

    assert list(page.parent.iterdir()) == []


def test_pictures_are_in_their_place_before_the_text_that_shows_them(page: Path, picture: Path) -> None:
    def somebody_blocks_the_text() -> Iterator[bytes]:
        page.mkdir()
        yield b"a picture"

    files = [NewFile("one.md", 4, lambda: iter([b"text"])), NewFile("one.assets/p1.png", 9, somebody_blocks_the_text)]
    with pytest.raises(OutputUnwritable):
        write_files(str(page), files, None, force=False)

    assert everything_in(page.parent) == {"one.assets/p1.png": b"a picture"}


def test_a_picture_of_the_last_time_is_dropped(page: Path, picture: Path) -> None:
    before = write(page, archive("text", {"p1.png": b"a picture"}))

    write(page, archive("new text"), before)

    assert everything_in(page.parent) == {"one.md": b"new text"}
    assert not picture.parent.exists()


def test_a_picture_of_the_last_time_that_is_gone_already_is_no_matter(page: Path, picture: Path) -> None:
    before = write(page, archive("text", {"p1.png": b"a picture"}))
    picture.unlink()

    write(page, archive("new text"), before)

    assert everything_in(page.parent) == {"one.md": b"new text"}


def test_a_picture_of_the_last_time_stays_when_it_was_edited(page: Path, picture: Path) -> None:
    before = write(page, archive("text", {"p1.png": b"a picture"}))
    picture.write_bytes(b"a better one")

    with pytest.raises(OutputEdited):
        write(page, archive("new text"), before)
    after_refusal = everything_in(page.parent)
    write(page, archive("new text"), before, force=True)

    assert after_refusal == {"one.md": b"text", "one.assets/p1.png": b"a better one"}
    assert everything_in(page.parent) == {"one.md": b"new text", "one.assets/p1.png": b"a better one"}


def test_a_file_of_somebody_else_is_not_overwritten_unless_forced(page: Path) -> None:
    page.parent.mkdir()
    page.write_text("mine")

    with pytest.raises(OutputEdited, match="this home has no record of writing it"):
        write(page, archive("text"))
    write(page, archive("text"), force=True)

    assert page.read_text() == "text"


def test_a_file_of_somebody_else_with_the_same_content_is_welcome(page: Path) -> None:
    page.parent.mkdir()
    page.write_text("text")

    written = write(page, archive("text"))

    assert written.files[0].mtime_ns == page.stat().st_mtime_ns


def test_an_edit_of_the_same_size_is_told_by_the_content(page: Path) -> None:
    before = write(page, archive("text"))
    page.write_text("TEXT")

    with pytest.raises(OutputEdited, match="was edited"):
        write(page, archive("new text"), before)


def test_a_new_time_alone_is_no_edit(page: Path) -> None:
    before = write(page, archive("text"))
    os.utime(page, (1, 1))

    write(page, archive("new text"), before)

    assert page.read_text() == "new text"


def test_a_folder_in_the_place_of_a_file_is_told_of(page: Path) -> None:
    page.mkdir(parents=True)

    with pytest.raises(OutputUnwritable, match="a folder is in its place"):
        write(page, archive("text"), force=True)


def test_folders_are_made_however_deep(page: Path, tmp_path: Path) -> None:
    deep = tmp_path / "/".join("d" * 40) / "one.md"

    write(deep, archive("text"))

    assert deep.read_text() == "text"


def test_a_name_as_long_as_names_can_be_is_written(tmp_path: Path) -> None:
    page = tmp_path / f"{'n' * 252}.md"

    write(page, archive("text"))

    assert [path.name for path in tmp_path.iterdir()] == [page.name]


def test_an_output_is_present_while_all_its_files_are_there(page: Path, picture: Path) -> None:
    written = write(page, archive("text", {"p1.png": b"a picture"}))
    page.write_text("edited")
    as_edited = is_present(written)
    picture.unlink()

    assert (as_edited, is_present(written)) == (True, False)


def test_a_folder_that_can_be_written_is_made_and_left_empty(tmp_path: Path) -> None:
    require_writable(tmp_path / "a" / "b")

    assert list((tmp_path / "a" / "b").iterdir()) == []


def test_a_folder_that_cannot_be_made_is_told_of(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(OutputUnwritable, match=r"file/out cannot be written: "):
        require_writable(tmp_path / "file" / "out")


def test_a_written_file_is_noted_as_it_will_be_found(page: Path) -> None:
    (file,) = write(page, archive("text")).files

    facts = page.stat()
    assert file == WrittenFile(
        "one.md",
        facts.st_size,
        facts.st_mtime_ns,
        "982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1",
    )
