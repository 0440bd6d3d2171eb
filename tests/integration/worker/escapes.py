"""A processor that makes all attempts, in a child; the targets are in its source."""

import json
import subprocess
from dataclasses import fields
from pathlib import Path

from tests.integration.worker import escape_files, escape_reach
from tests.integration.worker.escape_kit import ATTEMPTS, Attempt, Targets

from blobforge.domain.json_value import JsonObject
from blobforge.ports.processor import Plan, Product, Report, Slice, Task
from blobforge.processors.echo.plugin import EchoProcessor

FACTORY = "tests.integration.worker.escapes:Escapes"
MADE_BY = (escape_files, escape_reach)


class Escapes(EchoProcessor):
    """Makes all attempts; the targets are in its source."""

    def run(self, task: Task, plan: Plan, part: Slice, report: Report) -> None:
        said = json.loads(task.source.read_text())
        targets = Targets(**{field.name: said[field.name] for field in fields(Targets)})
        self.outcomes: JsonObject = {name: _outcome(act, targets, task.workspace) for name, act in ATTEMPTS.items()}
        super().run(task, plan, part, report)

    def join(self, task: Task, plan: Plan, gaps: object, report: Report) -> Product:
        product = super().join(task, plan, [], report)
        return Product(archive=product.archive, summary={**product.summary, "outcomes": self.outcomes})


def _outcome(act: Attempt, targets: Targets, workspace: Path) -> str | None:
    """Why it was refused; None when it succeeded."""
    try:
        act(targets, workspace)
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return None
