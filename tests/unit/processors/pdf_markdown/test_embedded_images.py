"""Images that an engine wrote into its Markdown as data."""

import base64

from blobforge.processors.pdf_markdown.engines.embedded_images import take_out
from blobforge.processors.pdf_markdown.engines.engine import EnginePage, Picture


def embedded(kind: str, content: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(content).decode()}"


def test_each_image_becomes_a_picture_with_a_link() -> None:
    markdown = f"Before\n\n![A cat]({embedded('png', b'cat')})\n\n![]({embedded('jpeg', b'dog')})"

    page = take_out(3, markdown)

    assert page == EnginePage(
        3,
        "Before\n\n![A cat](embedded-1)\n\n![](embedded-2)",
        (Picture("embedded-1", "png", b"cat"), Picture("embedded-2", "jpg", b"dog")),
    )


def test_links_to_elsewhere_stay() -> None:
    markdown = "![A cat](https://example.org/cat.png)"

    assert take_out(1, markdown) == EnginePage(1, markdown)


def test_an_image_that_is_no_base64_is_left_out() -> None:
    assert take_out(1, "![x](data:image/png;base64,AAAAA) and text").markdown == " and text"
