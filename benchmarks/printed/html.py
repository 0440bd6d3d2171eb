"""Renders a source to HTML: its hints become classes, wrappers, pictures and places for notes."""

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.printed.hyphens import with_soft_hyphens
from benchmarks.printed.pictures import picture
from benchmarks.printed.source import HINT, Source
from benchmarks.printed.tables import with_merged_cells

PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name}</title>
<style>{sheet}</style></head><body>{body}</body></html>"""

NOTE = re.compile(r"<p>\[\^(\d+)\]: (.*?)</p>\n?", re.DOTALL)
MARK = re.compile(r"\[\^(\d+)\]")
NOTES_GO_HERE = "<!--notes-->"


def as_html(source: Source) -> str:
    markdown = MarkdownIt("commonmark", {"html": True, "typographer": True}).enable("table")
    tokens = _with_hints_applied(markdown.parse(source.text))
    body = str(markdown.renderer.render(tokens, markdown.options, {}))
    body = _with_notes_at_the_foot(with_merged_cells(body))
    if "hyphens: manual" in source.sheet:
        body = with_soft_hyphens(body)
    return PAGE.format(name=source.name, sheet=source.sheet, body=body)


def _with_hints_applied(tokens: Sequence[Token]) -> list[Token]:
    """A hint is a class for the next block (`.name`), `picture=NAME`, `notes`, or HTML to put around blocks."""
    done: list[Token] = []
    classes = ""
    for token in tokens:
        hint = HINT.match(token.content.strip()) if token.type == "html_block" else None
        if hint and hint["says"].startswith("."):
            classes = hint["says"].replace(".", "")
            continue
        if hint:
            token.content = _as_markup(hint["says"]) + "\n"
        elif classes and token.nesting >= 0:
            token.attrSet("class", classes)
            classes = ""
        done.append(token)
    return done


def _as_markup(says: str) -> str:
    if says == "notes":
        return NOTES_GO_HERE
    if says.startswith("picture="):
        return picture(says.removeprefix("picture="))
    return says


def _with_notes_at_the_foot(body: str) -> str:
    """Moves each note to the next place for notes, which is at the foot of its page."""
    parts = body.split(NOTES_GO_HERE)
    done = [_foot(part) for part in parts[:-1]]
    return MARK.sub(r"<sup>\1</sup>", "".join(done) + parts[-1])


def _foot(part: str) -> str:
    notes = "".join(f"<p><sup>{number}</sup> {text}</p>" for number, text in NOTE.findall(part))
    return NOTE.sub("", part) + f'<div class="notes">{notes}</div>'
