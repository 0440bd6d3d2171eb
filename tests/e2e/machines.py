"""Two machines with a home each, and what their doctor says."""

import json

from tests.e2e.program import Blobforge


def findings(machine: Blobforge, **env: str) -> dict[str, tuple[str, str]]:
    said = json.loads(machine.call("doctor", "--json", **env).stdout)
    return {found["name"]: (found["verdict"], found["message"]) for found in said["findings"]}
