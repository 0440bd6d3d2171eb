"""The reference of the HTTP API, as OpenAPI for programs and as a page for people."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

from blobforge.server.app import with_routes
from blobforge.server.operations import ApiOperation, operations_by_tag

INTRODUCTION = """\
# The HTTP API

<!-- Made by docs/generate_reference.py from src/blobforge/server; changes belong there. -->

What `blobforge server` answers. [openapi.json](openapi.json) says the same for programs, a server shows it at `/docs`,
and the examples are what a server answered. [Convert by curl](../howto/convert-by-curl.md) is the short way in; [tokens
and roles](../howto/tokens-and-roles.md) says who has which right.

Every error is `application/problem+json` with a stable [`code`](errors.md). Every answer has
`X-Request-ID`, the client's own where it sent one.
"""


@cache
def document() -> dict[str, Any]:
    return with_routes().openapi()


def render_openapi() -> str:
    return json.dumps(document(), indent=1, ensure_ascii=False) + "\n"


def render() -> str:
    return "\n".join([INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for tag in operations_by_tag(document()):
        yield f"## {tag.name.capitalize()}\n\n{tag.description}\n"
        for operation in tag.operations:
            yield from _operation(operation)


def _operation(operation: ApiOperation) -> Iterator[str]:
    yield f"### {operation.method} {operation.path}\n\n{operation.description} {operation.needs}\n"
    if operation.parameters:
        rows = "".join(f"| `{one.name}` | {one.where} | {one.kind} |\n" for one in operation.parameters)
        yield f"| parameter | where | value |\n|---|---|---|\n{rows}"
    body = f"Body: `{operation.body}`. " if operation.body else ""
    yield f"{body}Answers: {', '.join(operation.statuses)}.\n"
    for example in operation.examples:
        yield f"{example.what}:\n\n```json\n{json.dumps(example.value, indent=2, ensure_ascii=False)}\n```\n"
