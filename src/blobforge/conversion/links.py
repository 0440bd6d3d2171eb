"""Makes the links of a Markdown text point to where its pictures are now, and leaves everything else alone."""

import os
import re
from collections.abc import Callable, Collection
from urllib.parse import quote

_IN_ARCHIVE = "assets/"
# A link's target, in Markdown or in an image tag of HTML; a backslash before the bracket makes it plain text.
_TARGET = re.compile(r"""((?<!\\)\]\(|<img\b[^<>]*?\bsrc=["'])assets/([^\s()"'<>]+)(?=[\s)"'])""")
# Where code may be, in which nothing is a link. Without any of these no parser is needed.
_CODE_MARKS = ("`", "~~~", "\n    ", "\n\t")
_LINE_END = re.compile(r"(\r\n?|\n)")
_SPAN_OR_REST = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)|[^`]+|`+")


def relink(markdown: str, *, names: Collection[str], folder: str) -> str:
    """Links to `assets/NAME` become links to `folder/NAME`, for names that are really there."""
    if not names or _IN_ARCHIVE not in markdown:
        return markdown
    # As bytes, because the name of a folder need not be text.
    target = quote(os.fsencode(folder))

    def replaced(match: re.Match[str]) -> str:
        return f"{match[1]}{target}/{match[2]}" if match[2] in names else match[0]

    text = f"\n{markdown}"
    if not any(mark in text for mark in _CODE_MARKS):
        return _TARGET.sub(replaced, markdown)
    return _outside_code(markdown, replaced)


def _outside_code(markdown: str, replaced: Callable[[re.Match[str]], str]) -> str:
    from markdown_it import MarkdownIt

    pieces = _LINE_END.split(markdown)
    code_lines: set[int] = set()
    # What stands within lines is not our question here, and the better part of the work.
    for token in MarkdownIt("commonmark").disable("inline").parse(markdown):
        if token.type in ("fence", "code_block") and token.map is not None:
            code_lines.update(range(*token.map))
    for number, line in enumerate(pieces[::2]):
        if _IN_ARCHIVE in line and number not in code_lines:
            pieces[2 * number] = _outside_code_spans(line, replaced)
    return "".join(pieces)


def _outside_code_spans(line: str, replaced: Callable[[re.Match[str]], str]) -> str:
    """A code span begins and ends with the same number of backticks; one behind a backslash begins none."""
    return _SPAN_OR_REST.sub(lambda part: part[0] if part[0][0] == "`" else _TARGET.sub(replaced, part[0]), line)
