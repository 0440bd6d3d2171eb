"""Translates a source to Typst: each block becomes a call of a function that the look of the style defines.

A hint, a comment on a line of its own, says more about the block that follows:
`as NAME(arguments)` sets it with another function, `words NAME(arguments)` gives it to that function word by word,
and `cap NAME(arguments)` does so with the first letter apart. `begin NAME` ... `end` puts a function around several
blocks, and `do CODE` is Typst that shows no words.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from benchmarks.typeset.source import HINT

NOTE = re.compile(r"^\[\^(\d+)\]: (.*)$", re.MULTILINE)
NOTE_MARK = re.compile(r"\[\^(\d+)\]")
SPECIAL = re.compile(r"([!-/:-@\[-`{-~])")
CALL = re.compile(r"(?P<how>as|words|cap) (?P<name>[\w-]+)(?:\((?P<arguments>.*)\))?$")
OPENINGS = {"strong_open": "#strong[", "em_open": "#emph["}
LISTS = {"bullet_list_open": "bullets", "ordered_list_open": "steps"}


def as_typst(source: str) -> str:
    markdown = MarkdownIt("commonmark").enable("table")
    notes = {number: markdown.parseInline(text)[0] for number, text in NOTE.findall(source)}
    tokens = markdown.parse(NOTE.sub("", source))
    return _Setter(iter(tokens), notes).set_until("")


class _Setter:
    """Turns the flat run of tokens into nested calls."""

    def __init__(self, tokens: Iterator[Token], notes: Mapping[str, Token]) -> None:
        self._tokens = tokens
        self._notes = notes

    def set_until(self, closing: str) -> str:
        done: list[str] = []
        hint: re.Match[str] | None = None
        for token in self._tokens:
            if token.type == closing:
                break
            if token.type != "html_block":
                done.append(self._set_block(token, hint))
                hint = None
                continue
            says = _says(token)
            hint = CALL.match(says)
            if not hint:
                done.append(_wrapping(says))
        return "\n\n".join(done)

    def _set_block(self, token: Token, hint: re.Match[str] | None) -> str:
        match token.type:
            case "heading_open":
                return _call(hint, f"h{token.tag[1]}", f"[{self._inline('heading_close')}]")
            case "paragraph_open":
                return self._set_paragraph(hint)
            case "blockquote_open":
                return _call(hint, "aside", f"[{self.set_until('blockquote_close')}]")
            case "bullet_list_open" | "ordered_list_open":
                start = [f"start: {token.attrGet('start')}"] if token.attrGet("start") else []
                items = self._items(token.type.replace("open", "close"))
                return _call(hint, LISTS[token.type], *start, *items)
            case "table_open":
                return self._set_table(hint)
        raise ValueError(f"the sources have no {token.type}")

    def _set_paragraph(self, hint: re.Match[str] | None) -> str:
        if hint and hint["how"] != "as":
            words = _words(next(self._tokens))
            next(self._tokens)
            letter, words[0] = (words[0][0], words[0][1:]) if hint["how"] == "cap" else ("", words[0])
            contents = [f"[{letter}]"] if letter else []
            return _call(hint, "", *contents, _array([f"[{word}]" for word in words]))
        text = self._inline("paragraph_close")
        return _call(hint, "", f"[{text}]") if hint else text

    def _items(self, closing: str) -> Iterator[str]:
        for token in self._tokens:
            if token.type == closing:
                return
            yield f"[{self.set_until('list_item_close')}]"

    def _set_table(self, hint: re.Match[str] | None) -> str:
        rows: list[list[str]] = []
        alignments: list[str] = []
        for token in self._tokens:
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                alignments.append(str(token.attrGet("style") or "text-align:left").removeprefix("text-align:"))
            elif token.type == "inline":
                rows[-1].append(self._markup(token))
        if not any(rows[0]):
            return _call(hint, "grid-table", _array(alignments), _rows(rows[1:]), "heads: 0")
        return _call(hint, "grid-table", _array(alignments), _rows(rows))

    def _inline(self, closing: str) -> str:
        text = ""
        for token in self._tokens:
            if token.type == closing:
                break
            text = self._markup(token)
        return text

    def _markup(self, inline: Token) -> str:
        return "".join(self._piece(child) for child in inline.children or ())

    def _piece(self, piece: Token) -> str:
        match piece.type:
            case "text":
                parts = NOTE_MARK.split(piece.content)
                return "".join(self._note(part) if at % 2 else _escaped(part) for at, part in enumerate(parts))
            case "code_inline":
                return f"#raw({_quoted(piece.content)})"
            case "link_open":
                return f"#link({_quoted(str(piece.attrGet('href')))})["
            case "strong_close" | "em_close" | "link_close":
                return "]"
            case "softbreak":
                return " "
        return OPENINGS[piece.type]

    def _note(self, number: str) -> str:
        return f"#footnote[{self._markup(self._notes[number])}]"


def _says(token: Token) -> str:
    hint = HINT.match(token.content.strip())
    if not hint:
        raise ValueError(f"no hint: {token.content}")
    return hint["says"]


def _wrapping(says: str) -> str:
    if says == "end":
        return "]"
    verb, _, code = says.partition(" ")
    if verb not in {"begin", "do"}:
        raise ValueError(f"no such hint: {says}")
    return f"#{code}[" if verb == "begin" else f"#{code}"


def _call(hint: re.Match[str] | None, usual: str, *contents: str) -> str:
    name = hint["name"] if hint else usual
    arguments = [hint["arguments"]] if hint and hint["arguments"] else []
    return f"#{name}({', '.join([*arguments, *contents])})"


def _array(values: Sequence[str]) -> str:
    return f"({', '.join(values)},)"


def _rows(rows: Sequence[Sequence[str]]) -> str:
    return _array([_array([f"[{cell}]" if cell else "none" for cell in row]) for row in rows])


def _words(inline: Token) -> list[str]:
    """The words of a paragraph, each with the markup that it stands in."""
    words = [""]
    around: list[str] = []
    for piece in inline.children or ():
        if piece.type in OPENINGS:
            around.append(OPENINGS[piece.type])
        elif piece.type.endswith("_close"):
            around.pop()
        else:
            first, *more = (piece.content if piece.type == "text" else " ").split(" ")
            words[-1] += _within(around, first)
            words += [_within(around, word) for word in more]
    return [word for word in words if word]


def _within(around: Sequence[str], word: str) -> str:
    return f"{''.join(around)}{_escaped(word)}{']' * len(around)}" if word else ""


def _escaped(text: str) -> str:
    return SPECIAL.sub(r"\\\1", text)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
