"""Results as documents: read from an archive, whoever made it."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from blobforge import AlreadyExists, PageOutcome, ResultDamaged, SourceMissing, SourceUnreadable, read_result

PLACES = {"pages": [{"page": 1, "line": 1, "lines": 1}, {"page": 2, "lines": 0}, {"page": 3, "line": 3, "lines": 2}]}
ROWS = [
    {"page": 1, "outcome": "text"},
    {"page": 2, "outcome": "empty"},
    {"page": 3, "outcome": "ocr", "confidence": 0.9},
]
QUOTE = {
    "role": "quote",
    "page": 3,
    "last_page": 4,
    "box": [1, 2, 3, 4],
    "line": 3,
    "lines": 2,
    "children": [{"role": "paragraph", "page": 3, "box": [1, 2, 3, 4], "text": "two"}],
}


def archive(places: Any = PLACES, *, name: str = "book.pdf") -> io.BytesIO:
    content = io.BytesIO()
    info = {"source": {"name": name, "sha256": "f" * 64}, "title": "The Book", "pages": ROWS}
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr("document.md", "# One\n\n> two\n> lines\n")
        writing.writestr("document.json", json.dumps(places))
        writing.writestr("info.json", json.dumps(info))
    return content


def test_a_result_is_read_with_its_pages() -> None:
    document = read_result(archive({**PLACES, "blocks": [QUOTE]}))

    assert [page.markdown for page in document.pages] == ["# One", "", "> two\n> lines"]
    assert "\n\n".join(page.markdown for page in document.pages if page.markdown) + "\n" == document.markdown
    assert (document.pages[2].outcome, document.pages[2].confidence) == (PageOutcome.OCR, 0.9)
    assert (document.title, document.source_name, document.source_hash) == ("The Book", "book.pdf", "f" * 64)
    assert repr(document) == "<ConvertedDocument 'book.pdf': 3 pages>"
    (quote,) = document.pages[2].blocks
    assert (quote.markdown, quote.last_page, quote.children[0].text) == ("> two\n> lines", 4, "two")
    assert [(chunk.first_page, chunk.last_page) for chunk in document.chunks()] == [(1, 4)]


def test_a_result_of_an_older_release_is_refused_with_what_to_do() -> None:
    with pytest.raises(ResultDamaged, match=r"does not say where its pages begin.*convert the document again"):
        read_result(archive({"blocks": []}))


@pytest.mark.parametrize(
    "places",
    [7, {"pages": 7}, {"pages": []}, {"pages": [{}, {}, {}]}, {**PLACES, "blocks": [{}]}, {**PLACES, "blocks": [7]}],
)
def test_what_makes_no_sense_is_damage(places: Any) -> None:
    with pytest.raises(ResultDamaged):
        read_result(archive(places))


def test_what_is_no_result_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(b"none")

    with pytest.raises(ResultDamaged, match=r"a\.zip is no result"):
        read_result(tmp_path / "a.zip")
    with pytest.raises(SourceMissing, match=r"b\.zip is not there"):
        read_result(tmp_path / "b.zip")
    with pytest.raises(SourceUnreadable, match="Is a directory"):
        read_result(tmp_path)


def test_a_source_name_leads_nowhere_else(tmp_path: Path) -> None:
    assert read_result(archive(name="../../bad.pdf")).save(tmp_path / "out") == tmp_path / "out" / "bad.md"


@pytest.mark.parametrize("left", ["", "# One\n"])
def test_a_file_that_holds_only_the_beginning_differs_and_stays(tmp_path: Path, left: str) -> None:
    document = read_result(archive())
    path = document.save(tmp_path)
    path.write_text(left, encoding="utf-8")

    with pytest.raises(AlreadyExists):
        document.save(tmp_path)

    assert path.read_text(encoding="utf-8") == left
    assert document.save(tmp_path, overwrite=True).read_text(encoding="utf-8") == document.markdown
