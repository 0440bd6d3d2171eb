"""`python -m tests.fuzz_server [MINUTES [SEED]]`: requests that nobody thought of, to every route, for some minutes.

A test sends the same ones at every change; these are others each time. What failed is told with its seed, by which it
is found again.
"""

import secrets
import sys
import time
import traceback
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.server_scene import Scene, scene_in
from tests.unit.server.test_generated_requests import operations_of, send_to, without_warnings

from blobforge.server import long_poll
from blobforge.server.auth.asking import OpenDoor

REQUESTS = 20
"""To each route in a round."""
LONGEST = 6_000
"""What is said of one that failed."""


def main() -> int:
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 5.0
    first = int(sys.argv[2]) if len(sys.argv) > 2 else secrets.randbelow(10**6)
    vars(long_poll)["LONGEST_SECONDS"] = 0.0
    with TemporaryDirectory() as folder, scene_in(Path(folder), doorman=OpenDoor()) as scene, without_warnings():
        for name in "abc":
            scene.job(name)
        return _run(scene, until=time.monotonic() + 60 * minutes, first=first)


def _run(scene: Scene, *, until: float, first: int) -> int:
    operations, broken = operations_of(scene), set[str]()
    for seed in count(first):
        for operation in operations:
            if time.monotonic() > until:
                sys.stdout.write(f"seeds {first} to {seed}, {len(operations)} routes, {len(broken)} of them failed\n")
                return 1 if broken else 0
            if operation.label not in broken and not _is_sound(scene, operation, seed):
                broken.add(operation.label)
    raise AssertionError("counting ends by the time")


def _is_sound(scene: Scene, operation: Any, seed: int) -> bool:
    try:
        send_to(scene, operation, REQUESTS, seed=seed)
    except Exception:  # noqa: BLE001 - whatever it is, the other routes are tried too
        sys.stdout.write(f"{operation.label}, seed {seed}:\n{traceback.format_exc()[-LONGEST:]}\n")
        sys.stdout.flush()
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
