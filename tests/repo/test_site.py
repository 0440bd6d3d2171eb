"""The documentation site: what a reader of the repository finds is on it, and it works offline."""

import re
from pathlib import Path

import pytest

pytest.importorskip("mkdocs", reason="`make docs` installs what builds the site")

from docs.site_files import loaded_from_elsewhere, outside_of_docs

ROOT = Path(__file__).parents[2]
CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://cdn.example/a.js"></script>',
        '<link rel="stylesheet" href="https://fonts.example/css">',
        '<img alt="a" src="//pictures.example/a.png">',
        '<img srcset="https://pictures.example/a.png 2x" src="a.png">',
        '<object data="http://cdn.example/a.svg"></object>',
    ],
)
def test_what_a_page_would_load_from_another_host_is_found(html: str) -> None:
    assert len(loaded_from_elsewhere(f"<p>{html}</p>")) == 1


@pytest.mark.parametrize(
    "html", ['<a href="https://example.org">more</a>', '<script src="theme/a.js"></script>', '<img src="data:,">']
)
def test_links_for_readers_and_files_of_the_site_are_not_loaded_from_elsewhere(html: str) -> None:
    assert loaded_from_elsewhere(html) == []


def test_every_document_of_the_repository_is_in_the_navigation() -> None:
    pages = [
        *(path for path in outside_of_docs() if path.endswith(".md")),
        *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
    ]

    assert {page for page in pages if f"- {page}\n" not in CONFIG} == set()
    assert {path.name for path in ROOT.glob("*.md")} <= set(pages)


def test_no_two_files_of_the_site_have_one_address() -> None:
    addresses = list(outside_of_docs().values())

    assert len(set(addresses)) == len(addresses)
    assert not any((ROOT / "docs" / re.sub(r"\.html$", ".md", address)).exists() for address in addresses)


def test_the_site_is_built_by_the_checks_and_a_warning_is_an_error() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    assert re.search(r"^check: .*\bdocs\b", makefile, re.MULTILINE)
    # With --quiet it ends well whatever it would have warned of.
    assert re.search(r"mkdocs build --strict$", makefile, re.MULTILINE)
    assert not re.search(r"\b(?:info|ignore)\b", CONFIG[CONFIG.index("validation:") : CONFIG.index("markdown_")])
