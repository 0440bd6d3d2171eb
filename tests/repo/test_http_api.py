"""The HTTP API as it is written down: complete, and no trouble for yesterday's clients."""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from docs.api_surface import breaks, surface_of
from docs.http_reference import document

RELEASED = Path(__file__).parent / "released_api.json"
"""What clients of the last release rely on; `python -m tests.repo.test_http_api` writes it anew at a release."""

OPERATIONS = [(path, method) for path, methods in document()["paths"].items() for method in methods]


def test_a_client_of_the_last_release_goes_on_working() -> None:
    assert breaks(json.loads(RELEASED.read_text(encoding="utf-8")), surface_of(document())) == []


def test_a_route_that_is_gone_is_noticed() -> None:
    changed = deepcopy(document())
    del changed["paths"]["/api/jobs"]["post"]

    assert breaks(surface_of(document()), surface_of(changed)) == ["POST /api/jobs is gone"]


def test_a_field_that_answers_lack_is_noticed_however_deep_it_is() -> None:
    changed = deepcopy(document())
    del changed["components"]["schemas"]["JobView"]["properties"]["source_path"]

    found = breaks(surface_of(document()), surface_of(changed))

    assert "GET /api/jobs 200 gives jobs[].source_path no more" in found


def test_a_field_that_requests_now_must_have_is_noticed() -> None:
    changed = deepcopy(document())
    changed["components"]["schemas"]["NewJobMessage"]["required"].append("project")

    assert breaks(surface_of(document()), surface_of(changed)) == ["POST /api/jobs asks for body project"]


def test_what_is_added_breaks_nothing() -> None:
    changed = deepcopy(document())
    changed["paths"]["/api/more"] = changed["paths"]["/api/jobs"]
    changed["components"]["schemas"]["JobView"]["properties"]["more"] = {"type": "string"}

    assert breaks(surface_of(document()), surface_of(changed)) == []


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_a_route_says_what_it_does_and_which_problems_it_answers(path: str, method: str) -> None:
    operation = document()["paths"][path][method]

    assert operation["summary"]
    assert operation["description"]
    assert operation["tags"]
    assert {"default", "503"} <= set(operation["responses"])
    takes_a_key = any(one["name"].lower() == "idempotency-key" for one in operation.get("parameters", ()))
    assert ("422" in operation["responses"]) is takes_a_key


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for methods in document()["paths"].values() for operation in methods.values()]

    assert len(names) == len(set(names))


if __name__ == "__main__":
    RELEASED.write_text(json.dumps(surface_of(document()), indent=1, sort_keys=True) + "\n", encoding="utf-8")
