"""What an error looks like."""

import httpx2


def is_problem(answer: httpx2.Response, *statuses: int) -> bool:
    said = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert {"type", "title", "status", "detail", "code", "error"} <= set(said)
    assert said["status"] == answer.status_code
    assert answer.status_code in statuses, answer.text
    return True
