"""An OpenAPI document as what a reference shows of it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

Json = dict[str, Any]


class Parameter(NamedTuple):
    name: str
    where: str
    kind: str


class Example(NamedTuple):
    what: str
    value: Any


class ApiOperation(NamedTuple):
    method: str
    path: str
    summary: str
    description: str
    needs: str
    parameters: list[Parameter]
    body: str
    statuses: list[str]
    examples: list[Example]


class Tag(NamedTuple):
    name: str
    description: str
    operations: list[ApiOperation]


def operations_by_tag(document: Json) -> list[Tag]:
    return [
        Tag(
            tag["name"],
            tag["description"],
            [
                _operation(path, method, one, document["components"]["schemas"])
                for path, method, one in _each(document)
                if tag["name"] in one["tags"]
            ],
        )
        for tag in document["tags"]
    ]


def _each(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


def _operation(path: str, method: str, found: Json, schemas: Json) -> ApiOperation:
    return ApiOperation(
        method=method.upper(),
        path=path,
        summary=found["summary"],
        description=" ".join(found["description"].split()),
        needs=_needs(found),
        parameters=[
            *(
                Parameter(one["name"], one["in"], _kind(one.get("schema", {}), is_required=one.get("required", False)))
                for one in found.get("parameters", ())
            ),
            *_fields(found, schemas),
        ],
        body=_body(found),
        statuses=sorted(status for status in found["responses"] if status != "default"),
        examples=list(_examples(found)),
    )


def _needs(found: Json) -> str:
    if (actions := found.get("x-needs")) is None:
        return "Everyone may ask."
    return f"Needs the right to {' or '.join(action.replace('_', ' ') for action in actions)}."


def _fields(found: Json, schemas: Json) -> Iterator[Parameter]:
    """Of its message."""
    schema = found.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    message = schemas.get(schema.get("$ref", "").rpartition("/")[2], {})
    for name, inner in message.get("properties", {}).items():
        yield Parameter(name, "body", _kind(inner, is_required=name in message.get("required", ())))


def _kind(schema: Json, *, is_required: bool) -> str:
    choices = [_type(one) for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    words = " or ".join(choices)
    if (default := schema.get("default")) is not None:
        words += f", {default} by default"
    return f"{words}, required" if is_required else words


def _type(schema: Json) -> str:
    if "$ref" in schema:
        return str(schema["$ref"].rpartition("/")[2])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    return str(schema.get("type", "any"))


def _body(found: Json) -> str:
    """Its media type, with the name of its message where it has one."""
    for media_type, said in found.get("requestBody", {}).get("content", {}).items():
        reference = said.get("schema", {}).get("$ref", "")
        return reference.rpartition("/")[2] or str(media_type)
    return ""


def _examples(found: Json) -> Iterator[Example]:
    sent = found.get("requestBody", {}).get("content", {}).get("application/json", {}).get("examples", {})
    for name, example in sent.items():
        yield Example(f"sent ({name})", example["value"])
    for status, told in found["responses"].items():
        for content in told.get("content", {}).values():
            for name, example in content.get("examples", {}).items():
                yield Example(f"{status} ({name})", example["value"])
