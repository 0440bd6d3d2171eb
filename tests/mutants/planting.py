"""Plants a bug: finds a pattern in a function of a module, and writes another piece of code in its place."""

import ast
import copy
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import NamedTuple

from tests.mutants.pattern import (
    NAME_FIELDS,
    OMITTED,
    Binding,
    Element,
    Matcher,
    Part,
    is_anything,
    is_partial,
    is_string,
    joined,
    parts_of,
)
from tests.mutants.scopes import Scope, bound_names, scope_of

Code = ast.expr | list[ast.stmt]


class DoesNotFit(ValueError):
    """The pattern is not where it should be, or what is to be written there is no code."""


def planted(text: str, *, within: str, old: str, new: str) -> str:
    """The module with `new` in the place of `old`, which must be found once in the function. Raises DoesNotFit."""
    try:
        before, after = _parsed(old, new)
        module = ast.parse(text)
        scope = scope_of(module, within)
    except (LookupError, SyntaxError) as error:
        raise DoesNotFit(str(error)) from error
    _require_one_gap(before, after)
    found = list(_statements(scope, before) if isinstance(before, list) else _expressions(scope, before))
    if len(found) != 1:
        raise DoesNotFit(f"its pattern is found {len(found)} times in {within or 'the module'}, not once")
    _require_known(after, found[0].binding, scope)
    written = _Written(found[0].binding).out(after)
    if _text(written) == _text(found[0].nodes):
        raise DoesNotFit("it changes nothing")
    found[0].replace(written)
    return _compiled(module)


def _parsed(old: str, new: str) -> tuple[ast.expr, ast.expr] | tuple[list[ast.stmt], list[ast.stmt]]:
    """Two expressions, or, where one of them is none, two lists of statements."""
    old, new = dedent(old).strip(), dedent(new).strip()
    try:
        return ast.parse(old, mode="eval").body, ast.parse(new, mode="eval").body
    except SyntaxError:
        return ast.parse(old).body, ast.parse(new).body


class _Found(NamedTuple):
    binding: Binding
    siblings: Sequence[Element]
    """Where it stands, from `start` to `end`; a field of one node is a list of one."""
    start: int
    end: int
    owner: ast.AST
    field: str

    @property
    def nodes(self) -> Sequence[Element]:
        return self.siblings[self.start : self.end]

    def replace(self, nodes: list[Element]) -> None:
        is_list = isinstance(getattr(self.owner, self.field), list)
        written: list[Element] = [*self.siblings[: self.start], *nodes, *self.siblings[self.end :]]
        if self.field == "body" and not written:
            written = [ast.Pass()]
        setattr(self.owner, self.field, written if is_list else written[0])


def _expressions(scope: Scope, pattern: ast.expr) -> Iterator[_Found]:
    matcher = Matcher(scope)
    for owner, field, siblings in _fields(scope):
        for place, node in enumerate(siblings):
            # The text of an f-string is matched as a whole.
            if isinstance(node, ast.expr) and not (isinstance(owner, ast.JoinedStr) and is_string(node)):
                for binding in matcher.node(pattern, node, Binding()):
                    yield _Found(binding, siblings, place, place + 1, owner, field)


def _statements(scope: Scope, pattern: list[ast.stmt]) -> Iterator[_Found]:
    matcher = Matcher(scope)
    for owner, field, siblings in _fields(scope):
        if siblings and isinstance(siblings[0], ast.stmt):
            for start in range(len(siblings)):
                for binding, length in matcher.beginning(pattern, siblings[start:]):
                    yield _Found(binding, siblings, start, start + length, owner, field)


def _fields(scope: Scope) -> Iterator[tuple[ast.AST, str, Sequence[Element]]]:
    for owner in scope.walk():
        for field, value in ast.iter_fields(owner):
            if value is not None:
                yield owner, field, value if isinstance(value, list) else [value]


def _require_known(after: Code, binding: Binding, scope: Scope) -> None:
    """A name that only looks like a variable would fail with whatever test, and prove nothing."""
    nodes = _nodes(after)
    used = {one.id for node in nodes for one in ast.walk(node) if isinstance(one, ast.Name)}
    unknown = used - {"self", "cls", *scope.global_names, *dict(binding.names), *bound_names(nodes)}
    if unknown:
        raise DoesNotFit(f"nothing in its pattern says what {', '.join(sorted(unknown))} is")


def _require_one_gap(before: Code, after: Code) -> None:
    gaps = _gaps(before), _gaps(after)
    if gaps not in ((0, 0), (1, 0), (1, 1)):
        raise DoesNotFit(f"it has {gaps[0]} and {gaps[1]} strings with {OMITTED!r}, not one at most in each")


def _gaps(code: Code) -> int:
    nodes = [one for node in _nodes(code) for one in ast.walk(node)]
    texts = [value for one in nodes if isinstance(one, ast.JoinedStr) for value in one.values]
    return sum(is_partial(one) and one not in texts for one in nodes)


def _text(nodes: Sequence[Element]) -> list[Element]:
    return [ast.unparse(node) if isinstance(node, ast.AST) else node for node in nodes]


def _nodes(code: Code) -> list[ast.AST]:
    return [*code] if isinstance(code, list) else [code]


class _Written:
    """A piece of code with what the parts of the pattern stood for."""

    def __init__(self, binding: Binding) -> None:
        self._names = dict(binding.names)
        self._kept = list(binding.kept)
        self._before, self._after = binding.before, binding.after

    def out(self, after: Code) -> list[Element]:
        nodes = _nodes(after)
        wanted = sum(isinstance(one, ast.Constant) and is_anything(one) for node in nodes for one in ast.walk(node))
        if wanted not in (0, len(self._kept)):
            raise DoesNotFit(f"it has {wanted} `...` where its pattern has {len(self._kept)}")
        copies = copy.deepcopy(nodes)
        return self._list(copies) if isinstance(after, list) else [self._one(copies[0])]

    def _list(self, nodes: Sequence[Element]) -> list[Element]:
        written: list[Element] = []
        for node in nodes:
            if is_anything(node):
                written += self._kept.pop(0)
            else:
                written.append(self._node(node) if isinstance(node, ast.AST) else node)
        return written

    def _one(self, node: ast.AST) -> Element:
        written = self._list([node])
        if len(written) != 1:
            raise DoesNotFit(f"its `...` stands for {len(written)} where one is needed")
        return written[0]

    def _node(self, node: ast.AST) -> ast.AST:
        if is_partial(node):
            return self._string(node)
        for field, value in ast.iter_fields(node):
            if isinstance(value, list):
                setattr(node, field, self._list(value))
            elif isinstance(value, ast.AST):
                setattr(node, field, self._one(value))
            elif (type(node), field) in NAME_FIELDS:
                setattr(node, field, self._names.get(value, value))
        return node

    def _string(self, string: ast.AST) -> ast.expr:
        """With the ends that the pattern left out."""
        parts = parts_of(string)
        is_open_before, is_open_after = parts[0] == OMITTED, parts[-1] == OMITTED
        inner = [self._part(part) for part in parts[is_open_before : len(parts) - is_open_after]]
        before = self._before if is_open_before else ()
        after = self._after if is_open_after else ()
        return joined([*before, *inner, *after])

    def _part(self, part: Part) -> Part:
        if isinstance(part, ast.FormattedValue):
            self._node(part)
        return part


def _compiled(module: ast.Module) -> str:
    try:
        text = ast.unparse(ast.fix_missing_locations(module))
        compile(text, "mutant", "exec")
    except (SyntaxError, ValueError) as error:
        raise DoesNotFit(f"what it makes is no program: {error}") from error
    return text
