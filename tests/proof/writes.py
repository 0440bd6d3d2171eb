"""What must hold of every single write of a record, whoever makes it."""

import json
from typing import Any

from tests.proof.rooms import CELLS

from blobforge.testing.simulated_bucket import Held
from blobforge.testing.simulated_client import S3Request

WAITING = ("pending", "failed")


def wrong_with(before: Held | None, request: S3Request) -> str | None:
    """Of a write that has just happened; nothing for what is no record."""
    if request.operation != "put_object" or not request.key.startswith(CELLS):
        return None
    new = json.loads(request.body)
    if before is None:
        return None
    old = json.loads(before.body)
    if old["state"] == "purged" or (old["state"] == "dead" and new["state"] != "purged"):
        return f"a cell that was {old['state']} became {new['state']}"
    if new["seq"] <= old["seq"]:
        return f"a record was overwritten by one who had not read it (seq {old['seq']}, then {new['seq']})"
    if _lease(new) < _lease(old):
        return f"lease {_lease(new)} came back after lease {_lease(old)}"
    if old["state"] in WAITING and new["state"] == "held" and new["attempt"] != old["attempt"] + 1:
        return f"a claim counts attempt {new['attempt']} after {old['attempt']}"
    return None


def _lease(facts: dict[str, Any]) -> int:
    return int(facts["job"]["lease_number"])
