"""Tables that a pipe table cannot hold."""

import pytest

from blobforge.processors.pdf_markdown.layout.model.table import Span
from blobforge.processors.pdf_markdown.layout.output.html_tables import html_table, html_text


def test_a_cell_over_several_columns_and_rows_is_written_once() -> None:
    rows = [["Site", "Rain", ""], ["", "Mean", "Most"], ["Moor", "71", "140"]]

    assert html_table(rows, [Span(0, 0, 2, 1), Span(0, 1, 1, 2)], heads=2).split("\n") == [
        "<table>",
        '<tr><th rowspan="2">Site</th><th colspan="2">Rain</th></tr>',
        "<tr><th>Mean</th><th>Most</th></tr>",
        "<tr><td>Moor</td><td>71</td><td>140</td></tr>",
        "</table>",
    ]


@pytest.mark.parametrize(
    ("markdown", "html"),
    [
        ("a < b & c", "a &lt; b &amp; c"),
        (r"\<110 \| 5\*", "&lt;110 | 5*"),
        ("**Old** and *new*", "<strong>Old</strong> and <em>new</em>"),
        ("**Old***new*", "<strong>Old</strong><em>new</em>"),
        ("***both***", "<strong><em>both</em></strong>"),
        ("Cost[^2]", "Cost<sup>2</sup>"),
        ("[a *site*](https://example.org/a)", '<a href="https://example.org/a">a <em>site</em></a>'),
    ],
)
def test_what_a_cell_says_in_markdown_is_said_in_html(markdown: str, html: str) -> None:
    assert html_text(markdown) == html
