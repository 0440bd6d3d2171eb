"""`blobforge doctor`: is everything there that the work needs?"""

import click

from blobforge.cli import context, exit_codes, output
from blobforge.cli.output import Column, json_option


@click.command()
@json_option
def command(*, as_json: bool) -> int:
    """Check tools, stores and clocks.

    Exit code: 0 all well or only warnings, 1 something will not work.

    With --json: healthy, and findings, a list of name, verdict (ok, warning, problem), message.
    """
    from blobforge.doctor import Verdict, examine

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
