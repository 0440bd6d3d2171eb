"""The rules of the layout engine: its named constants and its predicates, and how each is switched off."""

import ast
import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Flag
from functools import cache
from types import ModuleType

from blobforge.processors.pdf_markdown import layout
from blobforge.processors.pdf_markdown.engines import blobforge as engine

_NAME = re.compile(r"_?[A-Z][A-Z0-9_]+")
_NEVER = re.compile(r"(?!)")
_HUGE = 10**9
NOT_MARKDOWN = ("output.completeness", "scans")
"""Parts of the engine that no score can tell: warnings, and pages that OCR has read."""
READING = ("drawn", "words")
"""What decides how a page is read from the file: here nothing that was read before can be used again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """`variants` names the ways to switch it off; `readers` are the functions that use a constant, None where some
    use cannot be told by the function that it is in."""

    module: str
    name: str
    variants: tuple[str, ...]
    readers: frozenset[str] | None
    line: int

    @property
    def is_predicate(self) -> bool:
        return self.variants == ("never", "always")

    @property
    def title(self) -> str:
        return f"{self.module.removeprefix(layout.__name__ + '.')}.{self.name}"

    @property
    def is_of_reading(self) -> bool:
        return self.module.removeprefix(layout.__name__ + ".").split(".")[0] in READING


@cache
def all_rules() -> tuple[Rule, ...]:
    modules = _modules()
    trees = {name: ast.parse(_source(module)) for name, module in modules.items()}
    found = [rule for name, module in modules.items() for rule in _rules_of(name, module, trees)]
    return tuple(rule for rule in found if not rule.title.startswith(NOT_MARKDOWN))


@contextmanager
def switched_off(rule: Rule, variant: str) -> Iterator[None]:
    """The engine without the rule, in this process."""
    modules = _modules()
    owner, name = _owner_of(modules[rule.module], rule.name)
    original = vars(owner)[name]
    other = _predicate(original, value=variant == "always") if rule.is_predicate else _constant(original, variant)
    if isinstance(owner, type):
        places: list[tuple[object, str]] = [(owner, name)]
    else:
        users = (*modules.values(), engine)
        places = [
            (user, each) for user in users for each, value in vars(user).items() if _is_it(value, original, each, name)
        ]
    for place, each in places:
        setattr(place, each, other)
    _forget(modules)
    try:
        yield
    finally:
        for place, each in places:
            setattr(place, each, original)
        _forget(modules)


def _forget(modules: Mapping[str, ModuleType]) -> None:
    """What functions remember may have come from the rule."""
    for module in modules.values():
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def _is_it(value: object, original: object, each: str, name: str) -> bool:
    """Small numbers are one object wherever they stand, so the name must be the same too."""
    return value is original and each == name


def _modules() -> Mapping[str, ModuleType]:
    names = [found.name for found in pkgutil.walk_packages(layout.__path__, f"{layout.__name__}.") if not found.ispkg]
    return {name: importlib.import_module(name) for name in names}


def _source(module: ModuleType) -> str:
    assert module.__file__ is not None
    with open(module.__file__, encoding="utf-8") as file:  # noqa: PTH123
        return file.read()


def _rules_of(name: str, module: ModuleType, trees: Mapping[str, ast.Module]) -> Iterator[Rule]:
    for node in trees[name].body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for target in _names_in(node):
                variants = tuple(_variants(getattr(module, target)))
                if _NAME.fullmatch(target) and variants:
                    yield Rule(
                        module=name,
                        name=target,
                        variants=variants,
                        readers=_readers(name, target, trees),
                        line=node.lineno,
                    )
    for function, qualified in _functions(trees[name]):
        if isinstance(function.returns, ast.Name) and function.returns.id == "bool":
            yield Rule(
                module=name,
                name=qualified,
                variants=("never", "always"),
                readers=frozenset({f"{name}:{qualified}"}),
                line=function.lineno,
            )


def _names_in(node: ast.Assign | ast.AnnAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    names = [each for target in targets for each in (target.elts if isinstance(target, ast.Tuple) else [target])]
    return [each.id for each in names if isinstance(each, ast.Name)]


def _functions(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node, node.name
        elif isinstance(node, ast.ClassDef):
            yield from (
                (inner, f"{node.name}.{inner.name}") for inner in node.body if isinstance(inner, ast.FunctionDef)
            )


def _readers(owner: str, name: str, trees: Mapping[str, ast.Module]) -> frozenset[str] | None:
    """None where it is read while a module is loaded, which happened before it was switched off."""
    readers: set[str] = set()
    for module, tree in trees.items():
        if module != owner and not _imports(tree, owner, name):
            continue
        inside: set[ast.AST] = set()
        for function, qualified in _functions(tree):
            loads = {each for each in ast.walk(function) if isinstance(each, ast.Name) and each.id == name}
            inside |= loads
            if loads:
                readers.add(f"{module}:{qualified}")
        everywhere = {
            each
            for each in ast.walk(tree)
            if isinstance(each, ast.Name) and each.id == name and isinstance(each.ctx, ast.Load)
        }
        if everywhere - inside:
            return None
    return frozenset(readers)


def _imports(tree: ast.Module, owner: str, name: str) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and node.module == owner and any(each.name == name for each in node.names)
        for node in tree.body
    )


def _variants(value: object) -> Iterator[str]:
    match value:
        case bool():
            return
        case Flag():
            yield "none"
        case int() | float():
            yield from ("zero", "huge")
        case re.Pattern() | str() | tuple() | frozenset() | set() | dict():
            yield "empty"


def _constant(value: object, variant: str) -> object:
    match value:
        case Flag():
            return type(value)(0)
        case int() | float():
            return type(value)(0 if variant == "zero" else _HUGE)
        case re.Pattern():
            return _NEVER
        case _:
            return type(value)()


def _owner_of(module: ModuleType, name: str) -> tuple[ModuleType | type, str]:
    holder, _, last = name.rpartition(".")
    return (getattr(module, holder) if holder else module), last


def _predicate(original: object, *, value: bool) -> object:
    def answer(*_arguments: object, **_named: object) -> bool:
        return value

    replaced: Callable[..., bool] = answer
    if isinstance(original, property):
        return property(replaced)
    return staticmethod(replaced) if isinstance(original, staticmethod) else replaced
