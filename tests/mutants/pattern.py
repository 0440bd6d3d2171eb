"""Patterns of Python code: what they match in a syntax tree, and what each part of them stood for there.

A pattern is code. It matches by structure, so that comments, line breaks and quotes do not matter:

- A name matches a local variable of whatever name, the same one each time and no other variable's. `self`, `cls`,
  global names, attributes, keywords of calls and constants match only what is called the same.
- `...` matches any expression, any number of elements of a list, of arguments or of statements, and, as `**...`, any
  further keywords, whose order never matters.
- "…" at the beginning or the end of a string matches whatever stands there: part of a statement in SQL is enough.
"""

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from tests.mutants.scopes import Scope

OMITTED = "…"
_NEVER_RENAMED = {"self", "cls"}
NAME_FIELDS: set[tuple[type[ast.AST], str]] = {
    (ast.Name, "id"),
    (ast.arg, "arg"),
    (ast.ExceptHandler, "name"),
    (ast.MatchAs, "name"),
}
_IGNORED_FIELDS = {"kind", "type_comment"}

Element = ast.AST | str | None
"""Of a list in the tree: names are text, and a dictionary has no key where another one is unpacked."""
Part = str | ast.FormattedValue
"""Of a string: a character, or a value that is formatted into it."""


class Binding(NamedTuple):
    """What a pattern stood for where it matched."""

    names: tuple[tuple[str, str], ...] = ()
    """Each name of the pattern, and that of the variable there."""
    kept: tuple[tuple[Element, ...], ...] = ()
    """What each `...` stood for, in its order."""
    before: tuple[Part, ...] = ()
    after: tuple[Part, ...] = ()
    """The ends of a string that is given in part."""


