"""Makes the links of a Markdown text point to where its pictures are now, and leaves everything else alone."""

import os
import re
from collections.abc import Callable, Mapping
from urllib.parse import quote, unquote

# A link's target, in Markdown or in an image tag of HTML; a backslash before the bracket makes it plain text. A name
# with blanks stands in angle brackets, or bare, which is no link but what other programs write.
_TARGET = re.compile(
    r"""(?<!\\)\]\((?:<(?P<bracketed>[^<>\n]+)>|(?P<bare>[^()<>"'\n]+)(?=\))|(?P<plain>[^\s()"'<>]+)(?=\s))"""
    r"""|(?P<tag><img\b[^<>]*?\bsrc=(?P<quote>["']))(?P<source>[^"'<>]+)(?=(?P=quote))"""
)
# Where code may be, in which nothing is a link. Without any of these no parser is needed.
_CODE_MARKS = ("`", "~~~", "\n    ", "\n\t")
_LINE_END = re.compile(r"(\r\n?|\n)")
_SPAN_OR_REST = re.compile(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)|[^`]+|`+")


def relink(markdown: str, *, targets: Mapping[str, str], folder: str) -> str:
    """Links to files in the archive become links to `folder/NAME`; `targets` has the names of those that are there."""
    if not targets or not _may_link(markdown):
        return markdown
    # As bytes, because the name of a folder need not be text.
    target = quote(os.fsencode(folder))

    def replaced(match: re.Match[str]) -> str:
        link = next(filter(None, match.group("bracketed", "bare", "plain", "source"))).removeprefix("./")
        before = match["tag"] or "]("
        # As it is written where that is the name: whoever made the archive knows what must be quoted.
        if (name := targets.get(link)) is not None:
            is_quoted = not link.endswith(name) or (match["tag"] is None and " " in name)
            return f"{before}{target}/{quote(name) if is_quoted else name}"
        name = targets.get(unquote(link))
        return match[0] if name is None else f"{before}{target}/{quote(name)}"

    text = f"\n{markdown}"
    if not any(mark in text for mark in _CODE_MARKS):
        return _TARGET.sub(replaced, markdown)
    return _outside_code(markdown, replaced)


def _may_link(text: str) -> bool:
    return "](" in text or "<img" in text


def _outside_code(markdown: str, replaced: Callable[[re.Match[str]], str]) -> str:
    from markdown_it import MarkdownIt

    pieces = _LINE_END.split(markdown)
    code_lines: set[int] = set()
    # What stands within lines is not our question here, and the better part of the work.
    for token in MarkdownIt("commonmark").disable("inline").parse(markdown):
        if token.type in ("fence", "code_block") and token.map is not None:
            code_lines.update(range(*token.map))
    for number, line in enumerate(pieces[::2]):
        if _may_link(line) and number not in code_lines:
            pieces[2 * number] = _outside_code_spans(line, replaced)
    return "".join(pieces)


def _outside_code_spans(line: str, replaced: Callable[[re.Match[str]], str]) -> str:
    """A code span begins and ends with the same number of backticks; one behind a backslash begins none."""
    return _SPAN_OR_REST.sub(lambda part: part[0] if part[0][0] == "`" else _TARGET.sub(replaced, part[0]), line)
