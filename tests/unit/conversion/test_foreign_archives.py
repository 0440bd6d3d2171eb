"""Results that other programs made: their Markdown has any name, and their pictures lie beside it."""

import io
import zipfile
from pathlib import Path

import pytest
from tests.unit.conversion.results import archive

from blobforge.conversion.writing import read_result, write_files
from blobforge.domain.errors import ResultDamaged


@pytest.fixture
def page(tmp_path: Path) -> Path:
    return tmp_path / "out" / "one.md"


def write(page: Path, result: zipfile.ZipFile) -> dict[str, bytes]:
    """All that is there afterwards."""
    with result:
        write_files(str(page), read_result(result, str(page)), None, force=False)
    return {
        path.relative_to(page.parent).as_posix(): path.read_bytes() for path in page.parent.rglob("*") if path.is_file()
    }


def test_what_another_program_put_beside_its_text_is_written_with_its_pictures(page: Path) -> None:
    text = "![](_page_0_Picture_1.jpeg) ![](images/my%20map.png) ![](./maps/a.png) ![](a.png) [gone](b.png)\n"
    more = {
        "_page_0_Picture_1.jpeg": b"1",
        "images/my map.png": b"2",
        "a.png": b"3",
        "maps/a.png": b"4",
        "meta.json": b"5",
    }

    assert write(page, archive(text, more=more)) == {
        "one.md": b"![](one.assets/_page_0_Picture_1.jpeg) ![](one.assets/my%20map.png) ![](one.assets/maps-a.png) "
        b"![](one.assets/a.png) [gone](b.png)\n",
        "one.assets/_page_0_Picture_1.jpeg": b"1",
        "one.assets/my map.png": b"2",
        "one.assets/a.png": b"3",
        "one.assets/maps-a.png": b"4",
        "one.assets/meta.json": b"5",
    }


@pytest.mark.parametrize("name", ["done.md", "DONE.MD", "done/done.md"])
def test_the_only_markdown_is_the_document_whatever_its_name_is(page: Path, name: str) -> None:
    folder = name.rpartition("done.md")[0]
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr(name, "![](p1.png)\n")
        writing.writestr(f"{folder}p1.png", "a picture")

    assert write(page, zipfile.ZipFile(content)) == {
        "one.md": b"![](one.assets/p1.png)\n",
        "one.assets/p1.png": b"a picture",
    }


def test_of_several_texts_none_is_taken_for_the_document_by_chance(page: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr("one.md", "one")
        writing.writestr("two.md", "two")

    with pytest.raises(ResultDamaged, match=r"it holds one\.md, two\.md\); 'blobforge download'"):
        read_result(zipfile.ZipFile(content), str(page))


@pytest.mark.parametrize("name", ["../up.png", "/etc/passwd", "a/../../b.png", "C:evil.png", "a//b.png", "a\\b.png"])
def test_what_another_program_put_there_cannot_be_written_anywhere_else(page: Path, name: str) -> None:
    with pytest.raises(ResultDamaged, match="unsafe name"), archive(more={name: b"x"}) as result:
        read_result(result, str(page))
