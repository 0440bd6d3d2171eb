"""The OpenAPI document: what FastAPI finds in the routes, with who may ask, all problems, and examples that ran."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, cast

from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute

from blobforge.domain.access import Action
from blobforge.domain.loose_json import json_in
from blobforge.server.routing import Requires
from blobforge.wire.errors import MEDIA_TYPE, Problem

Json = dict[str, Any]

DESCRIPTION = """\
A queue of documents and the workers that convert them. `POST /api/documents` takes a PDF and gives its Markdown.
Jobs and workers are steered under `/api/jobs` and `/api/workers`; `/api/queue` is for programs that are a part of the
queue. Every error is problem+json with a stable `code`. Answers may gain fields: a client passes over those that it
does not know."""

TAGS = {
    "documents": "One request in, Markdown out.",
    "jobs": "Announce documents, find jobs, steer them, fetch what they made.",
    "workers": "Sign in, claim a job, tell how it ends: all that a worker in another language needs.",
    "admin": "Accounts of workers, tokens, and who did what.",
    "operate": "For those who watch the server.",
    "queue protocol": "The whole queue for our own workers and commands; one path a question.",
    "signed URLs": "Bytes, for a store in a folder. The signature is the whole right, and no token is looked at.",
}

PROBLEMS = {
    "400": ("Invalid", "A value in the request is wrong; `detail` says which."),
    "401": ("NotSignedIn", "No token or secret came, or it does not count."),
    "403": ("Forbidden", "Who asks may not do this, or belongs to another project."),
    "404": ("NotFound", "There is no such thing, or not for who asks."),
    "409": ("Conflict", "The state of the job, or its lease, does not allow it."),
    "412": ("ChangedMeanwhile", "The job is not as `If-Match` says any more; nothing was changed."),
    "422": ("IdempotencyKeyReused", "Another request was sent under the same `Idempotency-Key`; nothing was made."),
    "429": ("TooManyRequests", "Too many wrong tokens came from this address; `Retry-After` says when."),
    "503": ("Unavailable", "The queue or the store does not answer; `Retry-After` says when."),
}
OTHER = ("Problem", "Any other error, by its `code`.")

SCHEMES: Json = {
    "token": {"type": "http", "scheme": "bearer", "description": "`bf_…`: of a person or a program."},
    "worker": {"type": "apiKey", "in": "header", "name": "X-Worker-ID", "description": "The name of a worker."},
    "secret": {"type": "apiKey", "in": "header", "name": "X-Worker-Secret", "description": "`bfw_…`: its secret."},
}
_TOKEN: Json = {"token": []}
_WORKER: Json = {"worker": [], "secret": []}
_NEVER_A_CONFLICT = frozenset({"get", "head"})


def describe(app: FastAPI, routers: Iterable[APIRouter]) -> None:
    """Gives the application its document, made once when somebody asks for it."""
    needs = {
        (method.lower(), route.path): actions_of(route)
        for router in routers
        for route in router.routes
        if isinstance(route, APIRoute)
        for method in route.methods or ()
    }
    found_by_fastapi = app.openapi

    @cache
    def document() -> Json:
        return described(found_by_fastapi(), needs)

    app.openapi = document  # type: ignore[method-assign]


def actions_of(route: APIRoute) -> tuple[Action, ...] | None:
    """One of which its asker must be allowed; None where everyone is let in."""
    for dependency in route.dependant.dependencies:
        if isinstance(dependency.call, Requires):
            return dependency.call.actions
    return None


def described(document: Json, needs: Mapping[tuple[str, str], tuple[Action, ...] | None]) -> Json:
    document["info"]["description"] = DESCRIPTION
    document["tags"] = [{"name": name, "description": said} for name, said in TAGS.items()]
    schemas = document["components"]["schemas"]
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    schemas["Problem"] = Problem.model_json_schema()
    document["components"]["responses"] = {name: _problem(said) for name, said in [*PROBLEMS.values(), OTHER]}
    document["components"]["securitySchemes"] = SCHEMES
    examples = recorded_examples()
    for path, method, operation in operations(document):
        _describe(operation, path, method, needs.get((method, path)))
        for example in examples.get(f"{method.upper()} {path}", ()):
            _illustrate(operation, example)
    return document


def operations(document: Json) -> Iterator[tuple[str, str, Json]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation


@cache
def recorded_examples() -> Mapping[str, list[Json]]:
    """By operation; a test runs them again and compares."""
    text = files("blobforge.server").joinpath("examples.json").read_text(encoding="utf-8")
    return cast("Mapping[str, list[Json]]", json_in(text))


def _describe(operation: Json, path: str, method: str, actions: tuple[Action, ...] | None) -> None:
    operation["summary"] = _first_sentence(operation["description"])
    operation["responses"].pop("422", None)
    expected = ["503", "400"] if "parameters" in operation or "requestBody" in operation else ["503"]
    if actions is not None:
        operation["security"] = _security(actions)
        operation["x-needs"] = [action.value for action in actions]
        expected += ["401", "403", "429"]
    if "{" in path or "/queue/" in path:
        expected.append("404")
    headers = {one["name"].lower() for one in operation.get("parameters", ()) if one["in"] == "header"}
    if "idempotency-key" in headers:
        expected.append("422")
    if "if-match" in headers:
        expected.append("412")
    if "if-none-match" in headers:
        operation["responses"]["304"] = {"description": "It has not changed since."}
    if method not in _NEVER_A_CONFLICT:
        expected.append("409")
    for status in sorted(expected):
        name, _ = PROBLEMS[status]
        operation["responses"].setdefault(status, {"$ref": f"#/components/responses/{name}"})
    operation["responses"]["default"] = {"$ref": f"#/components/responses/{OTHER[0]}"}


def _security(actions: tuple[Action, ...]) -> list[Json]:
    people = any(action is not Action.WORK for action in actions)
    return [*([_TOKEN] if people else []), *([_WORKER] if Action.WORK in actions else [])]


def _illustrate(operation: Json, example: Json) -> None:
    name, status = example["name"], str(example["status"])
    if status in PROBLEMS:
        operation["responses"][status] = told = _problem(PROBLEMS[status][1])
        told["content"][MEDIA_TYPE]["examples"] = {name: {"value": example["response"]}}
        return
    if (sent := example.get("request")) is not None:
        content = operation.get("requestBody", {}).get("content", {}).get("application/json")
        if content is not None:
            content.setdefault("examples", {})[name] = {"value": sent}
    told = operation["responses"].get(status)
    if told is not None and "$ref" not in told and "response" in example:
        content = told.setdefault("content", {}).setdefault("application/json", {})
        content.setdefault("examples", {})[name] = {"value": example["response"]}


def _problem(said: str) -> Json:
    schema = {"$ref": "#/components/schemas/Problem"}
    return {"description": said, "content": {MEDIA_TYPE: {"schema": schema}}}


def _first_sentence(text: str) -> str:
    words = " ".join(text.split())
    ends = [place for sign in (". ", "; ", ": ") if (place := words.find(sign)) > 0]
    return words[: min(ends)] if ends else words.rstrip(".")
