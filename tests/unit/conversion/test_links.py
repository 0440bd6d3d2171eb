"""Links follow their pictures; nothing else in a text is touched."""

import os

import pytest

from blobforge.conversion.links import relink

NAMES = {"p0001-1.png", "p0002-1.jpg"}


def moved(markdown: str, folder: str = "book.assets") -> str:
    return relink(markdown, targets={f"assets/{name}": name for name in NAMES}, folder=folder)


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("![](assets/p0001-1.png)", "![](book.assets/p0001-1.png)"),
        ("![a map](assets/p0001-1.png)", "![a map](book.assets/p0001-1.png)"),
        ('![](assets/p0001-1.png "Title")', '![](book.assets/p0001-1.png "Title")'),
        ("[see](assets/p0002-1.jpg)", "[see](book.assets/p0002-1.jpg)"),
        ('<img src="assets/p0001-1.png">', '<img src="book.assets/p0001-1.png">'),
        ("<img alt='x' src='assets/p0001-1.png'/>", "<img alt='x' src='book.assets/p0001-1.png'/>"),
        (
            "![](assets/p0001-1.png) ![](assets/p0002-1.jpg)",
            "![](book.assets/p0001-1.png) ![](book.assets/p0002-1.jpg)",
        ),
    ],
)
def test_a_link_to_a_picture_follows_it(markdown: str, result: str) -> None:
    assert moved(markdown) == result


@pytest.mark.parametrize(
    "markdown",
    [
        "The file assets/p0001-1.png is shown.",
        "(assets/p0001-1.png)",
        r"!\[\](assets/p0001-1.png)",
        'set src="assets/p0001-1.png" in the tag',
        "![](assets/p0009-1.png)",
        "![](other/assets/p0001-1.png)",
        "![](https://example.org/assets/p0001-1.png)",
        "`![](assets/p0001-1.png)`",
        "``a ` b ![](assets/p0001-1.png)``",
        "```\n![](assets/p0001-1.png)\n```",
        "~~~text\n![](assets/p0001-1.png)\n~~~",
        "    ![](assets/p0001-1.png)",
        "text\n\n    ![](assets/p0001-1.png)",
        "text\n\n\t![](assets/p0001-1.png)",
        "- item\n\n      ![](assets/p0001-1.png)",
        "",
    ],
)
def test_what_is_no_link_to_a_picture_stays_as_it_is(markdown: str) -> None:
    assert moved(markdown) == markdown


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("`code` ![](assets/p0001-1.png) `code`", "`code` ![](book.assets/p0001-1.png) `code`"),
        ("a ` b ![](assets/p0001-1.png)", "a ` b ![](book.assets/p0001-1.png)"),
        (r"\`![](assets/p0001-1.png)\`", r"\`![](book.assets/p0001-1.png)\`"),
        ("```\ncode\n```\n![](assets/p0001-1.png)", "```\ncode\n```\n![](book.assets/p0001-1.png)"),
        ("``` ` ```![](assets/p0001-1.png)", "``` ` ```![](book.assets/p0001-1.png)"),
        ("a\r\n```\r\nb\r\n```\r\n![](assets/p0001-1.png)", "a\r\n```\r\nb\r\n```\r\n![](book.assets/p0001-1.png)"),
        ("a\r\r```\rb\r```\r![](assets/p0001-1.png)", "a\r\r```\rb\r```\r![](book.assets/p0001-1.png)"),
        ("text\n    ![](assets/p0001-1.png)", "text\n    ![](book.assets/p0001-1.png)"),
    ],
)
def test_code_beside_a_link_does_not_hide_it(markdown: str, result: str) -> None:
    assert moved(markdown) == result


@pytest.mark.parametrize(
    ("folder", "target"),
    [
        ("two words.assets", "two%20words.assets"),
        ("a (b).assets", "a%20%28b%29.assets"),
        ("50%.assets", "50%25.assets"),
        ("ü.assets", "%C3%BC.assets"),
        ("a\nb.assets", "a%0Ab.assets"),
        ('a"b.assets', "a%22b.assets"),
        (os.fsdecode(b"caf\xe9.assets"), "caf%E9.assets"),
    ],
)
def test_a_folder_with_a_difficult_name_is_written_so_that_the_link_holds(folder: str, target: str) -> None:
    assert moved("![](assets/p0001-1.png)", folder) == f"![]({target}/p0001-1.png)"


def test_a_text_without_pictures_is_not_even_looked_at() -> None:
    markdown = "![](assets/p0001-1.png)"

    assert relink(markdown, targets={}, folder="book.assets") is markdown


@pytest.mark.parametrize(
    ("markdown", "result"),
    [
        ("![b](<images/a b.png>)", "![b](book.assets/a%20b.png)"),
        ('![b](<./images/a b.png> "Title")', '![b](book.assets/a%20b.png "Title")'),
        ("![b](<images/a%20b.png>)", "![b](book.assets/a%20b.png)"),
        ('<img src="images/a b.png">', '<img src="book.assets/a b.png">'),
        ("<img alt='x' src='./images/a b.png'/>", "<img alt='x' src='book.assets/a b.png'/>"),
        ("![b](images/a b.png)", "![b](book.assets/a%20b.png)"),
        ("![b](<images/c d.png>)", "![b](<images/c d.png>)"),
        ("![b](images/c d.png) (so it is)", "![b](images/c d.png) (so it is)"),
    ],
)
def test_a_name_with_a_blank_is_found_however_another_program_wrote_it(markdown: str, result: str) -> None:
    assert relink(markdown, targets={"images/a b.png": "a b.png"}, folder="book.assets") == result
