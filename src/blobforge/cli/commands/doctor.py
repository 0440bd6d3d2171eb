"""`blobforge doctor`: is everything there that the work needs?"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.confirming import agrees, can_ask
from blobforge.cli.output import Column, json_option
from blobforge.cli.progress import counted
from blobforge.domain.errors import InvalidSettings, PlaceInUse

if TYPE_CHECKING:
    from blobforge.config.settings import Settings
    from blobforge.wiring.missing import Missing


@click.command()
@click.option(
    "--adopt", "to_adopt", is_flag=True, help="First take over a queue that an older writer left in a bucket."
)
@click.option(
    "--confirm-store", is_flag=True, help="First note that this queue is used with this store, and no other one."
)
@click.option("--yes", is_flag=True, help="Do not ask: with --adopt, --confirm-store.")
@json_option
def command(*, to_adopt: bool, confirm_store: bool, yes: bool, as_json: bool) -> int:
    """Check tools, stores and clocks.

    A bucket is tried with real objects below registry/probe/, which are deleted again: writers that race, listings,
    conditions.

    With --adopt, a queue in a bucket that an older BlobForge or another program wrote is marked as this one's, so that
    it can be used from now on, and its jobs get ids, names and times like any other. Stop the other one first: both at
    once would lose jobs. While a worker of the other one was heard of within 15 minutes, it is refused, unless you
    agree when you are asked, or say --yes. It may be said again: what was taken over stays as it is.

    With --confirm-store, a store that was moved, emptied or replaced on purpose, or that several queues share, is
    accepted from now on, and the one that the queue was used with before is refused: what was kept there must be
    copied first. Where jobs have no document or no result in the store, it says how many (of the newest 1,000 jobs),
    and asks; without a terminal, say --yes. While several queues share a store, `gc` deletes nothing in it.

    Exit code: 0 all well or only warnings, 1 something will not work, 2 nobody could be asked and --yes was not said.

    With --json: healthy, and findings, a list of name, verdict (ok, warning, problem), message.
    """
    from blobforge.doctor import Verdict, examine

    if yes and not (to_adopt or confirm_store):
        raise click.UsageError("--yes goes with --adopt or --confirm-store")
    if to_adopt:
        _adopt(is_agreed=yes, may_ask=not as_json)
    if confirm_store:
        _confirm(is_agreed=yes, may_ask=not as_json)
    settings, refused = _readable_settings()
    findings = list(examine(settings, refused=refused))
    healthy = not any(finding.verdict is Verdict.PROBLEM for finding in findings)
    if as_json:
        output.print_json(
            {
                "healthy": healthy,
                "findings": [
                    {"name": finding.name, "verdict": finding.verdict.value, "message": finding.message}
                    for finding in findings
                ],
            }
        )
    else:
        output.print_table(
            [Column("CHECK", keep=True), Column("VERDICT", keep=True), Column("WHAT")],
            [[finding.name, finding.verdict.value, finding.message] for finding in findings],
        )
    return exit_codes.OK if healthy else exit_codes.ERROR


def _adopt(*, is_agreed: bool, may_ask: bool) -> None:
    from blobforge.doctor import adopt, require_unused

    settings = context.settings()
    try:
        require_unused(settings)
    except PlaceInUse as in_use:
        if not is_agreed and not (may_ask and agrees(f"{in_use}. Take it over all the same?")):
            raise
    adopted = adopt(settings)
    jobs = ", ".join(f"{number} {state.value}" for state, number in adopted.jobs.items()) or "none"
    output.say(f"The queue is BlobForge's, in format {adopted.format.version}, since {adopted.format.created_at}.")
    output.say(f"Its jobs: {jobs} ('blobforge list').")
    if adopted.elsewhere is not None:
        output.say(f"But {adopted.elsewhere}.")


def _readable_settings() -> tuple[Settings, tuple[str, ...]]:
    """With what makes them unusable, so that the rest of the machine is looked at all the same.

    Raises InvalidSettings where they cannot even be read.
    """
    from blobforge.config.load import examine

    try:
        return context.settings(), ()
    except InvalidSettings:
        examined = examine(context.with_log_level({}))
        if examined.settings is None:
            raise
        return examined.settings, (*examined.refused, *(examined.doubts if examined.settings.strict else ()))


def _confirm(*, is_agreed: bool, may_ask: bool) -> None:
    from blobforge import wiring

    settings = context.settings()
    opened = wiring.open_coordinator(settings)
    try:
        missing = wiring.missing_in_store(opened)
        if missing.sources or missing.results:
            _require_agreement(_told(missing), is_agreed=is_agreed, may_ask=may_ask)
        queues, superseded = wiring.confirm_pair(settings, opened)
    finally:
        opened.close()
    several = f"; the store serves {len(queues)} queues" if len(queues) > 1 else ""
    output.say(f"The queue and the store belong together from now on{several}.")
    if superseded:
        output.say(f"Until now the queue was used with {superseded}: machines that still use that are refused.")


def _require_agreement(lacks: str, *, is_agreed: bool, may_ask: bool) -> None:
    output.warn(lacks)
    if is_agreed:
        return
    if not (may_ask and can_ask()):
        raise click.UsageError("nothing was confirmed: say --yes if the store is the right one all the same")
    if not agrees("Is it the right store all the same?"):
        raise click.Abort


def _told(missing: Missing) -> str:
    """Without a document, a job fails; what has only lost its result can be redone."""
    parts = []
    if missing.sources:
        parts.append(f"no document for {counted(missing.sources, 'unfinished job')}")
    if missing.results:
        parts.append(f"no result for {counted(missing.results, 'completed job')}")
    looked = "" if missing.is_all else ", of the newest 1,000 jobs"
    return f"the store has {' and '.join(parts)}{looked}"