class Matcher:
    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def node(self, old: ast.AST, there: ast.AST, bound: Binding) -> Iterator[Binding]:
        if is_anything(old):
            yield bound._replace(kept=(*bound.kept, (there,)))
        elif is_partial(old):
            yield from self._part_of_string(old, there, bound)
        elif type(old) is type(there):
            yield from self._fields(old, there, _fields_of(old), bound)

    def beginning(self, old: Sequence[Element], there: Sequence[Element]) -> Iterator[tuple[Binding, int]]:
        """The ways in which the pattern is what `there` begins with, and how many elements that takes."""
        yield from self._elements(old, there, 0, Binding())

    def _fields(self, old: ast.AST, there: ast.AST, names: Sequence[str], bound: Binding) -> Iterator[Binding]:
        if not names:
            yield bound
            return
        first, *others = names
        for found in self._field(old, there, first, bound):
            yield from self._fields(old, there, others, found)

    def _field(self, old: ast.AST, there: ast.AST, name: str, bound: Binding) -> Iterator[Binding]:
        wanted, given = getattr(old, name, None), getattr(there, name, None)
        if isinstance(wanted, str) and isinstance(given, str) and (type(old), name) in NAME_FIELDS:
            yield from self._name(wanted, given, bound)
        elif isinstance(wanted, list) and isinstance(given, list):
            pairs = self._keywords if name == "keywords" else self._whole
            yield from pairs(wanted, given, bound)
        elif isinstance(wanted, ast.AST) and isinstance(given, ast.AST):
            yield from self.node(wanted, given, bound)
        elif type(wanted) is type(given) and wanted == given:
            yield bound

    def _name(self, old: str, there: str, bound: Binding) -> Iterator[Binding]:
        if there not in self._scope.local_names or {old, there} & _NEVER_RENAMED or self._is_global(old):
            if old == there and all(old not in pair for pair in bound.names):
                yield bound
            return
        known = {pair for pair in bound.names if old == pair[0] or there == pair[1]}
        if not known:
            yield bound._replace(names=(*bound.names, (old, there)))
        elif known == {(old, there)}:
            yield bound

    def _is_global(self, name: str) -> bool:
        return name in self._scope.global_names and name not in self._scope.local_names

    def _whole(self, old: Sequence[Element], there: Sequence[Element], bound: Binding) -> Iterator[Binding]:
        for found, end in self._elements(old, there, 0, bound):
            if end == len(there):
                yield found

    def _elements(
        self, old: Sequence[Element], there: Sequence[Element], at: int, bound: Binding
    ) -> Iterator[tuple[Binding, int]]:
        if not old:
            yield bound, at
            return
        first, *others = old
        if is_anything(first):
            for end in range(at, len(there) + 1):
                kept = bound._replace(kept=(*bound.kept, tuple(there[at:end])))
                yield from self._elements(others, there, end, kept)
        elif at < len(there):
            for one in self._element(first, there[at], bound):
                yield from self._elements(others, there, at + 1, one)

    def _element(self, old: Element, there: Element, bound: Binding) -> Iterator[Binding]:
        if isinstance(old, ast.AST) and isinstance(there, ast.AST):
            yield from self.node(old, there, bound)
        elif old == there:
            yield bound

    def _keywords(self, old: list[ast.keyword], there: list[ast.keyword], bound: Binding) -> Iterator[Binding]:
        named = {keyword.arg for keyword in old if not is_anything(keyword)}
        others = [keyword for keyword in there if keyword.arg not in named]
        # In the order of the pattern, so that each finds the one of its name.
        ordered: list[ast.keyword] = []
        for keyword in old:
            same = [one for one in there if one.arg == keyword.arg]
            ordered += others if is_anything(keyword) else same
        if len(ordered) == len(there):
            yield from self._whole(old, ordered, bound)

    def _part_of_string(self, old: ast.AST, there: ast.AST, bound: Binding) -> Iterator[Binding]:
        if not is_string(there):
            return
        wanted, given = parts_of(old), parts_of(there)
        is_open_before, is_open_after = wanted[0] == OMITTED, wanted[-1] == OMITTED
        wanted = wanted[is_open_before : len(wanted) - is_open_after]
        for start in range(len(given) - len(wanted) + 1) if is_open_before else (0,):
            end = start + len(wanted)
            if end > len(given) or (end < len(given) and not is_open_after):
                continue
            for found in self._parts(wanted, given[start:end], bound):
                yield found._replace(before=tuple(given[:start]), after=tuple(given[end:]))

    def _parts(self, old: list[Part], there: list[Part], bound: Binding) -> Iterator[Binding]:
        pairs = list(zip(old, there, strict=True))
        if all(one == other for one, other in pairs if isinstance(one, str) or isinstance(other, str)):
            values = [(one, other) for one, other in pairs if not (isinstance(one, str) or isinstance(other, str))]
            yield from self._whole([one for one, _ in values], [other for _, other in values], bound)


def is_anything(node: Element) -> bool:
    match node:
        case ast.Constant():
            return node.value is ...
        case ast.Expr(value=value) | ast.keyword(arg=None, value=value):
            return is_anything(value)
    return False


def is_string(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def is_partial(node: ast.AST) -> bool:
    parts = parts_of(node) if is_string(node) else []
    return bool(parts) and OMITTED in (parts[0], parts[-1])


def parts_of(string: ast.AST) -> list[Part]:
    match string:
        case ast.Constant(value=str(text)):
            return list(text)
        case ast.JoinedStr(values=values):
            return [part for value in values for part in parts_of(value)]
        case ast.FormattedValue():
            return [string]
    raise TypeError(f"{ast.dump(string)} is no part of a string")


def joined(parts: Sequence[Part]) -> ast.expr:
    text = [part for part in parts if isinstance(part, str)]
    if len(text) == len(parts):
        return ast.Constant("".join(text))
    return ast.JoinedStr([ast.Constant(part) if isinstance(part, str) else part for part in parts])


def _fields_of(node: ast.AST) -> list[str]:
    return [name for name in node._fields if name not in _IGNORED_FIELDS]
