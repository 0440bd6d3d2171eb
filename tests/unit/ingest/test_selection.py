"""Which documents are wanted."""

import pytest

from blobforge.ingest.selection import EVERYTHING, Selection


@pytest.mark.parametrize(
    ("pattern", "relative", "matches"),
    [
        ("*.pdf", "a/b/c.pdf", True),
        ("*.pdf", "c.PDF", False),
        ("draft*", "a/drafts/c.pdf", True),
        ("drafts/", "a/drafts/c.pdf", True),
        ("a/*.pdf", "a/c.pdf", True),
        ("a/*.pdf", "a/b/c.pdf", False),
        ("a/*.pdf", "b/a/c.pdf", False),
        ("a/b", "a/b/c.pdf", True),
        ("a/**/c.pdf", "a/c.pdf", True),
        ("a/**/c.pdf", "a/b/d/c.pdf", True),
        ("**/d/*", "a/b/d/c.pdf", True),
        ("a/**", "b/c.pdf", False),
        ("/c.pdf", "c.pdf", True),
        ("/c.pdf", "a/c.pdf", False),
        ("[ab].pdf", "b.pdf", True),
        ("?.pdf", "/.pdf", False),
    ],
)
def test_a_pattern_names_files_and_folders(pattern: str, relative: str, matches: bool) -> None:
    assert Selection(include=(pattern,)).takes(relative, 1) is matches
    assert Selection(exclude=(pattern,)).takes(relative, 1) is not matches


def test_what_is_excluded_stays_out_whatever_includes_it() -> None:
    selection = Selection(include=("osr",), exclude=("*-old.pdf", "drafts"))

    wanted = ["osr/keep.pdf", "osr/keep-old.pdf", "osr/drafts/keep.pdf", "other/keep.pdf"]
    assert [selection.takes(path, 1) for path in wanted] == [True, False, False, False]


def test_a_document_may_be_too_large() -> None:
    assert [Selection(max_size=100).takes("a.pdf", size) for size in (99, 100, 101)] == [True, True, False]


def test_everything_is_wanted_unless_someone_says_otherwise() -> None:
    assert EVERYTHING.takes("a/b.pdf", 10**12)
