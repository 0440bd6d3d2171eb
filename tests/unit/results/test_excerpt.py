"""The text of a result, made ready to be shown."""

import io
import json
import zipfile
from pathlib import Path

import pytest
from tests.unit.conversion.results import archive_bytes

from blobforge.blobs.directory import DirectoryBlobStore
from blobforge.domain.errors import ResultDamaged
from blobforge.ports.blob_store import BlobKey
from blobforge.results.excerpt import StoredText, first_pages, read_text, showable, without_controls
from blobforge.worker.results import ResultStore

KEY = BlobKey("result.zip")


def stored(tmp_path: Path, content: bytes) -> ResultStore:
    blobs = DirectoryBlobStore(tmp_path / "blobs")
    file = tmp_path / "result.zip"
    file.write_bytes(content)
    blobs.put(KEY, file)
    return ResultStore(blobs)


def test_a_text_is_read_with_the_pages_of_its_passages(tmp_path: Path) -> None:
    blocks = [
        {"role": "heading", "page": 1, "text": "**One**"},
        {"role": "table", "page": 1, "rows": [["a"]]},
        {"role": "paragraph", "page": 2, "text": "Two"},
        {"role": "paragraph", "page": 2},
    ]
    more = {"document.json": json.dumps({"blocks": blocks}).encode()}

    text = read_text(stored(tmp_path, archive_bytes("# One\n\nTwo\n", more=more)), KEY)

    assert text == StoredText("# One\n\nTwo\n", [(1, "One"), (2, "Two")])


def test_a_text_without_passages_is_read(tmp_path: Path) -> None:
    assert read_text(stored(tmp_path, archive_bytes("text\n")), KEY) == StoredText("text\n", ())


@pytest.mark.parametrize("blocks", [b"[]", b"{}", b'{"blocks": 7}', b'{"blocks": [7]}', b'{"blocks": [{}]}', b"\xff"])
def test_passages_that_make_no_sense_are_damage(tmp_path: Path, blocks: bytes) -> None:
    with pytest.raises(ResultDamaged):
        read_text(stored(tmp_path, archive_bytes(more={"document.json": blocks})), KEY)


def test_the_first_pages_end_where_the_first_passage_of_the_next_begins() -> None:
    text = StoredText(
        "# One\n\nThe first.\n\n| a |\n|---|\n\nThe *second*.\n\nThe third.\n",
        [(1, "One"), (1, "The first."), (2, "was put together"), (2, "The second."), (3, "The third.")],
    )

    assert first_pages(text, 1) == "# One\n\nThe first.\n\n| a |\n|---|\n"
    assert first_pages(text, 2) == "# One\n\nThe first.\n\n| a |\n|---|\n\nThe *second*.\n"
    assert first_pages(text, 9) == text.markdown


def test_a_line_that_comes_again_on_a_later_page_does_not_end_it_early() -> None:
    text = StoredText("Note\n\nfirst\n\nNote\n\nsecond\n", [(1, "Note"), (1, "first"), (2, "Note"), (2, "second")])

    assert first_pages(text, 1) == "Note\n\nfirst\n"


def test_page_marks_tell_where_pages_begin() -> None:
    text = StoredText("<!-- page 1 -->\n\none\n\n<!-- page 2 failed: ocr_failed -->\n\n<!-- page 3 -->\n\nthree\n", ())

    assert first_pages(text, 1) == "<!-- page 1 -->\n\none\n"
    assert first_pages(text, 2) == "<!-- page 1 -->\n\none\n\n<!-- page 2 failed: ocr_failed -->\n"


def test_the_lines_of_pages_tell_exactly_where_they_end(tmp_path: Path) -> None:
    said = {"pages": [{"page": 1, "line": 1, "lines": 1}, {"page": 2, "lines": 0}, {"page": 4, "line": 3, "lines": 3}]}
    more = {"document.json": json.dumps(said).encode()}

    text = read_text(stored(tmp_path, archive_bytes("same\n\nsame\n\nsame\n", more=more)), KEY)

    assert first_pages(text, 1) == first_pages(text, 2) == first_pages(text, 3) == "same\n"
    assert first_pages(text, 4) == text.markdown


def test_where_nothing_tells_of_pages_nothing_is_cut() -> None:
    assert first_pages(StoredText("text\n", ()), 1) is None


def test_a_table_in_html_becomes_one_of_markdown_with_what_it_spans_left_empty() -> None:
    table = (
        '<table>\n<tr><th colspan="2">Wide</th><th>C</th></tr>\n'
        '<tr><td rowspan="2">High</td><td>a|b</td><td>1</td></tr>\n<tr><td>x<br>y</td><td>&lt;2&gt;</td></tr>\n</table>'
    )

    shown = showable(f"before\n\n{table}\n\nafter\n")

    assert [line for line in shown.split("\n") if line] == [
        "before",
        "| Wide |  | C |",
        "|---|---|---|",
        "| High | a\\|b | 1 |",
        "|  | x y | <2> |",
        "after",
    ]


def test_a_missing_page_is_told_and_a_page_mark_is_not() -> None:
    shown = showable("<!-- page 1 -->\n\none\n\n<!-- page 2 failed: ocr_unavailable -->\n")

    assert "*[page 2 failed: ocr unavailable]*" in shown
    assert "page 1" not in shown


def test_html_within_code_is_left_alone() -> None:
    code = "```\n<table>\n<tr><td>1</td></tr>\n</table>\n```\n"

    assert showable(code) == code


def test_a_note_of_one_word_is_no_reference_to_a_link() -> None:
    assert showable("a[^1]\n\n[^1]: Word\n") == "a[^1]\n\n\\[^1]: Word\n"


def test_what_steers_a_terminal_is_left_out() -> None:
    assert without_controls("a\x1b]0;title\x07b\x9b31m\tc\r\nd\x00") == "a]0;titleb31m\tc\nd"


@pytest.mark.parametrize("span", ["0", "-1", "x", "", "9999999999"])
def test_a_span_that_makes_no_sense_is_one(span: str) -> None:
    table = f'<table>\n<tr><td colspan="{span}" rowspan="{span}">a</td><td>b</td></tr>\n</table>\n'

    assert "| a | b |" in showable(table)


def test_the_only_markdown_of_another_program_is_shown_whatever_its_name_is(tmp_path: Path) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as writing:
        writing.writestr("done.md", "# Old result\n")

    assert read_text(stored(tmp_path, content.getvalue()), KEY) == StoredText("# Old result\n")
