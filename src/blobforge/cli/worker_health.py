"""`blobforge worker health`: for probes that restart a worker which hangs."""

import time

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.output import json_option
from blobforge.domain.json_value import JsonValue

FRESH_SECONDS = 120.0
"""A heartbeat looks at least every 30 seconds, and may wait for a queue that does not answer."""


@click.command("health")
@json_option
def health(*, as_json: bool) -> int:
    """Say whether a worker of this home lives, by the signs of life that it leaves here.

    It asks neither the queue nor the server: a worker waits for those by itself, and to restart it would not help.

    Exit code: 0 a worker lives, and its heartbeat goes on; 1 there is none, or it hangs.

    With --json: healthy, and workers, a list of id and silent_seconds.
    """
    from blobforge.worker.instance import living

    folder = context.settings().home / "workers"
    found = living(folder, now=time.time())
    healthy = any(process.silent_seconds <= FRESH_SECONDS for process in found)
    if as_json:
        workers: list[JsonValue] = [{"id": each.id, "silent_seconds": round(each.silent_seconds, 1)} for each in found]
        output.print_json({"healthy": healthy, "workers": workers})
    elif not found:
        output.say(f"no worker of {folder.parent} runs on this machine")
    else:
        for process in found:
            how = "lives" if process.silent_seconds <= FRESH_SECONDS else "hangs"
            output.say(f"{process.id} {how}: its last sign of life is {process.silent_seconds:.0f} s old")
    return exit_codes.OK if healthy else exit_codes.ERROR
