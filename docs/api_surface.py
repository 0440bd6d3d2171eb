"""What a client of the HTTP API may rely on, and whether a change takes any of it away."""

from collections.abc import Iterator
from typing import Any

Json = dict[str, Any]
Surface = dict[str, Json]

DEEPEST = 8


def surface_of(document: Json) -> Surface:
    """By operation: what a request must have, and what the answers have, as paths such as `jobs[].id`."""
    schemas = document["components"]["schemas"]
    return {
        f"{method.upper()} {path}": {
            "asks": sorted(_asked(operation, schemas)),
            "takes": sorted(_taken(operation, schemas)),
            "gives": {
                status: sorted(_fields(_schema(told), schemas, DEEPEST))
                for status, told in sorted(operation["responses"].items())
                if status.startswith("2")
            },
        }
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    }


def breaks(before: Surface, after: Surface) -> list[str]:
    """Why a client of `before` would fail with `after`."""
    found = []
    for operation, old in before.items():
        new = after.get(operation)
        if new is None:
            found.append(f"{operation} is gone")
            continue
        found += [f"{operation} asks for {name}" for name in sorted(set(new["asks"]) - set(old["asks"]))]
        found += [f"{operation} takes {name} no more" for name in sorted(set(old["takes"]) - set(new["takes"]))]
        for status, fields in old["gives"].items():
            given = new["gives"].get(status)
            if given is None:
                found.append(f"{operation} answers {status} no more")
                continue
            found += [f"{operation} {status} gives {name} no more" for name in sorted(set(fields) - set(given))]
    return found


def _asked(operation: Json, schemas: Json) -> Iterator[str]:
    yield from (f"{one['in']} {one['name']}" for one in operation.get("parameters", ()) if one.get("required"))
    yield from (f"body {path}" for path in _required(_schema(operation.get("requestBody", {})), schemas, DEEPEST))


def _taken(operation: Json, schemas: Json) -> Iterator[str]:
    yield from (f"{one['in']} {one['name']}" for one in operation.get("parameters", ()))
    yield from (f"body {path}" for path in _fields(_schema(operation.get("requestBody", {})), schemas, DEEPEST))


def _schema(holder: Json) -> Json:
    found: Json = holder.get("content", {}).get("application/json", {}).get("schema", {})
    return found


def _fields(schema: Json, schemas: Json, deeper: int, path: str = "") -> Iterator[str]:
    for name, inner, _ in _members(schema, schemas, path):
        yield name
        if deeper:
            yield from _fields(inner, schemas, deeper - 1, name)


def _required(schema: Json, schemas: Json, deeper: int, path: str = "") -> Iterator[str]:
    """What must be there once its surroundings are."""
    for name, inner, is_required in _members(schema, schemas, path):
        if is_required:
            yield name
        if deeper:
            yield from _required(inner, schemas, deeper - 1, name)


def _members(schema: Json, schemas: Json, path: str) -> Iterator[tuple[str, Json, bool]]:
    if (reference := schema.get("$ref")) is not None:
        yield from _members(schemas[reference.rpartition("/")[2]], schemas, path)
    for choice in (*schema.get("anyOf", ()), *schema.get("oneOf", ())):
        yield from _members(choice, schemas, path)
    if "items" in schema:
        yield from _members(schema["items"], schemas, f"{path}[]")
    for name, inner in schema.get("properties", {}).items():
        yield f"{path}.{name}" if path else name, inner, name in schema.get("required", ())
