"""One page of HTML from an OpenAPI document: no scripts, and nothing that has to be fetched."""

import json
from collections.abc import Iterator
from html import escape
from typing import Any

from blobforge.server.operations import ApiOperation, operations_by_tag

Json = dict[str, Any]

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .3rem 0; }
code, pre { font-family: ui-monospace, monospace; font-size: 14px; }
pre { background: #8881; padding: .6rem; overflow-x: auto; }
.method { display: inline-block; min-width: 4.5rem; font-weight: bold; }
table { border-collapse: collapse; }
td, th { text-align: left; padding: .1rem .8rem .1rem 0; vertical-align: top; }
:root { color-scheme: light dark; }
"""


def page_of(document: Json) -> str:
    title = escape(f"{document['info']['title']} {document['info']['version']}")
    body = "".join(_sections(document))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
        f"<style>{STYLE}</style></head><body><h1>{title}</h1>"
        f"<p>{escape(document['info']['description'])}</p>{body}</body></html>"
    )


def _sections(document: Json) -> Iterator[str]:
    for tag in operations_by_tag(document):
        yield f"<h2>{escape(tag.name)}</h2><p>{escape(tag.description)}</p>"
        yield from map(_operation, tag.operations)


def _operation(operation: ApiOperation) -> str:
    head = f'<span class="method">{operation.method}</span> <code>{escape(operation.path)}</code>'
    return (
        f"<details><summary>{head} {escape(operation.summary)}</summary><p>{escape(operation.description)}</p>"
        f"<p>{escape(operation.needs)}</p>{''.join(_facts(operation))}</details>"
    )


def _facts(operation: ApiOperation) -> Iterator[str]:
    if operation.parameters:
        rows = "".join(
            f"<tr><td><code>{escape(one.name)}</code></td><td>{escape(one.where)}</td><td>{escape(one.kind)}</td></tr>"
            for one in operation.parameters
        )
        yield f"<table><tr><th>parameter</th><th>where</th><th>value</th></tr>{rows}</table>"
    for example in operation.examples:
        shown = json.dumps(example.value, indent=2, ensure_ascii=False)
        yield f"<p>{escape(example.what)}</p><pre>{escape(shown)}</pre>"
    yield f"<p>Answers: {escape(', '.join(operation.statuses))}</p>"
