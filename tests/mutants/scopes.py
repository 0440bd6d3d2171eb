"""Functions by their qualified names, and which names in them are local."""

import ast
import builtins
from collections.abc import Iterator
from typing import NamedTuple

Block = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Scope(NamedTuple):
    """A function, a class or a module without what is defined inside it, and the names that are seen from there."""

    block: Block
    local_names: frozenset[str]
    """What may be called otherwise without changing what the code does."""
    global_names: frozenset[str]

    def children(self, node: ast.AST) -> Iterator[ast.AST]:
        """The methods of a class and the functions of a module are places of their own."""
        is_outside = not isinstance(self.block, _FUNCTIONS)
        for child in ast.iter_child_nodes(node):
            if not (is_outside and isinstance(child, _DEFINITIONS)):
                yield child

    def walk(self) -> Iterator[ast.AST]:
        waiting: list[ast.AST] = [self.block]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(self.children(node))


def scope_of(module: ast.Module, qualified_name: str) -> Scope:
    """`Class.method`, `function`, `function.inner`, `Class`, or nothing for the module itself. Raises LookupError."""
    block: Block = module
    outermost: Block | None = None
    for name in qualified_name.split(".") if qualified_name else ():
        block = _definition(block, name, qualified_name)
        # What an inner function sees of the outer one is local too.
        outermost = outermost or (block if isinstance(block, _FUNCTIONS) else None)
    global_names = frozenset(_bound_by(module, into_definitions=False)) | frozenset(dir(builtins))
    if outermost is not None:
        local_names = frozenset(_bound_by(outermost, into_definitions=True))
    else:
        local_names = frozenset(_bound_inside_expressions(Scope(block, frozenset(), global_names)))
    return Scope(block, local_names, global_names)


def bound_names(nodes: list[ast.AST]) -> set[str]:
    """What these nodes themselves give a value to."""
    return {name for node in nodes for one in ast.walk(node) for name in _names_bound_at(one)}


def _definition(block: Block, name: str, qualified_name: str) -> Block:
    found = [node for node in _inside(block) if isinstance(node, _DEFINITIONS) and node.name == name]
    if len(found) != 1:
        raise LookupError(f"{qualified_name!r} is defined {len(found)} times, not once")
    return found[0]


def _inside(block: ast.AST) -> Iterator[ast.AST]:
    """What a block holds, also behind `if` and `try`, but not what is inside the definitions in it."""
    for node in ast.iter_child_nodes(block):
        yield node
        if not isinstance(node, _DEFINITIONS):
            yield from _inside(node)


def _bound_by(block: Block, *, into_definitions: bool) -> Iterator[str]:
    nodes = ast.walk(block) if into_definitions else _inside(block)
    for node in nodes:
        if node is not block:
            yield from _names_bound_at(node)


def _names_bound_at(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name(ctx=ast.Store() | ast.Del()):
            yield node.id
        case ast.arg():
            yield node.arg
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            yield node.name
        case ast.alias():
            yield (node.asname or node.name).partition(".")[0]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield name


def _bound_inside_expressions(scope: Scope) -> Iterator[str]:
    """At the level of a module or a class only comprehensions and lambdas have names of their own."""
    for node in scope.walk():
        if isinstance(node, _COMPREHENSIONS):
            yield from bound_names([generator.target for generator in node.generators])
        elif isinstance(node, ast.Lambda):
            yield from bound_names([node.args])
