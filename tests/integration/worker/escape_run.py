"""`python -m tests.integration.worker.escape_run FOLDER auto|off`: a parent with secrets and neighbours, whose child
makes every attempt of `escapes`. Writes the outcomes, and what became of the parent's things, as JSON."""

import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from tests.integration.worker import escape_kit, escapes
from tests.integration.worker.workbench import LONG, PATH, ask, produced

from blobforge.domain.json_value import JsonValue
from blobforge.ports.processor import Task
from blobforge.testing.builders import hash_of
from blobforge.worker.child import Child, ChildSpec
from blobforge.worker.limits import ChildLimits
from blobforge.worker.sandbox.kernel import forbid_inspection
from blobforge.worker.sandbox.policy import SandboxPolicy
from blobforge.worker.sandbox.support import sandbox_support

SECRET_NAME = "LD_SECRET_KEY"


def main() -> None:
    folder, mode = Path(sys.argv[1]), sys.argv[2]
    signals: list[int] = []
    for number in (signal.SIGCONT, signal.SIGUSR2):
        signal.signal(number, lambda heard, _frame: signals.append(heard))
    with ExitStack() as stack:
        targets = _prepare(folder, stack)
        if mode != "off":
            forbid_inspection()
        outcomes = _attempts(folder, targets, mode)
    if signal.SIGUSR2 not in signals:
        outcomes[escape_kit.BY_FILE] = "no signal came"
    key = Path(targets.key)
    json.dump({"outcomes": outcomes, "signals": signals, "key": key.read_text()}, sys.stdout)


def _prepare(folder: Path, stack: ExitStack) -> escape_kit.Targets:
    home = folder / "home"
    for path in (home / "key", home / "spare", home / "queue.db", home / "blob", folder / "work" / "2" / "source"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(path.name)
        path.chmod(0o600)
    tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
    udp = stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
    udp.bind(("127.0.0.1", 0))
    abstract = f"blobforge-escape-{os.getpid()}"
    # By a short name: the address of a socket holds about a hundred letters.
    os.chdir(home)
    for name, kind in (
        ("s", socket.SOCK_STREAM),
        ("s.datagram", socket.SOCK_DGRAM),
        ("\0" + abstract, socket.SOCK_STREAM),
    ):
        bound = stack.enter_context(socket.socket(socket.AF_UNIX, kind))
        bound.bind(name)
        if kind is socket.SOCK_STREAM:
            bound.listen()
    neighbour = subprocess.Popen(["sleep", "600"])
    stack.callback(neighbour.wait)
    stack.callback(neighbour.kill)
    return escape_kit.Targets(
        home=str(home),
        key=str(home / "key"),
        database=str(home / "queue.db"),
        blob=str(home / "blob"),
        other_document=str(folder / "work" / "2" / "source"),
        tcp_port=tcp.getsockname()[1],
        udp_port=udp.getsockname()[1],
        unix_socket="s",
        abstract_socket=abstract,
        neighbour=neighbour.pid,
        secret_name=SECRET_NAME,
    )


def _attempts(folder: Path, targets: escape_kit.Targets, mode: str) -> dict[str, JsonValue]:
    workspace = folder / "work" / "1"
    workspace.mkdir()
    source = workspace / "source"
    source.write_text(json.dumps(asdict(targets)))
    environment = {**os.environ, "PYTHONPATH": PATH, "HOME": targets.home, SECRET_NAME: "secret"}
    support = sandbox_support()
    policy = SandboxPolicy(landlock=support.landlock, seccomp=support.seccomp, scratch=str(folder / "work"))
    child = Child(
        ChildSpec(
            factory=escapes.FACTORY,
            limits=ChildLimits(),
            environment=environment,
            passed_on=(SECRET_NAME,) if mode == "off" else (),
            sandbox=None if mode == "off" else policy,
        )
    )
    task = Task(source=source, source_name="source", source_hash=hash_of("source"), workspace=workspace)
    try:
        outcomes = produced(ask(child, task, seconds=LONG)).product.summary["outcomes"]
        assert isinstance(outcomes, dict)
        return outcomes
    finally:
        child.close()


if __name__ == "__main__":
    main()
