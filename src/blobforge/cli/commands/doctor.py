"""`blobforge doctor`: is everything there that the work needs?"""

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.output import Column, json_option


@click.command()
@click.option(
    "--adopt", "to_adopt", is_flag=True, help="First take over a queue that an older writer left in a bucket."
)
@json_option
def command(*, to_adopt: bool, as_json: bool) -> int:
    """Check tools, stores and clocks.

    A bucket is tried with real objects below registry/probe/, which are deleted again: writers that race, listings,
    conditions.

    With --adopt, a queue in a bucket that an older BlobForge or another program wrote is marked as this one's, so that
    it can be used from now on. Stop the other one first: both at once would lose jobs.

    Exit code: 0 all well or only warnings, 1 something will not work.

    With --json: healthy, and findings, a list of name, verdict (ok, warning, problem), message.
    """
    from blobforge.doctor import Verdict, adopt, examine

    if to_adopt:
        adopted = adopt(context.settings())
        output.say(f"The queue is BlobForge's, in format {adopted.version}, since {adopted.created_at}.")
    findings = list(examine(context.settings()))
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
